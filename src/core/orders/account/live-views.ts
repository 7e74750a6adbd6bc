import type { BrokerHolding, BrokerOrder, BrokerPosition, BrokerTrade } from '../../brokers/broker.js'
import type { OrderRow } from '../../events/index.js'
import { costAt, type Money, percentOf, timesQuantity, toMoney, toRupees } from '../../money/index.js'
import { istDateTime, istTime } from '../../time/index.js'

/* The rows of a broker's books in the shape of the public API (docs/api.md, "Account"); amounts in whole paise. */

/** Rounds a broker's rupees to paise. */
const two = (rupees: number): number => toRupees(toMoney(rupees))
const sum = <Row>(rows: readonly Row[], of: (row: Row) => Money): Money =>
  rows.reduce((total, row) => total + of(row), 0n)
/**
 * Returns the cost of a holding. An average price has more decimals than money, so only the cost is rounded.
 */
const costOf = (holding: { averagePrice: number; quantity: number }): Money =>
  costAt(holding.averagePrice, holding.quantity)

/**
 * Returns orders newest first. Of those of one second the later id comes first, because brokers count up; their books have an
 * order of their own.
 */
export function newestFirst<Order extends Pick<BrokerOrder, 'orderId' | 'timestamp'>>(
  orders: readonly Order[],
): Order[] {
  return orders.toSorted((a, b) => b.timestamp - a.timestamp || compareIds(b.orderId, a.orderId))
}

/** Compares ids as numbers, however long they are; other texts by their letters. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b))
}

/** Returns what the events show of a broker's order. */
export function liveOrderRow(order: BrokerOrder) {
  return {
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    quantity: order.quantity,
    price: order.price,
    trigger_price: order.triggerPrice,
    pricetype: order.priceType,
    product: order.product,
    orderid: order.orderId,
    order_status: order.status,
    average_price: order.averagePrice,
    filled_quantity: order.filledQuantity,
    pending_quantity: order.pendingQuantity,
    rejection_reason: order.rejectionReason,
  } satisfies OrderRow
}

/** Returns a row of the live order book. */
export function liveOrder(order: BrokerOrder) {
  const price = order.priceType === 'MARKET' ? 0 : order.price
  const { disclosedQuantity } = order
  return {
    ...liveOrderRow(order),
    price,
    ...(disclosedQuantity !== undefined && { disclosed_quantity: disclosedQuantity }),
    timestamp: istDateTime(order.timestamp),
  }
}

export function liveOrderStatus(order: BrokerOrder) {
  return { ...liveOrder(order), average_price: order.status === 'complete' ? order.averagePrice : 0 }
}

export function liveTrade(trade: BrokerTrade) {
  return {
    symbol: trade.symbol,
    exchange: trade.exchange,
    product: trade.product,
    action: trade.action,
    quantity: trade.quantity,
    average_price: trade.price,
    trade_value: toRupees(timesQuantity(toMoney(trade.price), trade.quantity)),
    orderid: trade.orderId,
    timestamp: istTime(trade.timestamp),
  }
}

export function livePosition(position: BrokerPosition) {
  return {
    symbol: position.symbol,
    exchange: position.exchange,
    product: position.product,
    quantity: position.quantity,
    pnl: two(position.pnl),
    average_price: position.averagePrice,
    ltp: position.ltp,
    ...(position.unsettled !== undefined && { warning: position.unsettled }),
  }
}

export function liveHolding(holding: BrokerHolding) {
  return {
    symbol: holding.symbol,
    exchange: holding.exchange,
    quantity: holding.quantity,
    product: holding.product,
    average_price: two(holding.averagePrice),
    ltp: two(holding.ltp),
    pnl: two(holding.pnl),
    pnlpercent: percentOf(toMoney(holding.pnl), costOf(holding)),
  }
}

export function orderStatistics(orders: readonly BrokerOrder[]) {
  const count = (test: (order: BrokerOrder) => boolean) => orders.filter(test).length
  return {
    total_buy_orders: count((order) => order.action === 'BUY'),
    total_sell_orders: count((order) => order.action === 'SELL'),
    total_completed_orders: count((order) => order.status === 'complete'),
    total_open_orders: count((order) => order.status === 'open'),
    total_rejected_orders: count((order) => order.status === 'rejected'),
  }
}

export function holdingStatistics(rows: readonly BrokerHolding[]) {
  const invested = sum(rows, costOf)
  const pnl = sum(rows, (row) => toMoney(row.pnl))
  return {
    totalholdingvalue: toRupees(sum(rows, ({ ltp, quantity }) => timesQuantity(toMoney(ltp), quantity))),
    totalinvvalue: toRupees(invested),
    totalprofitandloss: toRupees(pnl),
    totalpnlpercentage: percentOf(pnl, invested),
  }
}
