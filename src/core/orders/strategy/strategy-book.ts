import { brokerFailure } from '../../brokers/index.js'
import { messageOf, ServiceError } from '../../errors/index.js'
import { type SymbolRef, symbolKey } from '../../market/schema.js'
import { fromMoney, type Money, toMoney } from '../../money/index.js'
import { type Clock, sessionDate, sessionStart } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { OrderJournal, TaggedOrder } from '../journal/journal.js'
import type { LiveExecution } from '../ports.js'
import type { Action, Product } from '../schema.js'
import {
  averagePrice,
  type LegRules,
  legsOf,
  openProfit,
  type StrategyFill,
  type StrategyLeg,
} from './pnl.js'

export interface StrategyBookParts {
  mode(): TradingMode
  clock: Clock
  journal: Pick<OrderJournal, 'ofStrategy'>
  broker: Pick<LiveExecution, 'client'>
  /** All trades of a strategy in the sandbox, and its current positions. */
  sandbox: {
    fills(userId: string, strategy: string): Promise<StrategyFill[]>
    positions(userId: string): Promise<{ data: readonly object[] }>
  }
  contractValue(ref: SymbolRef): number
  /** Returns the last price of a contract without a position. */
  quote(ref: SymbolRef): Promise<number | undefined>
}

/** A contract of the answer. Without a price `ltp` and `unrealized` are null. */
export interface StrategyPnlLeg {
  symbol: string
  exchange: string
  product: Product
  quantity: number
  average_price: number
  ltp: number | null
  realized: number
  today_realized: number
  unrealized: number | null
}

export interface StrategyPnl {
  strategy: string
  realized: number
  today_realized: number
  unrealized: number
  total: number
  today_total: number
  open_quantity: number
  unpriced_legs: number
  legs: StrategyPnlLeg[]
}

/**
 * The profit of a strategy by the tag of its orders. In Live mode it comes from the journal and the broker's
 * order book of today, in Analyzer mode from the sandbox's trades.
 */
export class StrategyBook {
  constructor(private readonly parts: StrategyBookParts) {}

  /**
   * Returns a strategy's profit; zeros if it is unknown. @throws ServiceError when a required book cannot be
   * read
   */
  async profit(userId: string, strategy: string): Promise<StrategyPnl> {
    const isLive = this.parts.mode() === 'live'
    const fills = await explained('Strategy book unavailable', () =>
      isLive ? this.#liveFills(userId, strategy) : this.parts.sandbox.fills(userId, strategy),
    )
    const legs = legsOf(fills, this.#rules(isLive))
    const open = legs.filter(({ quantity }) => quantity !== 0)
    const prices = open.length === 0 ? NO_PRICES : await this.#prices(userId, isLive, open)
    return this.#answer(strategy, legs, prices)
  }

  #rules(isLive: boolean): LegRules {
    return {
      sessionOf: (at) => sessionDate(at),
      session: sessionDate(this.parts.clock.now()),
      // The broker squares off intraday positions without our tag. The sandbox's trades include its own
      // square-off.
      endsWithSession: ({ product, exchange }) => isLive && product === 'MIS' && exchange !== 'CRYPTO',
      contractValue: (ref) => this.parts.contractValue(ref),
    }
  }

