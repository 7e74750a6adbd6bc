import type { BrokerOrder } from '../../brokers/broker.js'
import { brokerFailure } from '../../brokers/index.js'
import { ServiceError } from '../../errors/index.js'
import type { SymbolRef } from '../../market/schema.js'
import { exactQuantity, timesContract, toMoney, toRupees } from '../../money/index.js'
import type { TradingMode } from '../../trading/index.js'
import { orderIdAt } from '../journal/broker-id.js'
import type { JournalRow, OrderJournal } from '../journal/journal.js'
import { isOrderRef } from '../order-ref.js'
import type { LiveExecution } from '../ports.js'
import type { PositionRef } from '../schema.js'
import { instructionsIn } from '../schema.js'
import type {
  FundsView,
  HoldingsView,
  OrderBookView,
  OrderView,
  PositionBookView,
  TradeView,
} from './book-rows.js'
import {
  holdingStatistics,
  liveHolding,
  liveOrder,
  liveOrderStatus,
  livePosition,
  liveTrade,
  newestFirst,
  orderStatistics,
} from './live-views.js'
import { isIn } from './positions.js'

/** The books of the sandbox, in the shapes of the public API. */
export interface SandboxViews {
  books: {
    order(userId: string, orderId: string): Promise<OrderView | undefined>
    orderbook(userId: string): Promise<OrderBookView>
    tradebook(userId: string): Promise<TradeView[]>
    positions(userId: string): Promise<PositionBookView>
    holdings(userId: string): Promise<HoldingsView>
    funds(userId: string): Promise<FundsView>
  }
  /** Signed net quantity; 0 without a position. */
  openPosition(userId: string, ref: PositionRef): Promise<number>
}

interface AccountViewsParts {
  mode(): TradingMode
  broker: LiveExecution
  sandbox: SandboxViews
  journal: OrderJournal
  /** Returns the multiplier of a contract. */
  contractValue(ref: SymbolRef): number | undefined
}

/**
 * The orders, trades, positions, holdings and funds of an account, in the shapes of the public API
 * (docs/api.md, "Account"). They come from the broker in Live mode, and from the sandbox in Analyzer mode.
 */
export class AccountViews {
  constructor(private readonly parts: AccountViewsParts) {}

  /** Returns the views of this mode, whatever the mode of the service is. */
  of(mode: TradingMode): AccountViews {
    return new AccountViews({ ...this.parts, mode: () => mode })
  }

