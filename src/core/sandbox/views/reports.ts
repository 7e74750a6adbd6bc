import { csvRecord } from '../../csv/index.js'
import { fromMoney, type Money, timesQuantity, toRupees } from '../../money/index.js'
import type { HoldingView, PositionView, TradeView } from '../../orders/index.js'
import { istDateTime, sessionDate } from '../../time/index.js'
import { realizedToday, unrealized } from '../engine/ledger.js'
import type { Runtime } from '../runtime.js'
import type { SandboxDailyPnl, SandboxPosition } from '../schema.js'
import type { MarkedAccount, MarkedAccounts } from './marked-accounts.js'
import { holdingView, type Marked, positionView, sum, tradeView } from './views.js'

/** The number of days and trades that the overview shows. */
const DAYS_SHOWN = 30
const TRADES_SHOWN = 50
const ALL = -1

/** A day of an account's history. Amounts in rupees. */
export interface DailyPnlView {
  date: string
  realized_pnl: number
  positions_unrealized_pnl: number
  holdings_unrealized_pnl: number
  total_unrealized_pnl: number
  total_mtm: number
  available_balance: number
  used_margin: number
  portfolio_value: number
}

/** A position with all profit it ever made, open or closed. */
export interface PositionReport extends PositionView {
  all_time_realized_pnl: number
  margin_blocked: number
  status: 'Open' | 'Closed'
  /** `YYYY-MM-DD HH:MM:SS` IST. */
  last_updated: string
}

interface PnlSummary {
  total_capital: number
  available_balance: number
  used_margin: number
  portfolio_value: number
  today_realized_pnl: number
  positions_unrealized_pnl: number
  holdings_unrealized_pnl: number
  today_total_mtm: number
  all_time_realized_pnl: number
  total_pnl: number
  last_reset: string
  reset_count: number
}

/** The overview of the simulated account: funds, positions, and recent days and trades. */
export interface PnlOverview {
  summary: PnlSummary
  daily_pnl: DailyPnlView[]
  positions: PositionReport[]
  holdings: HoldingView[]
  trades: TradeView[]
}

export const EXPORTS = ['daily', 'positions', 'holdings', 'trades'] as const
export type ExportKind = (typeof EXPORTS)[number]

/** Profit and history of an account, on screen and as CSV files. */
export class Reports {
  readonly #runtime: Runtime
  readonly #books: MarkedAccounts

  constructor(runtime: Runtime, books: MarkedAccounts) {
    this.#runtime = runtime
    this.#books = books
  }

