import type { InstrumentDirectory } from '../../../instruments/schema.js'
import type { Candle, Depth, PriceBand, Quote, SymbolRef, Tick } from '../../../market/schema.js'
import { symbolKey } from '../../../market/schema.js'
import { ceilTo, floorTo, fromMoney, toMoney } from '../../../money/index.js'
import type { PriceScript } from '../replay/price-script.js'
import { type Contract, type ContractRules, contractOf, contractOfSymbol } from './contract.js'
import { DayCounter, type DayStats } from './day-stats.js'
import { depthAt } from './depth.js'
import { History } from './history.js'
import type { MarketSessions } from './market-sessions.js'
import type { PathSource } from './minute-path.js'
import { hashText } from './noise.js'
import { Pricer } from './pricer.js'
import type { UnderlyingOf } from './references.js'

type QuoteOrError = Quote | { error: string }

interface MarketOptions {
  seed: string
  underlyingOf: UnderlyingOf
  sessions: MarketSessions
  /** Returns the current instrument master. */
  instruments(): InstrumentDirectory
}

/** The state of one contract at one second. */
interface Snapshot {
  second: number
  ltp: number
  depth: Depth
  stats: DayStats
  openInterest: number
  /** The quote, once someone asked for it. */
  quote: Quote | undefined
}

interface Cache {
  second: number
  snapshots: Map<Contract, Snapshot>
  /** Price bands of contracts that have one. */
  bands: Map<Contract, PriceBand>
  /** The answers to frozen lists of symbols, with the master by which they were found. */
  answers: WeakMap<readonly SymbolRef[], { master: object; quotes: readonly QuoteOrError[] }>
}

const emptyCache = (second: number): Cache => ({
  second,
  snapshots: new Map(),
  bands: new Map(),
  answers: new WeakMap(),
})

/** Quotes, depth, ticks and history of every instrument of the master, computed on demand from the seed. */
export class SimulatedMarket {
  readonly sessions: MarketSessions
  readonly #options: MarketOptions
  readonly #rules: ContractRules
  readonly #pricer: Pricer
  #counter: DayCounter
  #history: History
  readonly #contracts = new Map<string, Contract>()
  /**
   * Snapshots of the current second. Orders and option chains request the same contracts many times per
   * second.
   */
  #cache = emptyCache(Number.NaN)

