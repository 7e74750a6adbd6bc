import type { ReplayReport, ReplaySummary } from '../../../../core/strategies/replay/index.js'
import { istDate, istTime } from '../../../../core/time/index.js'
import { instantOf } from '../../../../views/table/cells.js'
import type { Column } from '../../../../views/table/column.js'
import { countText } from '../../../../views/text/count.js'
import type { Context } from '../../../framework/context.js'
import { profitChartOf } from '../../../output/charts/profit-chart.js'
import type { Output } from '../../../output/output.js'

export const VIEWS = ['summary', 'trades', 'events', 'pnl', 'runs', 'gaps'] as const
type View = (typeof VIEWS)[number]

const SUMMARY = [
  { key: 'strategy' },
  { key: 'from', kind: 'time' },
  { key: 'to', kind: 'time' },
  { key: 'days', kind: 'quantity' },
  { key: 'bars', kind: 'quantity' },
  { key: 'runs', kind: 'quantity' },
  { key: 'trades', kind: 'quantity' },
  { key: 'open', title: 'STILL OPEN', kind: 'quantity' },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  { key: 'realized', title: 'REALISED ₹', kind: 'signed' },
  { key: 'unrealized', title: 'UNREALISED ₹', kind: 'signed' },
  { key: 'max_drawdown', title: 'MAX DRAWDOWN ₹', kind: 'signed' },
  { key: 'max_drawdown_time', title: 'DEEPEST AT', kind: 'time' },
  { key: 'wins', kind: 'quantity' },
  { key: 'losses', kind: 'quantity' },
  { key: 'win_rate', title: 'WIN RATE %', kind: 'decimals' },
  { key: 'best_trade', title: 'BEST TRADE ₹', kind: 'signed' },
  { key: 'worst_trade', title: 'WORST TRADE ₹', kind: 'signed' },
  { key: 'average_trade', title: 'AVERAGE TRADE ₹', kind: 'signed' },
  { key: 'profit_factor', kind: 'decimals' },
] as const satisfies readonly Column<keyof ReplaySummary>[]

const TRADES = [
  { key: 'run', kind: 'quantity', leaves: 4 },
  { key: 'leg_id', title: 'LEG', kind: 'quantity' },
  { key: 'symbol' },
  { key: 'exchange', leaves: 5, wide: true },
  { key: 'side' },
  { key: 'quantity', kind: 'quantity' },
  { key: 'entry_time', title: 'ENTRY', kind: 'time', leaves: 2 },
  { key: 'entry_price', title: 'AT', kind: 'price' },
  { key: 'exit_time', title: 'EXIT', kind: 'time', leaves: 3 },
  { key: 'exit_price', title: 'AT', kind: 'price' },
  { key: 'exit_kind', title: 'REASON', leaves: 1 },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
] as const satisfies readonly Column<keyof ReplayReport['trades'][number]>[]

const EVENTS = [
  { key: 'time', kind: 'time' },
  { key: 'run', kind: 'quantity', leaves: 2 },
  { key: 'kind' },
  { key: 'severity', kind: 'status', leaves: 1 },
  { key: 'leg_id', title: 'LEG', kind: 'quantity', leaves: 3 },
  { key: 'message' },
] as const satisfies readonly Column<keyof ReplayReport['events'][number]>[]

const PNL = [
  { key: 'time', kind: 'time' },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  { key: 'drawdown', title: 'DRAWDOWN ₹', kind: 'signed' },
] as const satisfies readonly Column<keyof ReplayReport['pnl'][number]>[]

const RUNS = [
  { key: 'run', kind: 'quantity' },
  { key: 'started', kind: 'time' },
  { key: 'stopped', kind: 'time' },
  { key: 'reason' },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
] as const satisfies readonly Column<keyof ReplayReport['runs'][number]>[]

