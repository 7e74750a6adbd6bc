import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Almanac, type NewHoliday, SEED_HOLIDAYS, SEED_TIMINGS } from '../../../src/core/calendar/index.js'
import type { Veto } from '../../../src/core/errors/index.js'
import { splitSymbol } from '../../../src/core/instruments/index.js'
import type { Exchange, Instrument } from '../../../src/core/instruments/schema.js'
import { type PriceBand, type Quote, type SymbolRef, symbolKey } from '../../../src/core/market/schema.js'
import type { OrderRequest, PositionFilter } from '../../../src/core/orders/schema.js'
import { Sandbox, type SandboxEvent, type SandboxMarket } from '../../../src/core/sandbox/index.js'
import { Database } from '../../../src/core/storage/index.js'
import type { VirtualClock } from '../../../src/core/time/index.js'
import { deskClock } from '../../support/desk/desk-clock.js'
import { recordingLogger } from '../logging/recording-logger.js'

/** A Thursday, ten in the morning in India. */
export const TEN_O_CLOCK = '2026-03-12T10:00:00+05:30'
export const USER = 'asha'

export function instrument(fields: Partial<Instrument> & { symbol: string; exchange: Exchange }): Instrument {
  return {
    brokerSymbol: fields.symbol,
    name: splitSymbol(fields.symbol)?.base ?? fields.symbol,
    brokerExchange: fields.exchange,
    token: '1',
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
    ...fields,
  }
}