  constructor(options: MarketOptions) {
    const { sessions, underlyingOf } = options
    const seed = hashText(options.seed)
    this.#options = options
    this.sessions = sessions
    this.#rules = { seed, underlyingOf, sessions }
    this.#pricer = new Pricer(seed, sessions)
    this.#counter = new DayCounter(this.#pricer, sessions)
    this.#history = new History(this.#pricer, sessions)
    sessions.onChange(() => this.#forget())
  }

  /**
   * Replays a recording as the price of an underlying, identified by its spot symbol. Call it before the
   * first quote.
   */
  replay(spot: SymbolRef, source: PathSource): void {
    this.#pricer.replace(symbolKey(spot), source)
    this.#cache = emptyCache(Number.NaN)
  }

  /** Replaces a symbol's prices by scripted ones. */
  script(ref: SymbolRef, script: PriceScript): void {
    this.#pricer.script(symbolKey(ref), script)
    this.#cache = emptyCache(Number.NaN)
  }

  /** Returns the contract of a symbol; undefined if the master has none. */
  contract(ref: SymbolRef): Contract | undefined {
    const instrument = this.#options.instruments().find(ref.symbol, ref.exchange)
    if (!instrument) return undefined
    const key = symbolKey(ref)
    const known = this.#contracts.get(key)
    // A new master may change a lot size or a tick size.
    if (known && known.lot === instrument.lotSize && known.tick === instrument.tickSize) return known
    const contract = contractOf(instrument, this.#rules)
    this.#contracts.set(key, contract)
    return contract
  }

  /** Like {@link contract}, but also finds a dated contract that the master no longer lists. */
  listedOrExpired(ref: SymbolRef): Contract | undefined {
    return this.contract(ref) ?? contractOfSymbol(ref, this.#rules)
  }

  /** Returns the largest order the exchange accepts for a symbol. */
  freezeQuantity(ref: SymbolRef): number | undefined {
    const instruments = this.#options.instruments()
    const instrument = instruments.find(ref.symbol, ref.exchange)
    return instrument && instruments.freezeQuantity(instrument)
  }

  /** Returns the first opening after `second`; undefined in a market that never closes. */
  nextOpen(contract: Contract, second: number): number | undefined {
    return this.sessions.nextOpen(contract.exchange, second)
  }

  /** Returns whether the contract trades at this second. An index and an expired contract never trade. */
  isOpen(contract: Contract, second: number): boolean {
    if (contract.kind === 'index' || this.hasExpired(contract, second)) return false
    return this.sessions.isOpen(contract.exchange, second)
  }

  hasExpired(contract: Contract, second: number): boolean {
    return contract.expiresAt !== undefined && second >= contract.expiresAt
  }

  /** Returns the last traded price at a second. */
  lastPrice(contract: Contract, second: number): number {
    return (
      this.#pricer.scriptedPrice(contract, second) ??
      this.#pricer.price(contract, this.#pricer.tradedSecond(contract, second))
    )
  }

  previousClose(contract: Contract, second: number): number {
    const session = this.sessions.latest(contract.exchange, this.#pricer.tradedSecond(contract, second))
    return this.#pricer.price(contract, this.sessions.previous(contract.exchange, session).close - 1)
  }

  /**
   * Returns the price band of the day; undefined for options and indices, which have none, and for scripted prices, which have
   * no previous day.
   */
  priceBand(contract: Contract, second: number): PriceBand | undefined {
    if (contract.kind === 'option' || contract.kind === 'index' || this.#pricer.isScripted(contract))
      return undefined
    if (this.#cache.second !== second) this.#cache = emptyCache(second)
    const { bands } = this.#cache
    const band = bands.get(contract) ?? bandAround(this.previousClose(contract, second), contract.tick)
    bands.set(contract, band)
    return band
  }

  settlementPrice(contract: Contract): number {
    return this.#pricer.settlementPrice(contract)
  }

  depth(contract: Contract, second: number): Depth {
    return depthAt(contract, this.#pricer.tradedSecond(contract, second), this.lastPrice(contract, second))
  }

  /** Returns the quote of a second: the same object for each request of that second. */
  quote(contract: Contract, second: number): Quote {
    return this.#quoteOf(contract, this.#snapshot(contract, second))
  }

  /** Returns whether the quote of a second costs nothing, because it was asked for before. */
  knows(contract: Contract, second: number): boolean {
    return this.#cache.second === second && this.#cache.snapshots.has(contract)
  }

  /** Returns the kept quotes of a frozen list at a second, if {@link keepQuotes} was called in that second. */
  keptQuotes(refs: readonly SymbolRef[], second: number): readonly QuoteOrError[] | undefined {
    if (this.#cache.second !== second) return undefined
    const kept = this.#cache.answers.get(refs)
    return kept?.master === this.#options.instruments().master ? kept.quotes : undefined
  }

  /** Keeps the quotes of a second for a list that nobody changes, until the second ends or a price is scripted. */
  keepQuotes(refs: readonly SymbolRef[], second: number, quotes: readonly QuoteOrError[]): void {
    if (this.#cache.second !== second) return
    this.#cache.answers.set(refs, { master: this.#options.instruments().master, quotes })
  }

  quoteWithDepth(contract: Contract, second: number): Tick & { depth: Depth } {
    const snapshot = this.#snapshot(contract, second)
    return { ...this.#tickOf(contract, snapshot), depth: snapshot.depth }
  }

  tick(contract: Contract, second: number, withDepth: boolean): Tick {
    const snapshot = this.#snapshot(contract, second)
    const tick = this.#tickOf(contract, snapshot)
    if (withDepth) tick.depth = snapshot.depth
    return tick
  }

  bars(contract: Contract, interval: string, from: string, to: string, second: number): readonly Candle[] {
    return this.#history.bars(contract, interval, from, to, second)
  }

  /** Computes {@link bars} in steps, see {@link History.steps}. */
  barsInSteps(contract: Contract, interval: string, from: string, to: string, second: number) {
    return this.#history.steps(contract, interval, from, to, second)
  }

  /** Drops what was computed with hours that have changed. */
  #forget(): void {
    this.#contracts.clear()
    this.#cache = emptyCache(Number.NaN)
    this.#counter = new DayCounter(this.#pricer, this.sessions)
    this.#history = new History(this.#pricer, this.sessions)
  }

  #snapshot(contract: Contract, at: number): Snapshot {
    if (this.#cache.second !== at) this.#cache = emptyCache(at)
    const { snapshots } = this.#cache
    const known = snapshots.get(contract)
    if (known) return known
    const snapshot = this.#compute(contract, at)
    snapshots.set(contract, snapshot)
    return snapshot
  }

  #compute(contract: Contract, at: number): Snapshot {
    const traded = this.#pricer.tradedSecond(contract, at)
    const last = this.#pricer.price(contract, traded)
    const scripted = this.#pricer.scriptedPrice(contract, at)
    const second = scripted === undefined ? traded : at
    const ltp = scripted ?? last
    return {
      second,
      ltp,
      depth: depthAt(contract, second, ltp),
      stats: this.#counter.at(contract, traded, last),
      openInterest: this.#pricer.openInterest(contract, Math.floor(second / 60)),
      quote: undefined,
    }
  }

  #tickOf(contract: Contract, snapshot: Snapshot): Tick {
    const { stats, depth, ltp } = snapshot
    const quote = this.#quoteOf(contract, snapshot)
    const average = stats.volume > 0 ? stats.turnover / stats.volume : ltp
    // The fields are copied one by one, because spreading a thousand quotes per second is measurably slower.
    return {
      symbol: quote.symbol,
      exchange: quote.exchange,
      ltp: quote.ltp,
      bid: quote.bid,
      ask: quote.ask,
      bidSize: quote.bidSize,
      askSize: quote.askSize,
      open: quote.open,
      high: quote.high,
      low: quote.low,
      prevClose: quote.prevClose,
      volume: quote.volume,
      oi: quote.oi,
      timestamp: quote.timestamp,
      lastQuantity: stats.lastQuantity,
      averagePrice: Math.round(average * 1e4) / 1e4,
      totalBuyQuantity: total(depth.buy),
      totalSellQuantity: total(depth.sell),
    }
  }

  #quoteOf(contract: Contract, snapshot: Snapshot): Quote {
    snapshot.quote ??= quoteIn(contract, snapshot)
    return snapshot.quote
  }
}

/** Returns the ticks within 20 percent of the previous close. */
function bandAround(previousClose: number, tick: number): PriceBand {
  const close = toMoney(previousClose)
  // A tick smaller than the unit of money counts as one unit.
  const hundredTicks = (toMoney(tick) || 1n) * 100n
  return {
    lower: fromMoney(ceilTo(close * 80n, hundredTicks) / 100n),
    upper: fromMoney(floorTo(close * 120n, hundredTicks) / 100n),
  }
}

function quoteIn(contract: Contract, { second, ltp, depth, stats, openInterest }: Snapshot): Quote {
  return {
    symbol: contract.symbol,
    exchange: contract.exchange,
    ltp,
    bid: depth.buy[0]?.price ?? 0,
    ask: depth.sell[0]?.price ?? 0,
    bidSize: depth.buy[0]?.quantity ?? 0,
    askSize: depth.sell[0]?.quantity ?? 0,
    open: stats.open,
    // A scripted price can move while the market is closed.
    high: Math.max(stats.high, ltp),
    low: Math.min(stats.low, ltp),
    prevClose: stats.prevClose,
    volume: stats.volume,
    oi: openInterest,
    timestamp: second * 1000,
  }
}

function total(levels: readonly { quantity: number }[]): number {
  let sum = 0
  for (const level of levels) sum += level.quantity
  return Math.round(sum * 1e8) / 1e8
}
