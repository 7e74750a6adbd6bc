import { crashPoint, messageOf, ServiceError, type Veto } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Quote, QuoteNeeds, SymbolRef } from '../market/schema.js'
import { type Money, toMoney } from '../money/index.js'
import type { Database } from '../storage/index.js'
import { type Clock, nextRollover, SECOND_MS, sessionDate } from '../time/index.js'
import { ExpiryTimer } from './clock/expiry-timer.js'
import { Engine } from './engine/engine.js'
import type { Decision } from './engine/execution.js'
import { isPrice } from './engine/matching.js'
import type { SandboxState } from './engine/state.js'
import { PricePoller } from './market/price-poller.js'
import { Watchlist } from './market/watchlist.js'
import type { DayMark, SandboxCalendar, SandboxEvent, SandboxInstruments, SandboxMarket } from './schema.js'
import { SandboxSettings } from './settings.js'
import { Changes } from './storage/changes.js'
import { Persister } from './storage/persister.js'
import type { SandboxStore } from './storage/store.js'

export interface SandboxOptions {
  db: Database
  clock: Clock
  instruments: SandboxInstruments
  calendar: SandboxCalendar
  market: SandboxMarket
  /** Returns why GTTs may not fire now; asked each time a trigger is reached. Without it they always may. */
  stopped?: Veto
  /** Receives every event after its change is durable. Must not throw or block. */
  publish: (event: SandboxEvent) => void
  /** Receives the ids of orders after their change is durable. Must not throw or block. */
  onOrders?: (orderIds: readonly string[]) => void
  /** Receives the users whose accounts were reset, after the reset is durable. Must not throw or block. */
  onReset?: (userIds: readonly string[]) => void
  log: Logger
}

/** The number of times the runtime asks the market before it decides an order without a price. */
const QUOTE_ATTEMPTS = 3

/**
 * Runs the engine: loads it from disk, feeds it ticks, makes decisions on it, and answers them once they are
 * durable. After a failed flush or decision, it drops the memory and reads it back from disk before the next
 * decision.
 */
export class Runtime {
  readonly store: SandboxStore
  readonly #options: SandboxOptions
  readonly #nextOrderId: () => string
  readonly #persister: Persister
  readonly #watchlist: Watchlist
  readonly #poller: PricePoller
  readonly #expiry: ExpiryTimer
  #engine: Engine | undefined
  #loading: Promise<void> | undefined
  #running = false
  /** The current session date, with its start and end. */
  #session = { date: '', until: 0, from: 0 }