  /** Returns the live fills: today's from the broker's book, those of earlier days from their last update. */
  async #liveFills(userId: string, strategy: string): Promise<StrategyFill[]> {
    const orders = await this.parts.journal.ofStrategy(userId, strategy)
    if (orders.length === 0) return []
    const today = orders.some(({ createdAt }) => createdAt >= sessionStart(this.parts.clock.now()))
      ? await this.parts.broker.client().orders.list()
      : []
    return orders.flatMap((order) => {
      const known = today.find(({ orderId, tag }) => orderId === order.orderId || tag === order.orderRef)
      return known
        ? fillOf(order, known.filledQuantity, known.averagePrice, known.timestamp)
        : fillOf(order, order.filled?.quantity ?? 0, order.filled?.price ?? 0, order.filled?.at ?? 0)
    })
  }

  async #prices(
    userId: string,
    isLive: boolean,
    open: readonly StrategyLeg[],
  ): Promise<ReadonlyMap<string, Money>> {
    const prices = new Map<string, Money>()
    const rows = await explained('Position book unavailable, cannot value open legs', () =>
      isLive ? this.parts.broker.client().portfolio.positions() : this.#simulatedPositions(userId),
    )
    for (const row of rows) if (row.ltp > 0) prices.set(symbolKey(row), toMoney(row.ltp))
    await Promise.all(
      open.map(async (leg) => {
        const ltp = prices.has(symbolKey(leg)) ? undefined : await this.parts.quote(leg)
        if (ltp !== undefined && ltp > 0) prices.set(symbolKey(leg), toMoney(ltp))
      }),
    )
    return prices
  }

  async #simulatedPositions(userId: string): Promise<(SymbolRef & { ltp: number })[]> {
    const { data } = await this.parts.sandbox.positions(userId)
    return data.flatMap((row) =>
      'symbol' in row && 'exchange' in row && 'ltp' in row
        ? [{ symbol: String(row.symbol), exchange: String(row.exchange), ltp: Number(row.ltp) }]
        : [],
    )
  }

  #answer(strategy: string, legs: readonly StrategyLeg[], prices: ReadonlyMap<string, Money>): StrategyPnl {
    const valued = legs
      .map((leg) => ({ leg, ltp: prices.get(symbolKey(leg)), profit: this.#openProfit(leg, prices) }))
      .toSorted((a, b) => Number(b.leg.quantity !== 0) - Number(a.leg.quantity !== 0))
    const sum = (of: (row: (typeof valued)[number]) => Money) =>
      valued.reduce((all, row) => all + of(row), 0n)
    const realized = sum(({ leg }) => leg.realized)
    const today = sum(({ leg }) => leg.todayRealized)
    const unrealized = sum(({ profit }) => profit ?? 0n)
    return {
      strategy,
      realized: fromMoney(realized),
      today_realized: fromMoney(today),
      unrealized: fromMoney(unrealized),
      total: fromMoney(realized + unrealized),
      today_total: fromMoney(today + unrealized),
      open_quantity: legs.reduce((all, { quantity }) => all + Math.abs(quantity), 0),
      unpriced_legs: valued.filter(({ profit }) => profit === undefined).length,
      legs: valued.map(({ leg, ltp, profit }) => ({
        symbol: leg.symbol,
        exchange: leg.exchange,
        product: leg.product,
        quantity: leg.quantity,
        average_price: averagePrice(leg),
        ltp: ltp === undefined ? null : fromMoney(ltp),
        realized: fromMoney(leg.realized),
        today_realized: fromMoney(leg.todayRealized),
        unrealized: profit === undefined ? null : fromMoney(profit),
      })),
    }
  }

  /** Returns the open profit; undefined for an open leg without a price. */
  #openProfit(leg: StrategyLeg, prices: ReadonlyMap<string, Money>): Money | undefined {
    if (leg.quantity === 0) return 0n
    const ltp = prices.get(symbolKey(leg))
    return ltp === undefined ? undefined : openProfit(leg, ltp, this.parts.contractValue(leg))
  }
}

const NO_PRICES: ReadonlyMap<string, Money> = new Map()

const PRODUCTS: readonly Product[] = ['CNC', 'MIS', 'NRML']
const ACTIONS: readonly Action[] = ['BUY', 'SELL']

function fillOf(
  { symbol, exchange, closesOnly, ...order }: TaggedOrder,
  quantity: number,
  price: number,
  at: number,
): StrategyFill[] {
  const product = PRODUCTS.find((one) => one === order.product)
  const action = ACTIONS.find((one) => one === order.action)
  if (!product || !action || !(quantity > 0)) return []
  return [{ symbol, exchange, product, action, quantity, price: toMoney(price), at, closesOnly }]
}

/** Runs `work` and prefixes the text of its failure with the value that it could not read. */
async function explained<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const error = brokerFailure(thrown)
    if (!(error instanceof ServiceError)) throw error
    const { code, httpStatus } = error
    throw new ServiceError(code, `${what}: ${messageOf(error)}`, { httpStatus, cause: thrown })
  }
}
