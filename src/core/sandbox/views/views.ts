import type { OrderRow } from '../../events/index.js'
import type { Instrument } from '../../instruments/schema.js'
import {
  fromMoney,
  type Money,
  percentOf,
  timesContract,
  timesQuantity,
  toRupees,
  unitPrice,
} from '../../money/index.js'
import type {
  FundsView,
  HoldingsView,
  HoldingView,
  OrderBookView,
  OrderView,
  PositionBookView,
  PositionView,
  TradeView,
} from '../../orders/index.js'
import { type InstructionTerms, instructionsIn, WAITING } from '../../orders/schema.js'
import { istDate, istDateTime, MINUTE_MS } from '../../time/index.js'
import { realizedToday, unrealized } from '../engine/ledger.js'
import type {
  OrderFilled,
  SandboxFunds,
  SandboxHolding,
  SandboxOrder,
  SandboxOrderUpdate,
  SandboxPosition,
  SandboxTrade,
} from '../schema.js'
import type { OpenValue } from './account-totals.js'

/** A position or holding at its last price. */
export interface Marked<Row> {
  row: Row
  ltp: Money
  instrument: Instrument | undefined
}

export function orderView(order: SandboxOrder): OrderView {
  const instructions = instructionsView(order)
  return {
    ...orderRow(order),
    timestamp: istDateTime(order.createdAt),
    strategy: order.strategy,
    ...(instructions && { instructions }),
  }
}

/** Returns what an order asks for; `amo` while it waits for the opening. */
function instructionsView(order: SandboxOrder): InstructionTerms | undefined {
  const { algoId, createdAt, expiresAt, icebergLegs, marketProtection, opensAt, validity } = order
  const isPlain = [algoId, icebergLegs, marketProtection, opensAt, validity].every((one) => one === null)
  if (isPlain) return undefined
  return instructionsIn({
    validity: validity ?? undefined,
    validity_ttl: expiresAt === null ? undefined : (expiresAt - createdAt) / MINUTE_MS,
    amo: opensAt !== null,
    iceberg_legs: icebergLegs ?? undefined,
    market_protection: marketProtection ?? undefined,
    algo_id: algoId ?? undefined,
  })
}

export function orderBookView(orders: readonly SandboxOrder[]): OrderBookView {
  const count = (matches: (order: SandboxOrder) => boolean) => orders.filter(matches).length
  return {
    orders: orders.map(orderView),
    statistics: {
      total_buy_orders: count(({ action }) => action === 'BUY'),
      total_sell_orders: count(({ action }) => action === 'SELL'),
      total_completed_orders: count(({ status }) => status === 'complete'),
      total_open_orders: count(({ status }) => status === 'open'),
      total_rejected_orders: count(({ status }) => status === 'rejected'),
      total_trigger_pending_orders: count(({ status }) => status === 'trigger pending'),
    },
  }
}

export function tradeView(trade: SandboxTrade): TradeView {
  const { user_id: _, ...filled } = orderFilled(trade)
  return {
    ...filled,
    average_price: fromMoney(trade.price),
    trade_value: toRupees(timesQuantity(trade.price, trade.quantity)),
    timestamp: istDateTime(trade.tradedAt),
  }
}

export function positionBookView(
  rows: readonly Marked<SandboxPosition>[],
  session: string,
): PositionBookView {
  const open = sum(rows, ({ row, ltp }) => unrealized(row, ltp))
  const today = sum(rows, ({ row }) => realizedToday(row, session))
  return {
    positions: rows.map((marked) => positionView(marked, session)),
    total_pnl: toRupees(open + today),
    total_unrealized_pnl: toRupees(open),
    total_today_realized_pnl: toRupees(today),
    total_pnl_today: toRupees(open + today),
  }
}

export function holdingsView(rows: readonly Marked<SandboxHolding>[]): HoldingsView {
  const invested = sum(rows, ({ row }) => row.cost)
  const value = sum(rows, ({ row, ltp }) => timesQuantity(ltp, row.quantity))
  return {
    holdings: rows.map(holdingView),
    statistics: {
      totalholdingvalue: toRupees(value),
      totalinvvalue: toRupees(invested),
      totalprofitandloss: toRupees(value - invested),
      totalpnlpercentage: percentOf(value - invested, invested),
    },
  }
}