  constructor(options: SandboxOptions, store: SandboxStore, nextOrderId: () => string) {
    this.#options = options
    this.#nextOrderId = nextOrderId
    this.store = store
    this.#persister = new Persister({
      write: (take) => this.store.write(take),
      committed: (changes) => this.#announce(changes),
      failed: (error) => this.#forget('sandbox.flush_failed', error),
    })
    const { clock, market } = options
    this.#watchlist = new Watchlist(
      market,
      {
        onQuote: (quote) => this.#onQuote(quote),
        onMoved: (key) => this.#engine?.state.priceMoved(key),
      },
      () => clock.monotonic(),
    )
    this.#expiry = new ExpiryTimer(clock, () => this.#expire())
    this.#poller = new PricePoller({
      clock,
      intervalMs: () => Number(this.#engine?.settings.get('order_check_interval') ?? 5) * SECOND_MS,
      waitingSymbols: () => this.#engine?.state.waitingSymbols().map(refOf) ?? [],
      trades: ({ exchange }) => this.#engine?.hours.isOpen(exchange, clock.now()) ?? false,
      heardAt: (ref) => this.#watchlist.heardAt(ref),
      poll: (ref) => this.#poll(ref),
    })
  }

  get clock(): Clock {
    return this.#options.clock
  }

  /**
   * Follows the prices of waiting orders, positions and holdings, and matches waiting orders with the market
   * at once.
   */
  async start(): Promise<void> {
    this.#running = true
    const engine = await this.#ready()
    for (const key of engine.state.pricedSymbols()) this.#watchlist.add(refOf(key))
    this.#followExpiry(engine)
    const waiting = engine.state.waitingSymbols()
    if (waiting.length > 0) this.#poller.start()
    await Promise.all(waiting.map((key) => this.#poll(refOf(key))))
  }

  /** Releases the market, and keeps its last prices. Waiting orders stay, and {@link start} matches them again. */
  async stop(): Promise<void> {
    const keep = (engine: Engine, { changes }: Decision) =>
      engine.state.keepPrices((ref) => this.seen(ref)?.ltp, changes)
    // On a disk that refuses them, the rows keep their earlier prices.
    if (this.#running) await this.decide(keep).catch(() => undefined)
    this.#running = false
    this.#poller.stop()
    this.#expiry.follow(undefined)
    this.#watchlist.clear()
    await this.#persister.idle()
  }

  /**
   * Makes one decision and returns its answer when its changes are durable. @throws ServiceError from the
   * storage
   */
  async decide<Answer>(take: (engine: Engine, decision: Decision) => Answer): Promise<Answer> {
    while (!this.#engine) await this.#load()
    const answer = this.#apply(this.#engine, take)
    await this.#persister.settled()
    return answer
  }

  /**
   * Makes one decision; `durable` resolves when it is on disk and rejects when it never will be.
   * @param asOf the instant the decision is dated to; by default now
   */
  async take<Answer>(
    take: (engine: Engine, decision: Decision) => Answer,
    asOf?: number,
  ): Promise<{ answer: Answer; durable: Promise<void> }> {
    while (!this.#engine) await this.#load()
    const answer = this.#apply(this.#engine, take, asOf)
    return { answer, durable: this.#persister.settled() }
  }

  /** Reads the decided state, whether it is on disk yet or not. */
  async look<Answer>(read: (engine: Engine) => Answer): Promise<Answer> {
    return read(await this.#ready())
  }

  /**
   * Answers a question about the account from durable state. When the disk refuses decisions of other
   * requests that the answer included, it asks again, on the state on disk: a read does not fail because
   * another request's write fails. `ask` changes nothing, except that it may open an account.
   */
  async read<Answer>(ask: (engine: Engine, decision: Decision) => Answer): Promise<Answer> {
    try {
      return await this.decide(ask)
    } catch (error) {
      this.#options.log.warn('sandbox.read_from_disk', { error: messageOf(error) })
    }
    const now = this.#options.clock.now()
    return ask(await this.#stored(), { changes: new Changes(), now, session: this.#sessionAt(now) })
  }

  /** Returns an engine on a copy of one user's account: its decisions change and store nothing. */
  onCopyOf(userId: string): Promise<Engine> {
    return this.read(({ settings, state }) => this.#engineOn(state.copyOf(userId), settings))
  }

  /** Resolves when every decision until now is durable. @throws ServiceError when the disk refused one */
  settled(): Promise<void> {
    return this.#persister.settled()
  }

  /**
   * Resolves when every decision until now is durable or dropped, so that the disk holds all there is to
   * read.
   */
  async concluded(): Promise<void> {
    await this.#persister.settled().catch(() => undefined)
  }

  /**
   * Returns a usable quote, or undefined after three attempts. A tick that is newer than the market's answer
   * wins.
   */
  async quote(ref: SymbolRef, needs?: QuoteNeeds): Promise<Quote | undefined> {
    for (let attempt = 0; attempt < QUOTE_ATTEMPTS; attempt++) {
      const quote = this.#usable(ref, await this.#ask(ref, needs))
      if (quote) return quote
    }
    return undefined
  }

  /** Returns the quote that {@link quote} would give, if the market has it in memory. */
  quoteAtHand(ref: SymbolRef, needs?: QuoteNeeds): Quote | undefined {
    return this.#usable(ref, this.#options.market.fresh?.(ref, needs))
  }

  /** Returns a quote with a price, or the tick that is newer. */
  #usable(ref: SymbolRef, quote: Quote | undefined): Quote | undefined {
    if (!quote || !isPrice(quote.ltp)) return undefined
    const tick = this.#watchlist.last(ref)
    return tick && tick.timestamp > quote.timestamp ? tick : quote
  }

  /** Returns the latest price without retries: the last tick, otherwise one question to the market. */
  async glance(ref: SymbolRef): Promise<number | undefined> {
    const quote = this.#watchlist.last(ref) ?? (await this.#ask(ref))
    return quote && isPrice(quote.ltp) ? quote.ltp : undefined
  }

  /**
   * Returns the last price and the previous close, if known. The ticks of some feeds carry no previous close.
   */
  async dayMark(ref: SymbolRef): Promise<DayMark> {
    const tick = this.#watchlist.last(ref)
    const quote = tick && isPrice(tick.prevClose) ? tick : await this.#ask(ref)
    return { ltp: priceOf((tick ?? quote)?.ltp), prevClose: priceOf(quote?.prevClose) }
  }

  /** Forgets the last ticks: those of another market mean nothing here. */
  forgetTicks(): void {
    this.#watchlist.forget()
  }

  /** Returns the last tick of a symbol, if it arrived in this session. */
  tickOf(ref: SymbolRef, session: string): Quote | undefined {
    const tick = this.#watchlist.last(ref)
    const { clock } = this.#options
    const arrivedAt = clock.ago(clock.monotonic() - this.#watchlist.heardAt(ref))
    return tick && isPrice(tick.ltp) && sessionDate(arrivedAt) === session ? tick : undefined
  }

  /** Returns what the last tick of a symbol said, without a question to the market; undefined without a tick. */
  seen(ref: SymbolRef): DayMark | undefined {
    const tick = this.#watchlist.last(ref)
    return tick && { ltp: priceOf(tick.ltp), prevClose: priceOf(tick.prevClose) }
  }

  async #ask(ref: SymbolRef, needs?: QuoteNeeds): Promise<Quote | undefined> {
    try {
      return await this.#options.market.quote(ref, needs)
    } catch (error) {
      this.#options.log.warn('sandbox.quote_failed', { ...ref, error: messageOf(error) })
      return undefined
    }
  }

  #apply<Answer>(
    engine: Engine,
    take: (engine: Engine, decision: Decision) => Answer,
    asOf?: number,
  ): Answer {
    const { changes } = this.#persister
    const now = asOf ?? this.#options.clock.now()
    try {
      const session = this.#sessionAt(now)
      const isLate = asOf !== undefined && session < sessionDate(this.#options.clock.now())
      const answer = take(engine, { changes, now, session, isLate })
      this.#followPrices(engine)
      return answer
    } catch (error) {
      this.#forget('sandbox.decision_failed', error)
      this.#persister.abandon(
        new ServiceError('unavailable', 'The sandbox had to restart; nothing was executed.', {
          cause: error,
        }),
      )
      throw error
    }
  }

  #sessionAt(now: number): string {
    const known = now >= this.#session.from && now < this.#session.until
    if (!known) this.#session = { date: sessionDate(now), until: nextRollover(now), from: now }
    return this.#session.date
  }

  #onQuote(quote: Quote): void {
    const engine = this.#engine
    if (!engine || !this.#running) return
    const filled = this.#persister.changes.events.length
    try {
      this.#apply(engine, (current, decision) => current.tick(quote, decision))
    } catch {
      return
    }
    // The persister reports a failed flush. The order then waits again, and the next tick matches it.
    if (this.#persister.changes.events.length > filled) this.#persister.settled().catch(() => undefined)
  }

  async #poll(ref: SymbolRef): Promise<void> {
    const quote = await this.quote(ref)
    if (quote) this.#onQuote(quote)
  }

  /** Ends the orders whose validity is over. */
  #expire(): void {
    const engine = this.#engine
    if (!engine || !this.#running) return
    try {
      this.#apply(engine, (current, decision) => current.expire(decision))
    } catch {
      return
    }
    // The persister reports a failed flush. The orders wait again, and end with the next look.
    this.#persister.settled().catch(() => undefined)
  }

  #followExpiry({ state }: Engine): void {
    this.#expiry.follow(this.#running ? state.nextExpiry : undefined)
  }

  #followPrices(engine: Engine): void {
    this.#followExpiry(engine)
    for (const key of engine.state.takeTouched()) {
      if (!this.#running) continue
      if (engine.state.waits(key)) this.#poller.start()
      if (engine.state.needsPrice(key)) this.#watchlist.add(refOf(key))
      else this.#watchlist.remove(refOf(key))
    }
  }

  #announce(changes: Changes): void {
    if (changes.positions.size > 0) crashPoint('positions.update.afterCommit')
    const { onOrders, onReset } = this.#options
    if (onReset && changes.restarts.size > 0) onReset([...changes.restarts])
    if (onOrders && changes.orders.size > 0) onOrders([...changes.orders].map(({ orderId }) => orderId))
    for (const event of changes.events) {
      try {
        this.#options.publish(event)
      } catch (error) {
        this.#options.log.error('sandbox.publish_failed', { topic: event.topic, error: messageOf(error) })
      }
    }
  }

  /** The memory is no longer reliable: drops it, so that the next decision reads it back from disk. */
  #forget(event: string, error: unknown): void {
    this.#options.log.error(event, { error: messageOf(error) })
    this.#engine = undefined
    this.#watchlist.clear()
    this.#load().catch(() => undefined)
  }

  async #ready(): Promise<Engine> {
    while (!this.#engine) await this.#load()
    return this.#engine
  }

  #load(): Promise<void> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #read(): Promise<void> {
    await this.#persister.idle()
    try {
      this.#engine = await this.#stored()
      this.#followPrices(this.#engine)
    } catch (error) {
      this.#options.log.error('sandbox.load_failed', { error: messageOf(error) })
      throw new ServiceError('unavailable', 'The sandbox account cannot be read; nothing was executed.', {
        cause: error,
      })
    }
  }

  /** Returns the account as it is on disk. */
  async #stored(): Promise<Engine> {
    const [state, settings] = await Promise.all([this.store.load(), this.store.settings()])
    return this.#engineOn(state, new SandboxSettings(settings))
  }

  #engineOn(state: SandboxState, settings: SandboxSettings): Engine {
    return new Engine(state, settings, {
      instruments: this.#options.instruments,
      calendar: this.#options.calendar,
      alwaysOpen: () => this.#options.market.alwaysOpen?.() ?? false,
      priceBand: (ref) => this.#options.market.priceBand?.(ref),
      stopped: () => this.#options.stopped?.(),
      nextOrderId: this.#nextOrderId,
    })
  }
}

function priceOf(price: number | undefined): Money | undefined {
  return price !== undefined && isPrice(price) ? toMoney(price) : undefined
}

/** Parses `NSE:SBIN` into symbol and exchange. */
function refOf(key: string): SymbolRef {
  const colon = key.indexOf(':')
  return { exchange: key.slice(0, colon), symbol: key.slice(colon + 1) }
}
