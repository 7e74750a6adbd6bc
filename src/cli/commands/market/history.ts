import { istDate } from '../../../core/time/index.js'
import type { Column } from '../../../views/table/column.js'
import type { Input, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { chartOf } from '../../output/charts/chart.js'
import { parseDay } from '../../output/text/instant.js'
import { INSTRUMENT_ARGUMENTS, instrumentOf } from './symbols.js'

const BARS = [
  { key: 'timestamp', title: 'TIME', kind: 'time' },
  { key: 'open', kind: 'price' },
  { key: 'high', kind: 'price' },
  { key: 'low', kind: 'price' },
  { key: 'close', kind: 'price' },
  { key: 'volume', kind: 'quantity' },
  { key: 'oi', title: 'OI', kind: 'quantity', leaves: 1 },
] as const satisfies readonly Column[]
/** The intervals of bars of a day or longer. */
const DAYS = /^[DWM]/
/** Such a bar has no time of day: the API gives its date as midnight in UTC, which in India would be 05:30. */
const DAY_BARS = [{ key: 'timestamp', title: 'DATE' }, ...BARS.slice(1)] as const
/** The intervals that every broker has. */
const INTERVALS = ['1m', '3m', '5m', '10m', '15m', '30m', '1h', 'D']
const CHART_ROWS = 12
const CHART_MARGIN = 14
const DAY_MS = 86_400_000
const DEFAULT_DAYS = 5

export const history: NounSpec = {
  summary: 'Shows the bars of one symbol; --chart draws a line chart in the terminal.',
  details:
    'The file of -o csv with --interval 1m is what svc flow test --replay and SIM_REPLAY read; svc strategy replay --from also reads bars of up to an hour.',
  examples: [
    'history SBIN NSE --interval 5m --chart',
    'history SBIN NSE --interval D --since 2026-10-01 --until 2026-11-20',
    'history SBIN NSE --interval 1m -o csv > sbin.csv',
  ],
  arguments: INSTRUMENT_ARGUMENTS,
  options: [
    {
      flags: '--interval <interval>',
      summary: 'such as 1m, 5m, 15m, 1h or D (default: D); an error lists those of the broker',
      complete: INTERVALS,
    },
    {
      flags: '--since <day>',
      field: 'start_date',
      summary: `first day: today, 30d or 2026-10-01 (default: ${DEFAULT_DAYS} days ago)`,
    },
    { flags: '--until <day>', field: 'end_date', summary: 'last day (default: today)' },
    { flags: '--start <date>', field: 'start_date', summary: 'the same as --since', hidden: true },
    { flags: '--end <date>', field: 'end_date', summary: 'the same as --until', hidden: true },
    { flags: '--chart', summary: 'draw the closing prices as a chart (terminal only)' },
  ],
  columns: BARS,
  async run(context, input) {
    const now = context.io.now()
    const interval = input.text('interval') ?? 'D'
    const asked = {
      ...instrumentOf(input),
      interval,
      start_date: dayOf(input, 'since', now) ?? input.text('start') ?? istDate(now - DEFAULT_DAYS * DAY_MS),
      end_date: dayOf(input, 'until', now) ?? input.text('end') ?? istDate(now),
    }
    const bars = await context.apiRead('history', asked).then(
      ({ body }) => body.data,
      (thrown) => unsupported(context, interval, thrown),
    )
    if (input.flag('chart') && !context.settings.format) {
      const width = Math.max(20, context.io.stdout.columns - CHART_MARGIN)
      context.out.write(
        chartOf(
          bars.map(({ close }) => close),
          { width, height: CHART_ROWS },
        ),
      )
      return EXIT.done
    }
    // The API sends seconds; the view shows a time.
    const rows = bars.map((bar) => ({ ...bar, timestamp: bar.timestamp * 1000 }))
    const view = { id: 'close', empty: 'There are no bars for these days.' } as const
    if (context.out.isHuman && DAYS.test(interval)) {
      const days = rows.map((bar) => ({ ...bar, timestamp: istDate(bar.timestamp) }))
      await context.out.list({ ...view, rows: days, columns: DAY_BARS })
    } else {
      await context.out.list({ ...view, rows, columns: BARS })
    }
    return EXIT.done
  },
}

/** Returns the day of an option. @throws a usage error for a text that is no time, and for two names of one day */
function dayOf(input: Input, name: 'since' | 'until', now: number): string | undefined {
  const [text, older] = [input.text(name), name === 'since' ? 'start' : 'end']
  if (text === undefined) return undefined
  if (input.text(older) !== undefined) throw usageError(`Choose one: --${name} or --${older}.`)
  return parseDay(text, `--${name}`, now)
}

/** Replaces the error about an interval: the API has more intervals than any broker. */
async function unsupported(context: Context, interval: string, thrown: unknown): Promise<never> {
  const isAbout = thrown instanceof CliError && thrown.message.startsWith('interval:')
  if (!isAbout) throw thrown
  const { data } = (await context.apiRead('intervals')).body
  const known = [data.seconds, data.minutes, data.hours, data.days, data.weeks, data.months].flat()
  throw usageError(`The broker has no bars of "${interval}".`, `Intervals: ${known.join(', ')}`)
}
