import type { BrokerClient } from '../../brokers/broker.js'
import { brokerFailure } from '../../brokers/index.js'
import { messageOf, ServiceError } from '../../errors/index.js'
import { type SymbolRef, symbolKey } from '../../market/schema.js'
import { exactQuantity, fromMoney, type Money, timesContract, toMoney } from '../../money/index.js'
import { type Clock, sessionDate, sessionStart } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { Fill, OrderJournal, UnfinishedOrder } from '../journal/journal.js'
import { earliestSending, mayTradeToday, type SessionOf } from '../journal/reconciliation/absence.js'
import { ACTIONS, PRODUCTS, type Product } from '../schema.js'
import { addedFill } from './live-fills.js'
import {
  averagePrice,
  type LegRules,
  legAfter,
  legIn,
  openProfit,
  type StrategyFill,
  type StrategyLeg,
} from './pnl.js'
import { type AccountRow, type StrategyShare, sharesOf } from './shares.js'
import type { StrategyTotals } from './totals.js'

/** Returns how many orders with a tag may still trade. */
type CountWorking = (userId: string, strategy: string) => Promise<number>
type Totals = Pick<StrategyTotals, 'of' | 'ofSession' | 'catchUp' | 'close'>

interface StrategyBookParts {
  mode(): TradingMode
  clock: Clock
  journal: Pick<OrderJournal, 'unfinishedOf' | 'waitingOf' | 'filledThrough'>
  broker: {
    client(): {
      orders: Pick<BrokerClient['orders'], 'list'>
      portfolio: Pick<BrokerClient['portfolio'], 'positions'>
    }
  }
  /** The running totals of live fills, the rules they follow, and the number of live orders that may still trade. */
  live: { totals: Totals; rules: LegRules; working: CountWorking }
  /** The same of the sandbox, and its positions. `concluded` resolves when the decisions of the sandbox are stored. */
  sandbox: {
    totals: Totals
    rules: LegRules
    working: CountWorking
    concluded(): Promise<void>
    positions(userId: string): Promise<readonly (SymbolRef & { ltp: number })[]>
  }
  contractValue(ref: SymbolRef): number
  /** Returns the hours of an exchange on a date. */
  sessionOf: SessionOf
  /** Returns the last price of a contract without a position. */
  quote(ref: SymbolRef): Promise<number | undefined>
}

/** A contract of the answer. Without a price `ltp` and `unrealized` are null. */
interface StrategyPnlLeg {
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
  working_orders: number
  unpriced_legs: number
  legs: StrategyPnlLeg[]
}

/**
 * Computes the profit of a strategy from the orders with its tag. Live mode reads the fills of the journal,
 * and the broker's order book for today's orders that may have filled further. Analyzer mode reads the
 * sandbox's trades.
 */
export class StrategyBook {
  constructor(private readonly parts: StrategyBookParts) {}

  /**
   * Returns a strategy's profit; zeros if it is unknown. @throws ServiceError when a required book cannot be
   * read
   */
  async profit(userId: string, strategy: string): Promise<StrategyPnl> {
    const isLive = this.parts.mode() === 'live'
    const { rules, working } = isLive ? this.parts.live : this.parts.sandbox
    // Read the orders before the fills: an order that fills between the reads counts twice rather than not at all.
    const workingOrders = await explained('Strategy book unavailable', () => working(userId, strategy))
    const all = await explained('Strategy book unavailable', () =>
      isLive ? this.#liveLegs(userId, strategy) : this.#simulatedLegs(userId, strategy),
    )
    const session = sessionDate(this.parts.clock.now())
    const legs = all.map((leg) => legIn(session, leg, rules))
    const open = legs.filter(({ quantity }) => quantity !== 0)
    const prices = open.length === 0 ? NO_PRICES : await this.#prices(userId, isLive, open)
    return { ...this.#answer(strategy, legs, prices), working_orders: workingOrders }
  }

  /**
   * Splits today's profit of the position book by strategy. Live fills that the journal does not have yet are in the rest.
   * @param rows the position book of this mode
   */
  async shares(userId: string, rows: readonly AccountRow[]): Promise<StrategyShare[]> {
    const { clock, contractValue, live, mode, sandbox } = this.parts
    const isLive = mode() === 'live'
    const { rules, totals } = isLive ? live : sandbox
    const session = sessionDate(clock.now())
    const legs = await explained('Strategy book unavailable', async () => {
      if (!isLive) await sandbox.concluded()
      return totals.ofSession(userId, session)
    })
    const now = legs
      .map(({ leg, strategy }) => ({ strategy, leg: legIn(session, leg, rules), before: leg }))
      .filter(({ before, leg }) => leg.quantity !== 0 || before.session >= session)
    return sharesOf(now, rows, contractValue)
  }

  /** Updates the stored totals, so that no read has many fills to add, for example after an upgrade. */
  async catchUp(): Promise<void> {
    await Promise.all([this.parts.live.totals.catchUp(), this.parts.sandbox.totals.catchUp()])
  }

  async close(): Promise<void> {
    await Promise.all([this.parts.live.totals.close(), this.parts.sandbox.totals.close()])
  }

  async #simulatedLegs(userId: string, strategy: string): Promise<StrategyLeg[]> {
    await this.parts.sandbox.concluded()
    return (await this.parts.sandbox.totals.of(userId, strategy)).legs
  }

