import type { RouteAnswer } from '../../../client/endpoints.js'
import { istTime } from '../../../core/time/index.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { profitChartOf } from '../../output/charts/profit-chart.js'
import { Output } from '../../output/output.js'

const COLUMNS = [
  { key: 'time', kind: 'time' },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  { key: 'drawdown', title: 'DRAWDOWN ₹', kind: 'signed' },
] as const satisfies readonly Column[]

const exported: CommandSpec = {
  name: 'export',
  summary: 'Prints the profit and loss and the drawdown of each minute, as CSV unless -o says otherwise.',
  examples: ['pnl export > today.csv', 'pnl export --json', "pnl export --jq '.[-1].pnl'"],
  columns: COLUMNS,
  async run(context) {
    const { drawdown_series, pnl_series } = await readDay(context)
    const rows = pnl_series.map(({ time, value: pnl }, index) => ({
      time,
      pnl,
      drawdown: drawdown_series[index]?.value ?? 0,
    }))
    const { io, settings } = context
    const isChosen = settings.format !== undefined || settings.table !== undefined
    const out = new Output(io, isChosen ? settings : { ...settings, format: 'csv' })
    await out.list({
      rows,
      columns: COLUMNS,
      id: 'pnl',
      empty: 'Nothing to show yet: no trade or position today, or no minute since the first trade.',
    })
    return EXIT.done
  },
}

type Summary = Omit<PnlDay, 'pnl_series' | 'drawdown_series'>

const SUMMARY = [
  { key: 'current_mtm', title: 'P&L ₹', kind: 'signed' },
  { key: 'max_mtm', title: 'HIGHEST ₹', kind: 'signed' },
  { key: 'max_mtm_time', title: 'AT' },
  { key: 'min_mtm', title: 'LOWEST ₹', kind: 'signed' },
  { key: 'min_mtm_time', title: 'AT' },
  { key: 'max_drawdown', title: 'MAX DRAWDOWN ₹', kind: 'signed' },
] as const satisfies readonly Column<keyof Summary>[]

const PNL_ROWS = 10
const DRAWDOWN_ROWS = 5
const MARGIN = 16
const NARROWEST = 20

const show: CommandSpec = {
  name: 'show',
  summary: 'Shows the profit and loss of the day and its drawdown; a terminal draws both.',
  details:
    'The day begins at 09:15 Indian time. Trades of the day count from their price, positions of earlier days from\n' +
    'the previous close. Times are Indian. The first call of a day reads two instruments a second.',
  examples: ['pnl show', 'pnl show --json', 'pnl show --jq .current_mtm'],
  columns: SUMMARY,
  async run(context) {
    const { drawdown_series, pnl_series, ...summary } = await readDay(context)
    if (context.out.isHuman && pnl_series.length === 0) {
      context.out.note('Nothing to show yet: no trade or position today, or no minute since the first trade.')
      return EXIT.done
    }
    await context.out.record<Summary>({ record: summary, fields: SUMMARY, id: 'current_mtm' })
    if (context.out.isHuman) {
      draw(context, 'P&L ₹', pnl_series, PNL_ROWS)
      draw(context, 'Drawdown ₹', drawdown_series, DRAWDOWN_ROWS)
    }
    return EXIT.done
  },
}

function draw(context: Context, title: string, points: PnlDay['pnl_series'], height: number): void {
  const width = Math.max(NARROWEST, context.io.stdout.columns - MARGIN)
  const chart = profitChartOf(points, { width, height }, (time) => istTime(time).slice(0, 5))
  context.out.write(`\n${title}\n${chart}`)
}

type PnlDay = RouteAnswer<'POST /pnltracker/api/pnl'>['data']

/** The daemon reads the bars of two instruments a second, so the first answer for many of them takes a while. */
const TIMEOUT_MS = 300_000

/** Reads the day. The route only reads, although it is a POST. */
async function readDay(context: Context): Promise<PnlDay> {
  const call = context.changeCall('POST /pnltracker/api/pnl', {})
  return (await context.client().send({ ...call, changes: false, timeoutMs: TIMEOUT_MS })).body.data
}

export const pnl: NounSpec = {
  summary: 'The profit and loss of the day, by the minute.',
  examples: ['pnl show', 'pnl export > today.csv'],
  verbs: [show, exported],
}
