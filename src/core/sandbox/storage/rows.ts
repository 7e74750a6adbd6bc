import { fromColumn, toColumn } from '../../money/index.js'
import { BatchStatement, type SqlValue, type StatementRows } from '../../storage/index.js'
import type {
  sandboxDailyPnl,
  sandboxFunds,
  sandboxHoldings,
  sandboxPositions,
} from '../../storage/tables/sandbox/accounts.js'
import type { sandboxGtt, sandboxGttLegs } from '../../storage/tables/sandbox/gtt.js'
import type { sandboxOrders } from '../../storage/tables/sandbox/orders.js'
import type {
  SandboxDailyPnl,
  SandboxFunds,
  SandboxGtt,
  SandboxGttLeg,
  SandboxHolding,
  SandboxJobMark,
  SandboxOrder,
  SandboxPosition,
  SandboxTrade,
} from '../schema.js'

type OrderRow = typeof sandboxOrders.$inferSelect
type FundsRow = typeof sandboxFunds.$inferSelect
type PositionRow = typeof sandboxPositions.$inferSelect
type HoldingRow = typeof sandboxHoldings.$inferSelect
type DailyPnlRow = typeof sandboxDailyPnl.$inferSelect
type GttRow = typeof sandboxGtt.$inferSelect
type GttLegRow = typeof sandboxGttLegs.$inferSelect

export function toOrder(row: OrderRow): SandboxOrder {
  return {
    ...row,
    price: fromColumn(row.price),
    triggerPrice: fromColumn(row.triggerPrice),
    averagePrice: fromColumn(row.averagePrice),
    margin: fromColumn(row.margin),
  }
}

export function toFunds(row: FundsRow): SandboxFunds {
  return {
    ...row,
    capital: fromColumn(row.capital),
    available: fromColumn(row.available),
    used: fromColumn(row.used),
    realized: fromColumn(row.realized),
    todayRealized: fromColumn(row.todayRealized),
  }
}

export function toPosition(row: PositionRow): SandboxPosition {
  return {
    ...row,
    cost: fromColumn(row.cost),
    margin: fromColumn(row.margin),
    realized: fromColumn(row.realized),
    todayRealized: fromColumn(row.todayRealized),
    openingCost: fromColumn(row.openingCost),
    ltp: fromColumn(row.ltp),
  }
}

export function toHolding(row: HoldingRow): SandboxHolding {
  return { ...row, cost: fromColumn(row.cost), ltp: fromColumn(row.ltp) }
}

export function toDailyPnl(row: DailyPnlRow): SandboxDailyPnl {
  return {
    userId: row.userId,
    date: row.date,
    realized: fromColumn(row.realized),
    positionsUnrealized: fromColumn(row.positionsUnrealized),
    holdingsUnrealized: fromColumn(row.holdingsUnrealized),
    totalMtm: fromColumn(row.totalMtm),
    available: fromColumn(row.available),
    used: fromColumn(row.used),
    portfolioValue: fromColumn(row.portfolioValue),
  }
}

/** @param legs of this GTT, in order */
export function toGtt(row: GttRow, legs: readonly GttLegRow[]): SandboxGtt {
  return {
    ...row,
    lastPrice: fromColumn(row.lastPrice),
    margin: fromColumn(row.margin),
    legs: legs.map(
      ({ gttId: _, ...leg }): SandboxGttLeg => ({
        ...leg,
        triggerPrice: fromColumn(leg.triggerPrice),
        price: fromColumn(leg.price),
        margin: fromColumn(leg.margin),
      }),
    ),
  }
}

/** Builds one INSERT, and converts a value to its row, from one list of columns. */
class RowWriter<Value> {
  readonly #columns: readonly (readonly [string, (value: Value) => SqlValue])[]
  readonly #statement: BatchStatement

