import type { InstrumentDirectory } from '../../../instruments/schema.js'
import type { Candle, Depth, Quote, SymbolRef, Tick } from '../../../market/schema.js'
import { symbolKey } from '../../../market/schema.js'
import type { PriceScript } from '../replay/price-script.js'
import { type Contract, contractOf, contractOfSymbol } from './contract.js'
import { DayCounter, type DayStats } from './day-stats.js'
import { depthAt } from './depth.js'
import { History } from './history.js'
import type { MarketSessions } from './market-sessions.js'
import type { PathSource } from './minute-path.js'
import { hashText } from './noise.js'
import { Pricer } from './pricer.js'
import type { UnderlyingOf } from './references.js'

export interface MarketOptions {
  seed: string
  underlyingOf: UnderlyingOf
  sessions: MarketSessions
  /** The master at this moment. */
  instruments(): InstrumentDirectory
}

/** The state of one contract at one second. */
interface Snapshot {
  second: number
  ltp: number
  depth: Depth
  stats: DayStats
  openInterest: number
}

/** Quotes, depth, ticks and history of every instrument of the master, computed on demand from the seed. */
export class SimulatedMarket {
  readonly sessions: MarketSessions
  readonly #options: MarketOptions
  readonly #seed: number
  readonly #pricer: Pricer
  readonly #counter: DayCounter
  readonly #history: History
  readonly #contracts = new Map<string, Contract>()
  /** What was looked at in one second: orders and option chains ask for the same contracts many times in it. */
  readonly #looked = { at: Number.NaN, snapshots: new Map<Contract, Snapshot>() }

  constructor(options: MarketOptions) {
    this.#seed = hashText(options.seed)
    this.#options = options
    this.sessions = options.sessions
    this.#pricer = new Pricer(this.#seed, options.sessions)
    this.#counter = new DayCounter(this.#pricer, options.sessions)
    this.#history = new History(this.#pricer, options.sessions)
  }

  /** Plays a recording as the price of an underlying, named by its spot symbol. Before its first quote. */
  replay(spot: SymbolRef, source: PathSource): void {
    this.#pricer.replace(symbolKey(spot), source)
    this.#looked.snapshots.clear()
  }

  /** Written prices in the place of a symbol's own. */
  script(ref: SymbolRef, script: PriceScript): void {
    this.#pricer.script(symbolKey(ref), script)
    this.#looked.snapshots.clear()
  }

  /** The contract of a symbol; undefined when the master has none. */
  contract(ref: SymbolRef): Contract | undefined {
    const instrument = this.#options.instruments().find(ref.symbol, ref.exchange)
    if (!instrument) return undefined
    const key = symbolKey(ref)
    const known = this.#contracts.get(key)
    // A new master may change a lot or a tick.
    if (known && known.lot === instrument.lotSize && known.tick === instrument.tickSize) return known
    const contract = contractOf(instrument, this.#seed, this.#options.underlyingOf)
    this.#contracts.set(key, contract)
    return contract
  }

  /** As {@link contract}, also for a dated contract that the master no longer lists. */
  contractEver(ref: SymbolRef): Contract | undefined {
    return this.contract(ref) ?? contractOfSymbol(ref, this.#seed, this.#options.underlyingOf)
  }

  /** The largest order the exchange takes for a symbol. */
  freezeQuantity(ref: SymbolRef): number | undefined {
    const instruments = this.#options.instruments()
    const instrument = instruments.find(ref.symbol, ref.exchange)
    return instrument && instruments.freezeQuantity(instrument)
  }

  /** Does the contract trade at this second? An index never does, nor does a contract that has expired. */
  isOpen(contract: Contract, second: number): boolean {
    if (contract.kind === 'index' || this.hasExpired(contract, second)) return false
    return this.sessions.isOpen(contract.exchange, second)
  }

  hasExpired(contract: Contract, second: number): boolean {
    return contract.expiresAt !== undefined && second >= contract.expiresAt
  }

  /** The last traded price at a second. */
  lastPrice(contract: Contract, second: number): number {
    return (
      this.#pricer.written(contract, second) ??
      this.#pricer.price(contract, this.#pricer.tradedSecond(contract, second))
    )
  }

  previousClose(contract: Contract, second: number): number {
    const session = this.sessions.latest(contract.exchange, this.#pricer.tradedSecond(contract, second))
    return this.#pricer.price(contract, this.sessions.previous(contract.exchange, session).close - 1)
  }

  settlementPrice(contract: Contract): number {
    return this.#pricer.settlementPrice(contract)
  }

  depth(contract: Contract, second: number): Depth {
    return depthAt(contract, this.#pricer.tradedSecond(contract, second), this.lastPrice(contract, second))
  }

  quote(contract: Contract, second: number): Quote {
    return this.#quoteOf(contract, this.#snapshot(contract, second))
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

  bars(contract: Contract, interval: string, from: string, to: string, second: number): Candle[] {
    return this.#history.bars(contract, interval, from, to, second)
  }

  #snapshot(contract: Contract, at: number): Snapshot {
    const { snapshots } = this.#looked
    if (this.#looked.at !== at) {
      this.#looked.at = at
      snapshots.clear()
    }
    const known = snapshots.get(contract)
    if (known) return known
    const snapshot = this.#look(contract, at)
    snapshots.set(contract, snapshot)
    return snapshot
  }

  #look(contract: Contract, at: number): Snapshot {
    const traded = this.#pricer.tradedSecond(contract, at)
    const last = this.#pricer.price(contract, traded)
    const written = this.#pricer.written(contract, at)
    const second = written === undefined ? traded : at
    const ltp = written ?? last
    return {
      second,
      ltp,
      depth: depthAt(contract, second, ltp),
      stats: this.#counter.at(contract, traded, last),
      openInterest: this.#pricer.openInterest(contract, Math.floor(second / 60)),
    }
  }

  #tickOf(contract: Contract, snapshot: Snapshot): Tick {
    const { stats, depth, ltp } = snapshot
    const quote = this.#quoteOf(contract, snapshot)
    const average = stats.volume > 0 ? stats.turnover / stats.volume : ltp
    // Field by field: spreading a quote a thousand times a second shows.
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

  #quoteOf(contract: Contract, { second, ltp, depth, stats, openInterest }: Snapshot): Quote {
    return {
      symbol: contract.symbol,
      exchange: contract.exchange,
      ltp,
      bid: depth.buy[0]?.price ?? 0,
      ask: depth.sell[0]?.price ?? 0,
      bidSize: depth.buy[0]?.quantity ?? 0,
      askSize: depth.sell[0]?.quantity ?? 0,
      open: stats.open,
      // A written price also moves while nothing trades.
      high: Math.max(stats.high, ltp),
      low: Math.min(stats.low, ltp),
      prevClose: stats.prevClose,
      volume: stats.volume,
      oi: openInterest,
      timestamp: second * 1000,
    }
  }
}

function total(levels: readonly { quantity: number }[]): number {
  let sum = 0
  for (const level of levels) sum += level.quantity
  return Math.round(sum * 1e8) / 1e8
}
