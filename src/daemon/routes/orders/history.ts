import type { SymbolRef } from '../../../core/market/schema.js'
import type { HistoryQuery, PastOrder, PastStatus, PastTrade } from '../../../core/orders/index.js'
import type { TradingMode } from '../../../core/trading/index.js'
import type { Handlers } from '../../http/handlers.js'

/** The past orders and trades of one trading mode. */
interface History {
  orders(userId: string, query: HistoryQuery & { status?: PastStatus | undefined }): Promise<PastOrder[]>
  trades(userId: string, query: HistoryQuery): Promise<PastTrade[]>
}

export interface HistoryParts {
  histories: Readonly<Record<TradingMode, History>>
  mode(): TradingMode
  /** Returns the multiplier of a contract. */
  contractValue(ref: SymbolRef): number | undefined
}

/** Returns the handlers for orders and trades of all sessions. */
export function historyHandlers({ contractValue, histories, mode: current }: HistoryParts) {
  const sized = (row: PastTrade) => {
    const value = contractValue(row) ?? 1
    return { ...tradeView(row), ...(value !== 1 && { contract_value: value }) }
  }
  return {
    'GET /orders/history': async ({ query: { mode = current(), limit, ...query } }, { username }) => {
      const rows = await histories[mode].orders(username, { ...query, limit: limit + 1 })
      return { status: 'success', mode, ...pageOf(rows, limit, orderView) }
    },
    'GET /trades/history': async ({ query: { mode = current(), limit, ...query } }, { username }) => {
      const rows = await histories[mode].trades(username, { ...query, limit: limit + 1 })
      return { status: 'success', mode, ...pageOf(rows, limit, sized) }
    },
  } satisfies Partial<Handlers>
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

function tradeView(row: PastTrade) {
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
  }
}
