import type { BrokerOrder, BrokerPosition, BrokerTrade } from '../brokers/broker.js'
import { brokerFailure } from '../brokers/index.js'
import { ServiceError } from '../errors/index.js'
import type { TradingMode } from '../risk/index.js'
import { istDateTime, istTime } from '../time/index.js'
import type { JournalRow, OrderJournal } from './journal.js'
import { isOrderRef } from './order-ref.js'
import type { LiveExecution } from './ports.js'

type Body = Record<string, unknown>

/** The sandbox's books: what each answers beside `status` and `mode`. */
export interface SimulatedBooks {
  order(userId: string, orderId: string): Promise<object | undefined>
  orderbook(userId: string): Promise<object>
  tradebook(userId: string): Promise<object>
  positions(userId: string): Promise<object>
  holdings(userId: string): Promise<object>
  funds(userId: string): Promise<object>
}

export interface BooksParts {
  mode(): TradingMode
  broker: LiveExecution
  sandbox: SimulatedBooks
  journal: OrderJournal
}

/**
 * What an account holds: orders, trades, positions, holdings, funds, in the shapes of the public API. Live from
 * the broker, in Analyzer mode from the sandbox (contract, api-orders section 9).
 */
export class Books {
  constructor(private readonly parts: BooksParts) {}

  async orderbook(userId: string): Promise<Body> {
    if (this.#simulated()) return simulated(await this.parts.sandbox.orderbook(userId))
    const orders = (await this.#ask((client) => client.orders.list())).toSorted(
      (a, b) => b.timestamp - a.timestamp,
    )
    return { data: { orders: orders.map(liveOrder), statistics: orderStatistics(orders) } }
  }

  async tradebook(userId: string): Promise<Body> {
    if (this.#simulated()) return simulated(await this.parts.sandbox.tradebook(userId))
    return { data: (await this.#ask((client) => client.orders.trades())).map(liveTrade) }
  }

  async positionbook(userId: string): Promise<Body> {
    if (this.#simulated()) return simulated(await this.parts.sandbox.positions(userId))
    return { data: (await this.#ask((client) => client.portfolio.positions())).map(livePosition) }
  }

  async holdings(userId: string): Promise<Body> {
    if (this.#simulated()) return simulated(await this.parts.sandbox.holdings(userId))
    const rows = await this.#ask((client) => client.portfolio.holdings())
    const holdings = rows.map((row) => ({
      symbol: row.symbol,
      exchange: row.exchange,
      quantity: row.quantity,
      product: 'CNC',
      average_price: two(row.averagePrice),
      ltp: two(row.ltp),
      pnl: two(row.pnl),
      pnlpercent: percentOf(row.pnl, row.averagePrice * row.quantity),
    }))
    return { data: { holdings, statistics: holdingStatistics(rows) } }
  }

  async funds(userId: string): Promise<Body> {
    if (this.#simulated()) return simulated(await this.parts.sandbox.funds(userId))
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
   * One order, by the broker's or sandbox's id, or by our own reference.
   * @throws ServiceError `not_found`
   */
  async orderStatus(userId: string, orderId: string): Promise<Body> {
    if (isOrderRef(orderId)) return this.#byReference(userId, orderId)
    if (this.#simulated()) {
      const order = await this.parts.sandbox.order(userId, orderId)
      if (!order)
        throw new ServiceError('not_found', `Order ${orderId} not found`, { extra: { mode: 'analyze' } })
      return simulated({ data: order })
    }
    const order = (await this.#ask((client) => client.orders.list())).find((row) => row.orderId === orderId)
    if (!order) throw new ServiceError('not_found', `Order ${orderId} not found`)
    return { data: liveOrderStatus(order) }
  }

  async #byReference(userId: string, orderRef: string): Promise<Body> {
    const row = await this.parts.journal.find(orderRef)
    if (row?.userId !== userId) throw new ServiceError('not_found', `Order ${orderRef} not found`)
    const known = row.orderId === null ? undefined : await this.#orderOf(row.orderId)
    return { data: { ...(known && liveOrderStatus(known)), ...journalView(row) } }
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

/** A journalled order as clients see it. */
export function journalView(row: JournalRow): Body {
  return {
    order_ref: row.orderRef,
    state: row.state,
    api_type: row.apiType,
    source: row.source,
    mode: row.mode,
    broker: row.broker,
    symbol: row.symbol,
    exchange: row.exchange,
    action: row.action,
    quantity: Number(row.quantity),
    product: row.product,
    orderid: row.orderId,
    approval_id: row.approvalId,
    reason: row.reason,
    lookups: row.lookups,
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
  }
}

const simulated = (envelope: object): Body => ({ ...envelope, mode: 'analyze' })
const two = (value: number): number => Math.round(value * 100) / 100
const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : two((part / whole) * 100))

function liveOrder(order: BrokerOrder): Body {
  return {
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    quantity: order.quantity,
    price: order.priceType === 'MARKET' ? 0 : order.price,
    trigger_price: order.triggerPrice,
    pricetype: order.priceType,
    product: order.product,
    orderid: order.orderId,
    order_status: order.status,
    average_price: order.averagePrice,
    filled_quantity: order.filledQuantity,
    pending_quantity: order.pendingQuantity,
    rejection_reason: order.rejectionReason,
    timestamp: istDateTime(order.timestamp),
  }
}

function liveOrderStatus(order: BrokerOrder): Body {
  return { ...liveOrder(order), average_price: order.status === 'complete' ? order.averagePrice : 0 }
}

function liveTrade(trade: BrokerTrade): Body {
  return {
    symbol: trade.symbol,
    exchange: trade.exchange,
    product: trade.product,
    action: trade.action,
    quantity: trade.quantity,
    average_price: trade.price,
    trade_value: two(trade.price * trade.quantity),
    orderid: trade.orderId,
    timestamp: istTime(trade.timestamp),
  }
}

function livePosition(position: BrokerPosition): Body {
  return {
    symbol: position.symbol,
    exchange: position.exchange,
    product: position.product,
    quantity: position.quantity,
    pnl: two(position.pnl),
    average_price: position.averagePrice,
    ltp: position.ltp,
  }
}

function orderStatistics(orders: readonly BrokerOrder[]): Body {
  const count = (test: (order: BrokerOrder) => boolean) => orders.filter(test).length
  return {
    total_buy_orders: count((order) => order.action === 'BUY'),
    total_sell_orders: count((order) => order.action === 'SELL'),
    total_completed_orders: count((order) => order.status === 'complete'),
    total_open_orders: count((order) => order.status === 'open'),
    total_rejected_orders: count((order) => order.status === 'rejected'),
  }
}

function holdingStatistics(
  rows: readonly { quantity: number; averagePrice: number; ltp: number; pnl: number }[],
): Body {
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0)
  const invested = sum((row) => row.averagePrice * row.quantity)
  const pnl = sum((row) => row.pnl)
  return {
    totalholdingvalue: two(sum((row) => row.ltp * row.quantity)),
    totalinvvalue: two(invested),
    totalprofitandloss: two(pnl),
    totalpnlpercentage: percentOf(pnl, invested),
  }
}