const GAPS = [
  { key: 'date' },
  { key: 'leg_id', title: 'LEG', kind: 'quantity' },
  { key: 'symbol' },
  { key: 'missing', kind: 'quantity' },
  { key: 'first', title: 'FIRST MISSING' },
] as const satisfies readonly Column<keyof ReplayReport['gaps'][number]>[]

/** Each view of a replay, as a table or a list of documents. */
const SHOW: Readonly<Record<View, (out: Output, report: ReplayReport) => Promise<void>>> = {
  summary: (out, { summary }) => out.record({ record: summary, fields: SUMMARY, id: 'pnl' }),
  trades: (out, { trades }) =>
    out.list({ rows: trades, columns: TRADES, id: 'pnl', empty: 'There was no trade.' }),
  events: (out, { events }) =>
    out.list({ rows: events, columns: EVENTS, id: 'kind', empty: 'There was no event.' }),
  pnl: (out, { pnl }) => out.list({ rows: pnl, columns: PNL, id: 'pnl', empty: 'There are no bars.' }),
  runs: (out, { runs }) => out.list({ rows: runs, columns: RUNS, id: 'run', empty: 'No run started.' }),
  gaps: (out, { gaps }) => out.list({ rows: gaps, columns: GAPS, id: 'symbol', empty: 'No bar is missing.' }),
}

const CHART_ROWS = 10
const DRAWDOWN_ROWS = 5
const MARGIN = 16
const NARROWEST = 20
const MAX_NOTES = 20

/** Shows a replay: one view of it, or all that fits the reader. A document has everything. */
export async function showReport(
  context: Context,
  report: ReplayReport,
  view: View | undefined,
): Promise<void> {
  const { out, settings } = context
  const isWhole = settings.format === 'json' || settings.format === 'yaml'
  if (view !== undefined) await SHOW[view](out, report)
  else if (settings.columns.length > 0) await SHOW.trades(out, report)
  else if (isWhole) await out.record({ record: report, fields: [], id: 'summary' })
  else if (out.isHuman) await showAll(context, report)
  else await SHOW.trades(out, report)
  await warn(context, report)
}

async function showAll(context: Context, report: ReplayReport): Promise<void> {
  const { out } = context
  await SHOW.summary(out, report)
  if (report.trades.length > 0) {
    draw(context, 'P&L ₹', report, 'pnl', CHART_ROWS)
    if (report.summary.max_drawdown < 0) draw(context, 'Drawdown ₹', report, 'drawdown', DRAWDOWN_ROWS)
    out.write('\n')
    await SHOW.trades(out, report)
  }
  if (report.events.length > 0) out.note('Events: --show events. Everything: --json.')
}

function draw(
  { io, out }: Context,
  title: string,
  { pnl }: ReplayReport,
  key: 'pnl' | 'drawdown',
  height: number,
): void {
  const width = Math.max(NARROWEST, io.stdout.columns - MARGIN)
  const points = pnl.map((point) => ({ time: instantOf(point.time) ?? 0, value: point[key] }))
  const days = new Set(points.map(({ time }) => istDate(time))).size
  const label = (time: number) => (days > 1 ? istDate(time) : istTime(time).slice(0, 5))
  out.write(`\n${title}\n${profitChartOf(points, { width, height }, label)}`)
}

/** Warns on stderr about gaps in the recording: a replay with gaps is worth less. */
async function warn({ out }: Context, { gaps, notes, summary }: ReplayReport): Promise<void> {
  const holes = gaps.map(
    ({ date, first, leg_id, missing, symbol }) =>
      `${date}: leg ${leg_id} lacks ${countText(missing, 'bar')} of ${symbol}, the first at ${first.slice(11)}`,
  )
  const open =
    summary.open > 0
      ? [`${countText(summary.open, 'position')} still open at the end of the bars, valued at the last price`]
      : []
  const all = [...notes, ...holes, ...open]
  for (const text of all.slice(0, MAX_NOTES)) await out.warn(text)
  if (all.length > MAX_NOTES) await out.warn(`${all.length - MAX_NOTES} more; see notes and gaps of --json`)
}
