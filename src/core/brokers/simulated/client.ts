import { setImmediate } from 'node:timers/promises'
import type { Candle, PriceBand, Quote, SymbolRef } from '../../market/schema.js'
import type { Database } from '../../storage/index.js'
import { Pace } from '../../time/index.js'
import {
  type BrokerClient,
  BrokerError,
  type BrokerGtts,
  type BrokerMargins,
  type BrokerMarket,
  type BrokerOrders,
  type BrokerPortfolio,
} from '../broker.js'
import type { Exchange } from './exchange/exchange.js'
import type { Faults, Operation } from './faults.js'
import { SimulatedOrderFeed, SimulatedTickFeed } from './feeds/feeds.js'
import type { Contract } from './market/contract.js'
import { INTERVALS } from './market/history.js'
import type { SimulatedVenue } from './venue.js'

/** The number of quotes computed in one turn of the event loop. */
const QUOTES_PER_SLICE = 4
/** The one-minute bars computed in one turn. A week of one symbol takes no other turn. */
const MINUTES_PER_SLICE = 3_000

/** One connection to the simulated broker. The fault rules apply to every call. */
export class SimulatedClient implements BrokerClient {
  readonly orders: BrokerOrders
  readonly portfolio: BrokerPortfolio
  readonly market: BrokerMarket
  readonly gtts: BrokerGtts
  readonly margins: BrokerMargins
  readonly ticks: SimulatedTickFeed
  readonly orderEvents: SimulatedOrderFeed
  readonly #venue: SimulatedVenue
  readonly #faults: Faults
  readonly #onClose: (client: SimulatedClient) => void
  #closed = false

  constructor(venue: SimulatedVenue, faults: Faults, onClose: (client: SimulatedClient) => void) {
    this.#venue = venue
    this.#faults = faults
    this.#onClose = onClose
    this.ticks = new SimulatedTickFeed(venue, faults)
    this.orderEvents = new SimulatedOrderFeed(venue, faults)
    this.orders = {
      place: (order, tag) => this.#atExchange('place', (exchange) => exchange.place(order, tag)),
      modify: (orderId, order) => this.#atExchange('modify', (exchange) => exchange.modify(orderId, order)),
      cancel: (orderId) => this.#atExchange('cancel', (exchange) => exchange.cancel(orderId)),
      list: () => this.#atExchange('orders', (exchange) => exchange.orders()),
      trades: () => this.#atExchange('trades', (exchange) => exchange.trades()),
      findByTags: (tags) => this.#atExchange('findByTag', (exchange) => exchange.findByTags(tags)),
      order: (orderId) => this.#atExchange('findByTag', (exchange) => exchange.order(orderId)),
    }
    this.gtts = {
      place: (gtt, details) => this.#atExchange('placeGtt', (exchange) => exchange.placeGtt(gtt, details)),
      modify: (triggerId, gtt, { lastPrice }) =>
        this.#atExchange('modifyGtt', (exchange) => exchange.modifyGtt(triggerId, gtt, lastPrice)),
      cancel: (triggerId) => this.#atExchange('cancelGtt', (exchange) => exchange.cancelGtt(triggerId)),
      list: () => this.#atExchange('gtts', (exchange) => exchange.gtts()),
      findByTag: (tag) => this.#atExchange('gtts', (exchange) => exchange.findGttByTag(tag)),
    }
    this.margins = {
      estimate: (orders) => this.#atExchange('margin', (exchange) => exchange.margin(orders)),
    }
    this.portfolio = {
      positions: () => this.#atExchange('positions', (exchange) => exchange.positions()),
      holdings: () => this.#atExchange('holdings', (exchange) => exchange.holdings()),
      funds: () => this.#atExchange('funds', (exchange) => exchange.funds()),
    }
    this.market = {
      intervals: INTERVALS,
      quotes: (refs) => this.#call('quotes', () => this.#quotes(refs)),
      depth: (ref) => this.#call('depth', async () => this.#depth(ref)),
      history: (query) => this.#call('history', () => this.#history(query)),
    }
    venue.join()
  }

  /** Drops the price feed or the order updates; both stay silent until they are opened again. */
  drop(connection: 'feed' | 'orders'): void {
    if (connection === 'feed') this.ticks.drop()
    else this.orderEvents.drop()
  }

  /** Resolves when the exchange has opened its file. */
  async ready(): Promise<void> {
    await this.#venue.exchange()
  }

  priceBand(ref: SymbolRef): PriceBand | null {
    const { market } = this.#venue
    const contract = market.contract(ref)
    return (contract && market.priceBand(contract, this.#venue.second())) ?? null
  }

  missingFile(): string | undefined {
    return this.#venue.missingFile()
  }

  databases(): readonly Database[] {
    return this.#venue.databases()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.ticks.drop()
    this.orderEvents.drop()
    this.#onClose(this)
    await this.#venue.leave()
  }

  #atExchange<T>(operation: Operation, call: (exchange: Exchange) => Promise<T>): Promise<T> {
    return this.#call(operation, async () => call(await this.#venue.exchange()))
  }

  async #call<T>(operation: Operation, call: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new BrokerError('unavailable', 'The connection is closed', { sent: 'never' })
    return this.#faults.around(this.#venue.clock, operation, call)
  }

  /** Lets other work go first between quotes that must be computed, because a symbol's first quote takes milliseconds. */
  async #quotes(refs: readonly SymbolRef[]): Promise<readonly (Quote | { error: string })[]> {
    const { market } = this.#venue
    let second = this.#venue.second()
    const kept = market.keptQuotes(refs, second)
    if (kept) return kept
    const quotes: (Quote | { error: string })[] = []
    let computed = 0
    for (const ref of refs) {
      const contract = market.contract(ref)
      if (contract && !market.knows(contract, second)) {
        if (computed > 0 && computed % QUOTES_PER_SLICE === 0) {
          await setImmediate()
          second = this.#venue.second()
        }
        computed++
      }
      quotes.push(contract ? market.quote(contract, second) : { error: notFound(ref) })
    }
    // More than one slice may be quotes of more than one second.
    if (computed <= QUOTES_PER_SLICE && Object.isFrozen(refs)) market.keepQuotes(refs, second, quotes)
    return quotes
  }

  #depth(ref: SymbolRef): Awaited<ReturnType<BrokerMarket['depth']>> {
    return this.#venue.market.quoteWithDepth(this.#contract(ref), this.#venue.second())
  }

  /** Lets other work go first between the sessions of a long history. */
  async #history(
    query: SymbolRef & { interval: string; from: string; to: string },
  ): Promise<readonly Candle[]> {
    const { interval, from, to } = query
    const { clock, market } = this.#venue
    const pace = new Pace(clock, MINUTES_PER_SLICE)
    const steps = market.barsInSteps(this.#contract(query), interval, from, to, this.#venue.second())
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value
      const turn = pace.spend(step.value)
      if (turn) await turn
    }
  }

  #contract(ref: SymbolRef): Contract {
    const contract = this.#venue.market.contract(ref)
    if (contract) return contract
    throw new BrokerError('not_found', notFound(ref), { brokerStatus: 404, sent: 'yes' })
  }
}

function notFound(ref: SymbolRef): string {
  return `Symbol ${ref.symbol} not found on ${ref.exchange}`
}