  async overview(userId: string): Promise<PnlOverview> {
    const marked = await this.#books.marked(userId)
    const session = sessionDate(this.#runtime.clock.now())
    return {
      summary: summaryOf(marked, session),
      daily_pnl: (await this.#days(userId, DAYS_SHOWN)).map(dailyView),
      positions: marked.positions.map((row) => positionReport(row, session)),
      holdings: marked.holdings.map(holdingView),
      trades: await this.#trades(userId, TRADES_SHOWN),
    }
  }

  /** Returns a CSV file with a header; undefined when there are no rows. */
  async csv(userId: string, kind: ExportKind): Promise<string | undefined> {
    const rows = await this.#rows(userId, kind)
    return rows.length === 0 ? undefined : [HEADERS[kind], ...rows].map(csvRecord).join('')
  }

  async #rows(userId: string, kind: ExportKind): Promise<Cell[][]> {
    if (kind === 'daily') return (await this.#days(userId, ALL)).map(dailyView).map(dailyCells)
    if (kind === 'trades') return (await this.#trades(userId, ALL)).map(tradeCells)
    const { positions, holdings } = await this.#books.marked(userId)
    if (kind === 'holdings') return holdings.map(holdingView).map(holdingCells)
    const session = sessionDate(this.#runtime.clock.now())
    return positions.map((row) => positionReport(row, session)).map(positionCells)
  }

  async #days(userId: string, limit: number): Promise<SandboxDailyPnl[]> {
    await this.#runtime.concluded()
    return this.#runtime.store.dailyPnl(userId, limit)
  }

  async #trades(userId: string, limit: number): Promise<TradeView[]> {
    await this.#runtime.concluded()
    return (await this.#runtime.store.trades(userId, 0, limit)).map(tradeView)
  }
}

function summaryOf({ account, positions, holdings }: MarkedAccount, session: string): PnlSummary {
  const { funds } = account
  const today = realizedToday(funds, session)
  const open: Money = sum(positions, ({ row, ltp }) => unrealized(row, ltp))
  const held: Money = sum(holdings, ({ row, ltp }) => timesQuantity(ltp, row.quantity) - row.cost)
  return {
    total_capital: toRupees(funds.capital),
    available_balance: toRupees(funds.available),
    used_margin: toRupees(funds.used),
    portfolio_value: toRupees(funds.available + funds.used),
    today_realized_pnl: toRupees(today),
    positions_unrealized_pnl: toRupees(open),
    holdings_unrealized_pnl: toRupees(held),
    today_total_mtm: toRupees(today + open + held),
    all_time_realized_pnl: toRupees(funds.realized),
    total_pnl: toRupees(funds.realized + open + held),
    last_reset: istDateTime(funds.lastResetAt),
    reset_count: funds.resetCount,
  }
}

function positionReport(marked: Marked<SandboxPosition>, session: string): PositionReport {
  const { row } = marked
  return {
    ...positionView(marked, session),
    all_time_realized_pnl: toRupees(row.realized),
    margin_blocked: fromMoney(row.margin),
    status: row.quantity === 0 ? 'Closed' : 'Open',
    last_updated: istDateTime(row.updatedAt),
  }
}

const HEADERS: Readonly<Record<ExportKind, readonly string[]>> = {
  daily: [
    'Date',
    'Realized P&L',
    'Positions Unrealized',
    'Holdings Unrealized',
    'Total Unrealized',
    'Total MTM',
    'Portfolio Value',
  ],
  positions: [
    'Symbol',
    'Exchange',
    'Product',
    'Quantity',
    'Average Price',
    'LTP',
    'Unrealized P&L',
    'Today Realized P&L',
    'All-Time Realized P&L',
    'Margin Blocked',
    'Status',
    'Last Updated',
  ],
  holdings: [
    'Symbol',
    'Exchange',
    'Quantity',
    'Average Price',
    'LTP',
    'Unrealized P&L',
    'P&L %',
    'Settlement Date',
  ],
  trades: [
    'Trade ID',
    'Order ID',
    'Symbol',
    'Exchange',
    'Action',
    'Quantity',
    'Price',
    'Product',
    'Strategy',
    'Timestamp',
  ],
}

type Cell = string | number

const dailyCells = (day: DailyPnlView): Cell[] => [
  day.date,
  day.realized_pnl,
  day.positions_unrealized_pnl,
  day.holdings_unrealized_pnl,
  day.total_unrealized_pnl,
  day.total_mtm,
  day.portfolio_value,
]
const positionCells = (row: PositionReport): Cell[] => [
  row.symbol,
  row.exchange,
  row.product,
  row.quantity,
  row.average_price,
  row.ltp,
  row.unrealized_pnl,
  row.today_realized_pnl,
  row.all_time_realized_pnl,
  row.margin_blocked,
  row.status,
  row.last_updated,
]
const holdingCells = (row: HoldingView): Cell[] => [
  row.symbol,
  row.exchange,
  row.quantity,
  row.average_price,
  row.ltp,
  row.pnl,
  row.pnlpercent,
  row.settlement_date,
]
const tradeCells = (row: TradeView): Cell[] => [
  row.tradeid,
  row.orderid,
  row.symbol,
  row.exchange,
  row.action,
  row.quantity,
  row.price,
  row.product,
  row.strategy,
  row.timestamp,
]

function dailyView(day: SandboxDailyPnl): DailyPnlView {
  return {
    date: day.date,
    realized_pnl: toRupees(day.realized),
    positions_unrealized_pnl: toRupees(day.positionsUnrealized),
    holdings_unrealized_pnl: toRupees(day.holdingsUnrealized),
    total_unrealized_pnl: toRupees(day.positionsUnrealized + day.holdingsUnrealized),
    total_mtm: toRupees(day.totalMtm),
    available_balance: toRupees(day.available),
    used_margin: toRupees(day.used),
    portfolio_value: toRupees(day.portfolioValue),
  }
}
