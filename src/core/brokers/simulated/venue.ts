import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { toMoney } from '../../money/index.js'
import type { Database } from '../../storage/index.js'
import type { BrokerContext, BrokerOrder } from '../broker.js'
import { Exchange } from './exchange/exchange.js'
import { Ticker } from './feeds/ticker.js'
import { MarketSessions } from './market/market-sessions.js'
import { SimulatedMarket } from './market/simulated-market.js'
import type { SimulatedOptions } from './options.js'
import { PriceScript } from './replay/price-script.js'
import { Recording } from './replay/recording.js'

/**
 * One simulated market and exchange, shared by every connection to the same directory. The exchange's file
 * allows one writer, so there is one exchange. It closes with the last connection and restarts after a failed
 * write.
 */
export class SimulatedVenue {
  readonly market: SimulatedMarket
  readonly ticker: Ticker
  readonly clock: BrokerContext['clock']
  readonly #options: SimulatedOptions
  readonly #context: BrokerContext
  readonly #listeners = new Set<(order: BrokerOrder) => void>()
  #exchange: Promise<Exchange> | undefined
  /** The exchange that {@link exchange} last resolved with. */
  #opened: Exchange | undefined
  #connections = 0

  constructor(options: SimulatedOptions, context: BrokerContext) {
    this.#options = options
    this.#context = context
    this.clock = context.clock
    this.ticker = new Ticker(context.clock)
    this.market = new SimulatedMarket({
      seed: options.seed,
      underlyingOf: options.underlyingOf,
      sessions: new MarketSessions(options.sessions, options.calendar),
      instruments: () => context.instruments,
    })
    for (const { spot, bars, startAt } of options.replays)
      this.market.replay(spot, new Recording(bars, startAt))
    for (const { symbol, steps } of options.scripts) this.market.script(symbol, new PriceScript(steps))
  }

  /** Registers a connection. Opening the exchange resumes the matching of waiting orders. */
  join(): void {
    this.#connections += 1
    // The first caller of the exchange gets the error.
    this.exchange().catch(() => undefined)
  }

  /** Unregisters a connection. The last one closes the exchange's file. */
  async leave(): Promise<void> {
    this.#connections -= 1
    if (this.#connections > 0) return
    const exchange = await this.#exchange?.catch(() => undefined)
    // Another connection may have joined while the exchange was opening.
    if (this.#connections === 0) await exchange?.close()
  }

  /** Returns the open exchange. Callers queue, so that a failed exchange is reopened once for all of them. */
  exchange(): Promise<Exchange> {
    this.#exchange = this.#ensure(this.#exchange)
    return this.#exchange
  }

  /** Returns the path of the exchange's file if it was removed or replaced since it was opened. */
  missingFile(): string | undefined {
    return this.#opened?.missingFile()
  }

  /** Returns the exchange's database while it is open. */
  databases(): readonly Database[] {
    return this.#opened && !this.#opened.closed ? [this.#opened.database] : []
  }

  /** Returns the clock's time in whole seconds. */
  second(): number {
    return Math.floor(this.clock.now() / 1000)
  }

  /** Calls the listener for every order update until the returned function is called. */
  onOrderUpdate(listener: (order: BrokerOrder) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get log(): Logger {
    return this.#context.log
  }

  async #ensure(previous: Promise<Exchange> | undefined): Promise<Exchange> {
    const current = await previous?.catch(() => undefined)
    if (current?.usable) return current
    this.#opened = current && !current.closed ? await current.restart() : await this.#open()
    return this.#opened
  }

  #open(): Promise<Exchange> {
    return Exchange.open({
      directory: this.#context.stateDir,
      clock: this.clock,
      ticker: this.ticker,
      market: this.market,
      startingCash: toMoney(this.#options.startingCash),
      holdings: this.#options.holdings,
      onUpdate: (order) => this.#publish(order),
      log: this.log,
    })
  }

  #publish(order: BrokerOrder): void {
    for (const listener of this.#listeners) {
      try {
        listener(order)
      } catch (error) {
        this.log.error('simulated.listener_failed', { reason: messageOf(error) })
      }
    }
  }
}