  async orderbook(userId: string) {
    if (this.#simulated()) {
      const { orders, statistics } = await this.parts.sandbox.books.orderbook(userId)
      return simulated({ data: { orders: orders.map((row) => this.#sized(row, row)), statistics } })
    }
    const listed = await this.#ask((client) => client.orders.list())
    const orders = newestFirst(listed)
    const rows = orders.map((order) => this.#sized(order, liveOrder(order)))
    return { data: { orders: rows, statistics: orderStatistics(orders) } }
  }

  async tradebook(userId: string) {
    if (this.#simulated()) {
      const trades = await this.parts.sandbox.books.tradebook(userId)
      return simulated({ data: trades.map((trade) => this.#sizedTrade(trade, trade)) })
    }
    const trades = await this.#ask((client) => client.orders.trades())
    return { data: trades.map((trade) => this.#sizedTrade(trade, liveTrade(trade))) }
  }

  async positionbook(userId: string) {
    if (this.#simulated()) {
      const { positions, ...totals } = await this.parts.sandbox.books.positions(userId)
      return simulated({ data: positions.map((row) => this.#sized(row, row)), ...totals })
    }
    const positions = await this.#ask((client) => client.portfolio.positions())
    return { data: positions.map((position) => this.#sized(position, livePosition(position))) }
  }

  /** Returns a row with the multiplier of its contract. Without it, price times quantity is the value. */
  #sized<Row extends object>(ref: SymbolRef, row: Row): Row & { contract_value?: number } {
    const value = this.parts.contractValue(ref) ?? 1
    return value === 1 ? row : { ...row, contract_value: value }
  }

  #sizedTrade<Trade extends { trade_value: number }>(ref: SymbolRef, trade: Trade) {
    const value = this.parts.contractValue(ref) ?? 1
    const worth = toRupees(timesContract(toMoney(trade.trade_value), value))
    return this.#sized(ref, { ...trade, trade_value: worth })
  }

  /** Returns the signed net quantity of one position; 0 without a position. */
  async openPosition(userId: string, ref: PositionRef): Promise<{ quantity: number; mode?: 'analyze' }> {
    const mode = this.#simulated() ? ('analyze' as const) : undefined
    const [quantity = 0] = await this.netQuantities(userId, [ref])
    return { quantity, ...(mode && { mode }) }
  }

  /** Returns the signed net quantity of each position, with one request to the broker. */
  async netQuantities(userId: string, refs: readonly PositionRef[]): Promise<number[]> {
    if (this.#simulated()) {
      return Promise.all(refs.map((ref) => this.parts.sandbox.openPosition(userId, ref)))
    }
    const rows = await this.#ask((client) => client.portfolio.positions())
    const held = (ref: PositionRef) => rows.filter((row) => isIn(row, ref))
    return refs.map((ref) => exactQuantity(held(ref).reduce((sum, row) => sum + row.quantity, 0)))
  }

  /** Returns the profit by symbol, for the sandbox only. @throws ServiceError `refused` in Live mode */
  async pnlBySymbol(userId: string) {
    this.requireSimulated()
    const { positions, ...totals } = await this.parts.sandbox.books.positions(userId)
    const data = positions.map((row) => ({
      symbol: row.symbol,
      exchange: row.exchange,
      product: row.product,
      quantity: row.quantity,
      pnl: row.pnl,
      unrealized_pnl: row.unrealized_pnl,
      today_realized_pnl: row.today_realized_pnl,
      total_pnl_today: row.total_pnl_today,
    }))
    return simulated({ data, ...totals })
  }

  /** Refuses Live mode. @throws ServiceError `refused` */
  requireSimulated(): void {
    if (this.#simulated()) return
    throw new ServiceError('refused', 'This endpoint is only available in sandbox/analyzer mode')
  }

  async holdings(userId: string) {
    if (this.#simulated()) return simulated({ data: await this.parts.sandbox.books.holdings(userId) })
    const rows = await this.#ask((client) => client.portfolio.holdings())
    return { data: { holdings: rows.map(liveHolding), statistics: holdingStatistics(rows) } }
  }

  async funds(userId: string) {
    if (this.#simulated()) return simulated({ data: await this.parts.sandbox.books.funds(userId) })
    const funds = await this.#ask((client) => client.portfolio.funds())
    return {
      data: {
        availablecash: funds.availableCash,
        collateral: funds.collateral,
        m2munrealized: funds.unrealized,
        m2mrealized: funds.realized,
        utiliseddebits: funds.utilized,
      },
    }
  }

  /**
   * Returns one order, by the id of the broker or the sandbox, or by our own reference.
   * @throws ServiceError `not_found`
   */
  async orderStatus(userId: string, orderId: string) {
    if (isOrderRef(orderId)) return this.#byReference(userId, orderId)
    if (this.#simulated()) {
      const order = await this.parts.sandbox.books.order(userId, orderId)
      if (!order) {
        const row = await this.#journalled(userId, orderId)
        const message = this.#absence(orderId, row && 'Live')
        throw new ServiceError('not_found', message, { extra: { mode: 'analyze' } })
      }
      return simulated({ data: order })
    }
    const order = (await this.#ask((client) => client.orders.list())).find((row) => row.orderId === orderId)
    const row = await this.#journalled(userId, orderId)
    if (order) return { data: { ...liveOrderStatus(order), ...(row && journalFacts(row)) } }
    const simulatedOrder = await this.parts.sandbox.books.order(userId, orderId)
    throw new ServiceError('not_found', this.#absence(orderId, simulatedOrder && 'Analyzer'))
  }

  /** Returns the journal's row of an order of the active broker, if this service sent it for the user. */
  async #journalled(userId: string, orderId: string): Promise<JournalRow | undefined> {
    const row = await this.parts.journal.findByOrderId(this.parts.broker.brokerId, orderId)
    return row?.userId === userId ? row : undefined
  }

  #absence(orderId: string, other: 'Live' | 'Analyzer' | undefined): string {
    const missing = `Order ${orderId} not found`
    if (other === undefined) return missing
    return `${missing} in ${this.#simulated() ? 'Analyzer' : 'Live'} mode: it is an order of ${other} mode`
  }

  async #byReference(userId: string, orderRef: string) {
    const row = await this.parts.journal.find(orderRef)
    if (row?.userId !== userId) throw new ServiceError('not_found', `Order ${orderRef} not found`)
    const id = orderIdAt(this.parts.broker.brokerId, row)
    const known = id === undefined ? undefined : await this.#orderOf(id)
    // The journal has the terms of the placement; a change since then stands only in the broker's book.
    return { data: { ...journalView(row), ...(known && liveOrderStatus(known)) } }
  }

  async #orderOf(orderId: string): Promise<BrokerOrder | undefined> {
    return (await this.#ask((client) => client.orders.list())).find((row) => row.orderId === orderId)
  }

  #simulated(): boolean {
    return this.parts.mode() === 'analyze'
  }

  async #ask<T>(question: (client: ReturnType<LiveExecution['client']>) => Promise<T>): Promise<T> {
    try {
      return await question(this.parts.broker.client())
    } catch (error) {
      throw brokerFailure(error)
    }
  }
}

/** The facts that only the journal has of an order. */
function journalFacts({ algoId, orderRef, request, state, strategy }: JournalRow) {
  const asked = instructionsIn(JSON.parse(request))
  const instructions = algoId === null ? asked : { ...asked, algo_id: algoId }
  return { order_ref: orderRef, state, strategy, ...(instructions && { instructions }) }
}

/** Returns a journalled order in the form that clients receive. */
export function journalView(row: JournalRow) {
  return {
    ...journalFacts(row),
    api_type: row.operation,
    source: row.source,
    mode: row.mode,
    broker: row.broker,
    symbol: row.symbol,
    exchange: row.exchange,
    action: row.action,
    quantity: Number(row.quantity),
    product: row.product,
    orderid: row.orderId,
    trigger_id: row.triggerId,
    approval_id: row.approvalId,
    reason: row.reason,
    lookups: row.lookups,
    settled_by: row.settledBy,
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
  }
}

const simulated = <Envelope extends object>(envelope: Envelope) => ({ ...envelope, mode: 'analyze' as const })
