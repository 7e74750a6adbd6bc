import { ServiceError } from '../errors/index.js'
import { toMoney, toRupees } from '../money/index.js'
import type { StrategyHistory, StrategyOrderRow, StrategyRunRow } from './store/history-store.js'

/** A run and the orders it sent. */
export interface TradedRun {
  run: StrategyRunRow
  orders: readonly StrategyOrderRow[]
}

/**
 * Returns a run of a strategy with its orders: the given run, or the newest. Undefined if the strategy has never run.
 * @throws ServiceError `not_found`
 */
export async function tradedRun(
  history: StrategyHistory,
  strategyId: number,
  runId?: number,
): Promise<TradedRun | undefined> {
  const run = runId === undefined ? (await history.runs(strategyId, 1))[0] : await history.run(runId)
  if (!run) {
    if (runId === undefined) return undefined
    throw new ServiceError('not_found', `Run ${runId} was not found`)
  }
  if (run.strategyId !== strategyId) {
    throw new ServiceError('not_found', `Run ${run.id} does not belong to strategy ${strategyId}`)
  }
  return { run, orders: await history.orders(strategyId, run.id) }
}

interface Contract {
  exchange: string
  product: string
  symbol: string
}

/** The profit columns of a position in the sandbox, in rupees. */
type Profit = Readonly<Record<'pnl' | 'unrealized_pnl' | 'today_realized_pnl' | 'total_pnl_today', number>>

/** Returns the rows of an order book or a trade book that belong to a run. */
export function rowsOfRun<Row extends { orderid: string }>(
  rows: readonly Row[],
  orders: readonly StrategyOrderRow[],
): Row[] {
  const ids = new Set(orders.flatMap(({ brokerOrderId: id }) => (id === null ? [] : [id])))
  return rows.filter(({ orderid }) => ids.has(orderid))
}

/** Counts the orders of a book, which has trigger orders only in the sandbox. */
export function orderCounts(rows: readonly { action: string; order_status: string }[]) {
  const count = (field: 'action' | 'order_status', value: string) =>
    rows.filter((row) => row[field] === value).length
  return {
    total_buy_orders: count('action', 'BUY'),
    total_sell_orders: count('action', 'SELL'),
    total_completed_orders: count('order_status', 'complete'),
    total_open_orders: count('order_status', 'open'),
    total_rejected_orders: count('order_status', 'rejected'),
    total_trigger_pending_orders: count('order_status', 'trigger pending'),
  }
}

/**
 * Returns the positions of the contracts that a run traded. A position that other orders share shows whole: the broker
 * does not divide it.
 */
export function positionsOfRun<Row extends Contract>(
  rows: readonly Row[],
  orders: readonly StrategyOrderRow[],
): Row[] {
  const keyOf = ({ exchange, product, symbol }: Contract) => JSON.stringify([exchange, symbol, product])
  const traded = new Set(orders.map(keyOf))
  return rows.filter((row) => traded.has(keyOf(row)))
}

/** Returns the sums of the profit columns of a sandbox's positions. */
export function profitTotals(rows: readonly Profit[]) {
  const total = (field: keyof Profit) => toRupees(rows.reduce((sum, row) => sum + toMoney(row[field]), 0n))
  return {
    total_pnl: total('pnl'),
    total_unrealized_pnl: total('unrealized_pnl'),
    total_today_realized_pnl: total('today_realized_pnl'),
    total_pnl_today: total('total_pnl_today'),
  }
}