  /** Returns the totals of the journal, plus the fills that only today's order book of the broker has. */
  async #liveLegs(userId: string, strategy: string): Promise<StrategyLeg[]> {
    const { journal, broker, live } = this.parts
    // Read the orders before the totals: an order that fills between the reads is in the totals already.
    const unfinished = await this.#unfinished(userId, strategy)
    const { legs, through } = await live.totals.of(userId, strategy)
    if (unfinished.length === 0) return legs
    const [book, filled] = await Promise.all([
      broker.client().orders.list(),
      journal.filledThrough(
        unfinished.map(({ orderRef }) => orderRef),
        through,
      ),
    ])
    const added = unfinished.flatMap((order) => {
      const known = book.find(({ orderId, tag }) => orderId === order.orderId || tag === order.orderRef)
      return known ? fillOf(order, filled.get(order.orderRef), known) : []
    })
    return withFills(
      legs,
      added.toSorted((a, b) => a.at - b.at),
      live.rules,
    )
  }

  /** Returns the orders that may trade today: those of this session, and earlier ones that waited for the open of this day. */
  async #unfinished(userId: string, strategy: string): Promise<UnfinishedOrder[]> {
    const { clock, journal, sessionOf } = this.parts
    const now = clock.now()
    const today = sessionStart(now)
    const [sent, waiting] = await Promise.all([
      journal.unfinishedOf(userId, strategy, today),
      journal.waitingOf(userId, strategy, { since: earliestSending(now), before: today }),
    ])
    return [...sent, ...waiting.filter((order) => mayTradeToday(order, now, sessionOf))]
  }

  async #prices(
    userId: string,
    isLive: boolean,
    open: readonly StrategyLeg[],
  ): Promise<ReadonlyMap<string, Money>> {
    const prices = new Map<string, Money>()
    const rows = await explained('Position book unavailable, cannot value open legs', () =>
      isLive ? this.parts.broker.client().portfolio.positions() : this.parts.sandbox.positions(userId),
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

  #answer(
    strategy: string,
    legs: readonly StrategyLeg[],
    prices: ReadonlyMap<string, Money>,
  ): Omit<StrategyPnl, 'working_orders'> {
    const valued = legs
      .map((row) => this.#inUnits(row))
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
      open_quantity: exactQuantity(legs.reduce((all, { quantity }) => all + Math.abs(quantity), 0)),
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

  /** Returns the leg with its profit times the multiplier of the contract. */
  #inUnits(leg: StrategyLeg): StrategyLeg {
    const value = this.parts.contractValue(leg)
    const { realized, todayRealized } = leg
    return {
      ...leg,
      realized: timesContract(realized, value),
      todayRealized: timesContract(todayRealized, value),
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

interface Reported {
  filledQuantity: number
  averagePrice: number
  timestamp: number
}

/** Returns the part of a broker's report that the journal does not hold yet. */
function fillOf(order: UnfinishedOrder, filled: Fill | undefined, known: Reported): StrategyFill[] {
  const product = PRODUCTS.find((one) => one === order.product)
  const action = ACTIONS.find((one) => one === order.action)
  const added = addedFill(filled, { quantity: known.filledQuantity, price: known.averagePrice })
  if (!product || !action || !added) return []
  const { symbol, exchange, closesOnly } = order
  return [{ symbol, exchange, product, action, ...added, at: known.timestamp, closesOnly }]
}

function withFills(
  legs: readonly StrategyLeg[],
  fills: readonly StrategyFill[],
  rules: LegRules,
): StrategyLeg[] {
  const keyOf = ({ exchange, symbol, product }: StrategyLeg | StrategyFill) =>
    `${exchange}:${symbol}:${product}`
  const byContract = new Map(legs.map((leg) => [keyOf(leg), leg]))
  for (const fill of fills) {
    const leg = legAfter(byContract.get(keyOf(fill)), fill, rules)
    if (leg) byContract.set(keyOf(fill), leg)
  }
  return [...byContract.values()]
}

/** Runs `work` and prefixes the text of its failure with the value that it could not read. */
async function explained<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const error = brokerFailure(thrown)
    if (!(error instanceof ServiceError)) throw error
    const { brokerStatus, code, reason } = error
    throw new ServiceError(code, `${what}: ${messageOf(error)}`, { brokerStatus, reason, cause: thrown })
  }
}