/**
 * Returns the funds. Open profit is the profit of closing positions and holdings now; exposure is their
 * market value.
 */
export function fundsView(funds: SandboxFunds, { open, exposure }: OpenValue, session: string): FundsView {
  const today = toRupees(realizedToday(funds, session))
  return {
    availablecash: toRupees(funds.available),
    collateral: 0,
    m2munrealized: toRupees(open),
    m2mrealized: today,
    total_realized_pnl: toRupees(funds.realized),
    today_realized_pnl: today,
    utiliseddebits: toRupees(funds.used),
    grossexposure: toRupees(exposure),
    totalpnl: toRupees(funds.realized + open),
    last_reset: istDateTime(funds.lastResetAt),
    reset_count: funds.resetCount,
  }
}

export function orderUpdate(order: SandboxOrder): SandboxOrderUpdate {
  return { mode: 'analyze', user_id: order.userId, broker: 'sandbox', ...orderRow(order) }
}

/** Returns what the order book and the events show of an order. */
function orderRow(order: SandboxOrder) {
  return {
    orderid: order.orderId,
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    quantity: order.quantity,
    price: fromMoney(order.price),
    trigger_price: fromMoney(order.triggerPrice),
    pricetype: order.priceType,
    product: order.product,
    order_status: order.status,
    average_price: fromMoney(order.averagePrice),
    filled_quantity: order.filledQuantity,
    pending_quantity: pendingOf(order),
    rejection_reason: order.rejectionReason,
  } satisfies OrderRow
}

export function orderFilled(trade: SandboxTrade): OrderFilled {
  return {
    user_id: trade.userId,
    tradeid: trade.tradeId,
    orderid: trade.orderId,
    symbol: trade.symbol,
    exchange: trade.exchange,
    action: trade.action,
    quantity: trade.quantity,
    price: fromMoney(trade.price),
    product: trade.product,
    strategy: trade.strategy,
  }
}

export function positionView(
  { row, ltp, instrument }: Marked<SandboxPosition>,
  session: string,
): PositionView {
  const open = unrealized(row, ltp)
  const today = realizedToday(row, session)
  const pnl = toRupees(open + today)
  return {
    symbol: row.symbol,
    exchange: row.exchange,
    product: row.product,
    quantity: row.quantity,
    average_price: averagePrice(row, instrument),
    ltp: fromMoney(ltp),
    pnl,
    pnlpercent: percentOf(open + today, timesContract(row.cost, row.contractValue)),
    unrealized_pnl: toRupees(open),
    today_realized_pnl: toRupees(today),
    total_pnl_today: pnl,
    lot_size: instrument?.lotSize ?? 1,
  }
}

export function holdingView({ row, ltp, instrument }: Marked<SandboxHolding>): HoldingView {
  const value = timesQuantity(ltp, row.quantity)
  return {
    symbol: row.symbol,
    exchange: row.exchange,
    product: 'CNC',
    quantity: row.quantity,
    average_price: averagePrice(row, instrument),
    ltp: fromMoney(ltp),
    pnl: toRupees(value - row.cost),
    pnlpercent: percentOf(value - row.cost, row.cost),
    current_value: toRupees(value),
    settlement_date: istDate(row.settledAt),
  }
}

/**
 * Returns the average price of the open part, 0 when flat; two decimals unless the contract's own prices have
 * more.
 */
function averagePrice(row: { quantity: number; cost: Money }, instrument: Instrument | undefined): number {
  const average = unitPrice(row.cost, Math.abs(row.quantity))
  const fine = instrument !== undefined && instrument.tickSize > 0 && instrument.tickSize < 0.01
  return fine ? fromMoney(average) : toRupees(average)
}

function pendingOf(order: SandboxOrder): number {
  return WAITING.has(order.status) ? order.quantity : 0
}

export function sum<Item>(items: readonly Item[], amountOf: (item: Item) => Money): Money {
  return items.reduce((total, item) => total + amountOf(item), 0n)
}
