import { z } from 'zod'
import { OrderHistory, PAST_STATUSES, type PastOrder, type PastTrade } from '../../../core/orders/index.js'
import type { TradingMode } from '../../../core/trading/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { contractValue } from '../account/book-schemas.js'
import { amount, instant, ok, text } from '../common/answers.js'
import { control, nextPage, ofHistory, page } from './control-facts.js'

const tradeHistoryQuery = z.object({
  mode: fields.oneOf(['live', 'analyze']).optional(),
  ...ofHistory,
  ...page,
})
const orderHistoryQuery = tradeHistoryQuery.extend({ status: fields.oneOf(PAST_STATUSES).optional() })

const pastFields = {
  orderid: text,
  timestamp: instant,
  symbol: text,
  exchange: text,
  action: text,
  product: text,
  quantity: amount,
  average_price: amount,
  strategy: text,
}
const tradingMode = z.enum(['live', 'analyze'])
const orderHistory = ok({
  mode: tradingMode,
  data: z.array(
    z.strictObject({
      ...pastFields,
      pricetype: text,
      filled_quantity: amount,
      price: amount,
      trigger_price: amount,
      order_status: z.enum(PAST_STATUSES),
      rejection_reason: text,
    }),
  ),
  next_before: nextPage,
})
const tradeHistory = ok({
  mode: tradingMode,
  data: z.array(z.strictObject({ ...pastFields, contract_value: contractValue })),
  next_before: nextPage,
})

/** The orders and trades of all sessions. */
export const HISTORY_OPERATIONS = {
  'GET /orders/history': control('Lists the orders of all sessions, newest first.', {
    scopes: ['read', 'orders'],
    query: orderHistoryQuery,
    example: { since: '2026-11-20T00:00:00+05:30', status: 'complete' },
    answer: orderHistory,
    errors: ['validation'],
    run: async (service, { query: { mode = service.mode(), limit, ...query } }, { username }) => {
      const rows = await historyOf(service, mode).orders(username, { ...query, limit: limit + 1 })
      return { status: 'success', mode, ...pageOf(rows, limit, orderView) }
    },
  }),
  'GET /trades/history': control('Lists the trades of all sessions, newest first.', {
    scopes: ['read', 'orders'],
    query: tradeHistoryQuery,
    example: { since: '2026-11-20T00:00:00+05:30', strategy: 'demo' },
    answer: tradeHistory,
    errors: ['validation'],
    run: async (service, { query: { mode = service.mode(), limit, ...query } }, { username }) => {
      const rows = await historyOf(service, mode).trades(username, { ...query, limit: limit + 1 })
      return { status: 'success', mode, ...pageOf(rows, limit, (row) => tradeView(row, service)) }
    },
  }),
}

function historyOf({ databases, journal, sandbox }: RunningService, mode: TradingMode) {
  return mode === 'live' ? new OrderHistory(databases.svc, journal) : sandbox.history
}

/** Returns a page from its rows and the one after it, if there is one. */
function pageOf<Row extends { key: string }, Shown>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => Shown,
) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { data: page.map(view), next_before: last?.key ?? null }
}

function orderView(row: PastOrder) {
  return {
    orderid: row.orderId,
    timestamp: new Date(row.at).toISOString(),
    symbol: row.symbol,
    exchange: row.exchange,
    action: row.action,
    product: row.product,
    pricetype: row.priceType,
    quantity: row.quantity,
    filled_quantity: row.filledQuantity,
    price: row.price,
    trigger_price: row.triggerPrice,
    average_price: row.averagePrice,
    order_status: row.status,
    rejection_reason: row.reason,
    strategy: row.strategy,
  }
}

function tradeView(row: PastTrade, { instruments }: RunningService) {
  const value = instruments.directory.find(row.symbol, row.exchange)?.contractValue ?? 1
  return {
    orderid: row.orderId,
    timestamp: new Date(row.at).toISOString(),
    symbol: row.symbol,
    exchange: row.exchange,
    action: row.action,
    product: row.product,
    quantity: row.quantity,
    average_price: row.averagePrice,
    strategy: row.strategy,
    ...(value !== 1 && { contract_value: value }),
  }
}