export const INSTRUMENTS = [
  instrument({ symbol: 'SBIN', exchange: 'NSE' }),
  instrument({ symbol: 'INFY', exchange: 'NSE' }),
  instrument({ symbol: 'TCS', exchange: 'BSE' }),
  instrument({ symbol: 'NIFTY30MAR26FUT', exchange: 'NFO', lotSize: 75, instrumentType: 'FUT' }),
  instrument({ symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO', lotSize: 75, instrumentType: 'CE' }),
  instrument({ symbol: 'USDINR30MAR26FUT', exchange: 'CDS', instrumentType: 'FUT', tickSize: 0.0025 }),
  instrument({ symbol: 'CRUDEOIL19MAR26FUT', exchange: 'MCX', instrumentType: 'FUT' }),
  instrument({
    symbol: 'BTCUSDFUT',
    exchange: 'CRYPTO',
    lotSize: 0.5,
    instrumentType: 'PERPFUT',
    contractValue: 0.001,
  }),
]

export const findInstrument = (symbol: string, exchange: string): Instrument | undefined =>
  INSTRUMENTS.find((one) => one.symbol === symbol && one.exchange === exchange)

/** `250` or `250/249.9/250.2` (last, bid, ask), with optional low and high. */
export function quoteOf(ref: SymbolRef, prices: string | number, range = { low: 0, high: 0 }): Quote {
  const [ltp = 0, bid = 0, ask = 0] = String(prices).split('/').map(Number)
  return {
    symbol: ref.symbol,
    exchange: ref.exchange,
    ltp,
    bid,
    ask,
    bidSize: 100,
    askSize: 100,
    open: 0,
    high: range.high,
    low: range.low,
    prevClose: 0,
    volume: 0,
    oi: 0,
    timestamp: 0,
  }
}

/** A market with scripted prices. */
export class ScriptedMarket implements SandboxMarket {
  readonly #quotes = new Map<string, Quote>()
  readonly #inMemory = new Map<string, Quote>()
  readonly #listeners = new Map<string, Set<(quote: Quote) => void>>()
  quotesAsked = 0
  /** The price band of every contract; undefined if there is none. */
  band: PriceBand | undefined
  /** Trades around the clock. */
  roundTheClock = false

  alwaysOpen(): boolean {
    return this.roundTheClock
  }

  priceBand(): PriceBand | undefined {
    return this.band
  }

  async quote(ref: SymbolRef): Promise<Quote | undefined> {
    this.quotesAsked += 1
    return this.#quotes.get(symbolKey(ref))
  }

  fresh(ref: SymbolRef): Quote | undefined {
    return this.#inMemory.get(symbolKey(ref))
  }

  /** Has a price in memory. */
  keep(quote: Quote): void {
    this.#inMemory.set(symbolKey(quote), quote)
  }

  watch(ref: SymbolRef, listener: (quote: Quote) => void): () => void {
    const listeners = this.#listeners.get(symbolKey(ref)) ?? new Set()
    this.#listeners.set(symbolKey(ref), listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(symbolKey(ref))
    }
  }

  /** Sets the price for the next request, without a tick. */
  set(quote: Quote): void {
    this.#quotes.set(symbolKey(quote), quote)
  }

  /** Removes the price. */
  forget(ref: SymbolRef): void {
    this.#quotes.delete(symbolKey(ref))
  }

  /** Sets the price and notifies every watcher. */
  tick(quote: Quote): void {
    this.set(quote)
    for (const listener of this.#listeners.get(symbolKey(quote)) ?? []) listener(quote)
  }

  get watched(): string[] {
    return [...this.#listeners.keys()].sort()
  }
}

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const

/** The calendar of 2026, with additional days. */
export function almanac(...more: NewHoliday[]): Almanac {
  return new Almanac(
    [...SEED_HOLIDAYS, ...more].map((holiday, id) => ({ ...holiday, id })),
    SEED_TIMINGS,
  )
}

/** A sandbox on a real file in its own directory. */
export class Rig {
  readonly directory = mkdtempSync(join(tmpdir(), 'svc-sandbox-'))
  readonly market = new ScriptedMarket()
  readonly clock: VirtualClock
  calendar = almanac()
  /** The veto on new orders; by default none. */
  stopped: Veto = () => undefined
  /** The freeze quantity of every contract; by default none is known. */
  freezeQuantity: number | undefined
  readonly events: SandboxEvent[] = []
  readonly #log = recordingLogger()
  db!: Database
  sandbox!: Sandbox

  private constructor(at: string) {
    this.clock = deskClock(at)
  }

  static async open(at = TEN_O_CLOCK): Promise<Rig> {
    const rig = new Rig(at)
    await rig.boot()
    return rig
  }

  /** The events that were logged. */
  get logged(): string[] {
    return this.#log.lines.map(({ event }) => event)
  }

  async boot(): Promise<void> {
    this.db = await Database.open({ file: join(this.directory, 'sandbox.db'), schema: 'sandbox' })
    this.sandbox = await Sandbox.open({
      db: this.db,
      clock: this.clock,
      instruments: { find: findInstrument, freezeQuantity: () => this.freezeQuantity },
      calendar: {
        sessionOf: (exchange, date) => this.calendar.sessionOf(exchange, date),
        isSettlementDay: (date) => this.calendar.isSettlementDay(date),
      },
      market: this.market,
      stopped: () => this.stopped(),
      publish: (event) => this.events.push(event),
      log: this.#log,
    })
    await this.sandbox.start()
  }

  /** Lets time pass and waits until the effects of all due jobs are on disk. */
  async pass(to: string): Promise<void> {
    await this.clock.advanceTo(to)
    await this.sandbox.books.orderbook(USER)
  }

  /** Stops the process until the given time. */
  async down(until: string): Promise<void> {
    await this.sandbox.stop()
    await this.db.close()
    await this.clock.advanceTo(until)
    await this.boot()
  }

  /** Stops like a crash between two decisions, and starts on the same file. */
  async reboot(): Promise<void> {
    await this.sandbox.stop()
    await this.db.close()
    await this.boot()
  }

  async close(): Promise<void> {
    await this.sandbox.stop()
    await this.db.close()
    rmSync(this.directory, { recursive: true, force: true })
  }

  price(prices: string | number, ref: SymbolRef = SBIN, range?: { low: number; high: number }): void {
    this.market.set(quoteOf(ref, prices, range))
  }

  /** Sends a tick and waits until its effects are on disk. */
  async tick(
    prices: string | number,
    ref: SymbolRef = SBIN,
    range?: { low: number; high: number },
  ): Promise<void> {
    this.market.tick(quoteOf(ref, prices, range))
    await this.sandbox.books.orderbook(USER)
  }

  place(order: Partial<OrderRequest>) {
    return this.sandbox.place(USER, orderOf(order))
  }

  /** Places an order, expects its acceptance, and returns its id. */
  async accepted(order: Partial<OrderRequest>): Promise<string> {
    const outcome = await this.place(order)
    if (!outcome.ok) throw new Error(`refused: ${outcome.message}`)
    return outcome.orderId
  }

  async status(orderId: string): Promise<string> {
    const order = await this.sandbox.books.order(USER, orderId)
    if (!order) return 'unknown'
    return order.order_status === 'complete'
      ? `complete ${order.average_price.toFixed(2)}`
      : order.order_status
  }

  /** Places an order with this price on both sides, so that it fills at once. */
  async trade(
    action: 'BUY' | 'SELL',
    quantity: number,
    price: number,
    order: Partial<OrderRequest> = {},
  ): Promise<void> {
    this.price(price, { symbol: order.symbol ?? SBIN.symbol, exchange: order.exchange ?? SBIN.exchange })
    await this.accepted({ action, quantity, ...order })
  }

  /** Gives the account settled shares, like a T+1 settlement. */
  async hold(symbol: string, quantity: number, average: number): Promise<void> {
    await this.funds()
    await this.db.write((tx) =>
      tx.exec('insert into sandbox_holdings values (?, ?, ?, ?, ?, ?, ?)', [
        USER,
        symbol,
        'NSE',
        quantity,
        quantity * average * 10_000,
        0,
        this.clock.now(),
      ]),
    )
    await this.reboot()
  }

  /** Closes every open position that matches the filter. Returns how many were closed, and the refusals of the others. */
  async closeAll(filter: PositionFilter = {}) {
    const closes = await this.sandbox.closeEach(USER, await this.sandbox.openPositions(USER, filter))
    const failures = closes.flatMap(({ pieces, ref }) =>
      pieces.flatMap(({ outcome }) => (outcome.ok ? [] : [{ ...ref, message: outcome.message }])),
    )
    return { closed: closes.length - failures.length, failures }
  }

  funds() {
    return this.sandbox.books.funds(USER)
  }

  async position(symbol: string = SBIN.symbol) {
    const { positions } = await this.sandbox.books.positions(USER)
    const row = positions.find((position) => position.symbol === symbol)
    if (!row) throw new Error(`no position in ${symbol}`)
    return row
  }

  /** Returns the stored margin of a position, in rupees. */
  async positionMargin(symbol: string = SBIN.symbol): Promise<number> {
    const rows = await this.db.queryRaw(
      'select margin_blocked as margin from sandbox_positions where symbol = ?',
      [symbol],
    )
    return Number(rows[0]?.margin) / 10_000
  }

  /** Returns everything on disk, for comparison. */
  async dump(): Promise<Record<string, unknown[]>> {
    const tables = [
      ...['orders', 'trades', 'positions', 'holdings', 'funds', 'config'],
      ...['daily_pnl', 'gtt', 'gtt_legs', 'jobs'],
    ]
    const dumped = await Promise.all(
      tables.map((table) => this.db.queryRaw(`select * from sandbox_${table} order by 1, 2`)),
    )
    return Object.fromEntries(tables.map((table, index) => [table, dumped[index] ?? []]))
  }
}

export function orderOf(order: Partial<OrderRequest>): OrderRequest {
  return {
    strategy: 'test',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    product: 'MIS',
    priceType: 'MARKET',
    price: 0,
    triggerPrice: 0,
    disclosedQuantity: 0,
    ...order,
  }
}

/** A small random generator. The seed makes a failure repeatable. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