  /**
   * @param key the key columns; existing rows are replaced. Without it, a second row for a key is an error.
   */
  constructor(
    table: string,
    columns: readonly (readonly [string, (value: Value) => SqlValue])[],
    key?: readonly string[],
  ) {
    this.#columns = columns
    const names = columns.map(([name]) => name)
    const updates = names
      .filter((name) => !key?.includes(name))
      .map((name) => `"${name}" = excluded."${name}"`)
    this.#statement = new BatchStatement({
      table,
      columns: names,
      ...(key ? { onConflict: `on conflict (${key.join(', ')}) do update set ${updates.join(', ')}` } : {}),
    })
  }

  rows(values: Iterable<Value>): StatementRows {
    const rows: SqlValue[][] = []
    for (const value of values) rows.push(this.#columns.map(([, cellOf]) => cellOf(value)))
    return { statement: this.#statement, rows }
  }
}

export const ORDERS = new RowWriter<SandboxOrder>(
  'sandbox_orders',
  [
    ['order_id', (order) => order.orderId],
    ['user_id', (order) => order.userId],
    ['strategy', (order) => order.strategy],
    ['symbol', (order) => order.symbol],
    ['exchange', (order) => order.exchange],
    ['action', (order) => order.action],
    ['quantity', (order) => order.quantity],
    ['price', (order) => toColumn(order.price)],
    ['trigger_price', (order) => toColumn(order.triggerPrice)],
    ['price_type', (order) => order.priceType],
    ['product', (order) => order.product],
    ['status', (order) => order.status],
    ['average_price', (order) => toColumn(order.averagePrice)],
    ['filled_quantity', (order) => order.filledQuantity],
    ['rejection_reason', (order) => order.rejectionReason],
    ['margin_blocked', (order) => toColumn(order.margin)],
    ['margin_quantity', (order) => order.marginQuantity],
    ['gtt_leg_id', (order) => order.gttLegId],
    ['of_run', (order) => Number(order.ofRun)],
    ['created_at', (order) => order.createdAt],
    ['updated_at', (order) => order.updatedAt],
  ],
  ['order_id'],
)

export const TRADES = new RowWriter<SandboxTrade>('sandbox_trades', [
  ['trade_id', (trade) => trade.tradeId],
  ['order_id', (trade) => trade.orderId],
  ['user_id', (trade) => trade.userId],
  ['symbol', (trade) => trade.symbol],
  ['exchange', (trade) => trade.exchange],
  ['action', (trade) => trade.action],
  ['quantity', (trade) => trade.quantity],
  ['price', (trade) => toColumn(trade.price)],
  ['product', (trade) => trade.product],
  ['strategy', (trade) => trade.strategy],
  ['traded_at', (trade) => trade.tradedAt],
])

export const POSITIONS = new RowWriter<SandboxPosition>(
  'sandbox_positions',
  [
    ['user_id', (position) => position.userId],
    ['symbol', (position) => position.symbol],
    ['exchange', (position) => position.exchange],
    ['product', (position) => position.product],
    ['quantity', (position) => position.quantity],
    ['cost', (position) => toColumn(position.cost)],
    ['margin_blocked', (position) => toColumn(position.margin)],
    ['accumulated_realized_pnl', (position) => toColumn(position.realized)],
    ['today_realized_pnl', (position) => toColumn(position.todayRealized)],
    ['today_session', (position) => position.todaySession],
    ['opening_session', (position) => position.openingSession],
    ['opening_quantity', (position) => position.openingQuantity],
    ['opening_cost', (position) => toColumn(position.openingCost)],
    ['contract_value', (position) => position.contractValue],
    ['ltp', (position) => toColumn(position.ltp)],
    ['created_at', (position) => position.createdAt],
    ['opened_at', (position) => position.openedAt],
    ['updated_at', (position) => position.updatedAt],
  ],
  ['user_id', 'symbol', 'exchange', 'product'],
)

export const HOLDINGS = new RowWriter<SandboxHolding>(
  'sandbox_holdings',
  [
    ['user_id', (holding) => holding.userId],
    ['symbol', (holding) => holding.symbol],
    ['exchange', (holding) => holding.exchange],
    ['quantity', (holding) => holding.quantity],
    ['cost', (holding) => toColumn(holding.cost)],
    ['ltp', (holding) => toColumn(holding.ltp)],
    ['settled_at', (holding) => holding.settledAt],
  ],
  ['user_id', 'symbol', 'exchange'],
)

export const FUNDS = new RowWriter<SandboxFunds>(
  'sandbox_funds',
  [
    ['user_id', (funds) => funds.userId],
    ['total_capital', (funds) => toColumn(funds.capital)],
    ['available_balance', (funds) => toColumn(funds.available)],
    ['used_margin', (funds) => toColumn(funds.used)],
    ['realized_pnl', (funds) => toColumn(funds.realized)],
    ['today_realized_pnl', (funds) => toColumn(funds.todayRealized)],
    ['today_session', (funds) => funds.todaySession],
    ['last_reset_at', (funds) => funds.lastResetAt],
    ['reset_count', (funds) => funds.resetCount],
  ],
  ['user_id'],
)

export const CONFIG = new RowWriter<readonly [string, string]>(
  'sandbox_config',
  [
    ['key', ([key]) => key],
    ['value', ([, value]) => value],
  ],
  ['key'],
)

export const DAILY_PNL = new RowWriter<SandboxDailyPnl>(
  'sandbox_daily_pnl',
  [
    ['user_id', (day) => day.userId],
    ['date', (day) => day.date],
    ['realized_pnl', (day) => toColumn(day.realized)],
    ['positions_unrealized_pnl', (day) => toColumn(day.positionsUnrealized)],
    ['holdings_unrealized_pnl', (day) => toColumn(day.holdingsUnrealized)],
    ['total_mtm', (day) => toColumn(day.totalMtm)],
    ['available_balance', (day) => toColumn(day.available)],
    ['used_margin', (day) => toColumn(day.used)],
    ['portfolio_value', (day) => toColumn(day.portfolioValue)],
  ],
  ['user_id', 'date'],
)

export const GTTS = new RowWriter<SandboxGtt>(
  'sandbox_gtt',
  [
    ['gtt_id', (gtt) => gtt.gttId],
    ['user_id', (gtt) => gtt.userId],
    ['trigger_type', (gtt) => gtt.triggerType],
    ['gtt_status', (gtt) => gtt.status],
    ['symbol', (gtt) => gtt.symbol],
    ['exchange', (gtt) => gtt.exchange],
    ['last_price', (gtt) => toColumn(gtt.lastPrice)],
    ['strategy', (gtt) => gtt.strategy],
    ['margin_blocked', (gtt) => toColumn(gtt.margin)],
    ['created_at', (gtt) => gtt.createdAt],
    ['updated_at', (gtt) => gtt.updatedAt],
    ['expires_at', (gtt) => gtt.expiresAt],
  ],
  ['gtt_id'],
)

export const GTT_LEGS = new RowWriter<readonly [gttId: string, leg: SandboxGttLeg]>(
  'sandbox_gtt_legs',
  [
    ['gtt_id', ([gttId]) => gttId],
    ['leg_number', ([, leg]) => leg.legNumber],
    ['trigger_price', ([, leg]) => toColumn(leg.triggerPrice)],
    ['trigger_direction', ([, leg]) => leg.direction],
    ['action', ([, leg]) => leg.action],
    ['quantity', ([, leg]) => leg.quantity],
    ['price', ([, leg]) => toColumn(leg.price)],
    ['pricetype', ([, leg]) => leg.priceType],
    ['product', ([, leg]) => leg.product],
    ['leg_status', ([, leg]) => leg.status],
    ['triggered_order_id', ([, leg]) => leg.triggeredOrderId],
    ['leg_margin', ([, leg]) => toColumn(leg.margin)],
    ['claimed_at', ([, leg]) => leg.claimedAt],
  ],
  ['gtt_id', 'leg_number'],
)

export const JOBS = new RowWriter<SandboxJobMark>(
  'sandbox_jobs',
  [
    ['job', (mark) => mark.job],
    ['slot', (mark) => mark.slot],
    ['due_at', (mark) => mark.dueAt],
    ['ran_at', (mark) => mark.ranAt],
  ],
  ['job', 'slot'],
)
