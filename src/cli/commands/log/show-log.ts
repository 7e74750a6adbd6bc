import type { ListView } from '../../../views/table/column.js'
import type { Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { mayPass } from '../../http/events.js'
import { colours } from '../../output/colours.js'
import { humanLine, type Line } from '../../output/text/log-line.js'
import { periodOf, SINCE } from '../history.js'

/** The options of every log. */
export const LOG_OPTIONS: readonly OptionSpec[] = [
  SINCE,
  { flags: '--until <time>', summary: 'up to then; a date includes its day' },
  { flags: '--search <text>', summary: 'only rows with this text, ignoring case' },
  { flags: '--errors', summary: 'only what was refused or failed' },
  { flags: '--limit <n>', summary: 'the newest n rows (default: 100)' },
  { flags: '-f, --follow', summary: 'print new rows until Ctrl-C; in a pipe, one JSON object per line' },
]

/** Refuses the options that choose rows, because statistics would ignore them. @throws a usage error */
export function refuseRowOptions(input: Input, statistics: string, filters: readonly string[]): void {
  const chosen = ['since', 'until', 'search', 'errors', 'limit', 'follow', ...filters].filter((name) =>
    input.isGiven(name),
  )
  if (chosen.length === 0) return
  const options = chosen.map((name) => `--${name}`).join(', ')
  throw usageError(`${statistics} counts all rows, so it does not take ${options}.`)
}

const DEFAULT_ROWS = 100
const LOOK_MS = 500

/** The rows that the user asked for. Instants are epoch milliseconds. */
export interface LogFilter {
  since: number | undefined
  /** Exclusive. */
  until: number | undefined
  search: string | undefined
  /** True: only what was refused or failed. */
  errors: boolean
  /** The number of the newest rows to show. */
  limit: number
}

/** A log that was opened: its rows so far, and the rows to come. */
export interface OpenLog<Row extends object> {
  /** The newest rows that were asked for, the oldest first. */
  rows: readonly Row[]
  /** Returns the rows added since the last call, the oldest first. */
  newer(): Promise<readonly Row[]>
}

/** A log, and how its rows are shown. */
export interface LogView<Row extends object>
  extends Pick<ListView<Row>, 'columns' | 'id' | 'empty' | 'record'> {
  open(context: Context, filter: LogFilter): Promise<OpenLog<Row>>
  /** True if a terminal shows the rows in words, not as a table: they have few fields in common. */
  isInWords?: true
  /** Returns a row in words, for a terminal that follows the log. */
  line(row: Row): Line & { tone?: 'red' | 'yellow' | 'dim' | undefined }
}

/** Shows the newest rows of a log, the oldest of them first; with `--follow` also the rows to come. */
export async function showLog<Row extends object>(
  context: Context,
  input: Input,
  view: LogView<Row>,
): Promise<ExitStatus> {
  const filter = logFilterOf(context, input)
  const log = await view.open(context, filter)
  if (!input.flag('follow')) {
    if (view.isInWords && context.out.isHuman) {
      const show = await inWords(context, view)
      for (const row of log.rows) show(row)
    } else {
      await context.out.list({ ...view, rows: log.rows })
    }
    if (log.rows.length === DEFAULT_ROWS && input.text('limit') === undefined) {
      context.out.note(`The newest ${DEFAULT_ROWS} rows; --limit shows more.`)
    }
    return EXIT.done
  }
  const show = context.out.isHuman
    ? await inWords(context, view)
    : (await context.out.begin({ ...view, rows: log.rows })).write
  for (const row of log.rows) await show(row)
  for (;;) {
    await context.io.sleep(LOOK_MS)
    for (const row of await newerRows(context, log)) await show(row)
  }
}

/** Reads the options of a log. @throws a usage error that names the option */
function logFilterOf(context: Context, input: Input): LogFilter {
  const { since, until } = periodOf(context, input)
  if (until !== undefined && input.flag('follow')) throw usageError('--follow has no end: omit --until.')
  const limit = input.whole('limit') ?? DEFAULT_ROWS
  return { since, until, search: input.text('search') || undefined, errors: input.flag('errors'), limit }
}

/** Returns the new rows; none while the daemon restarts. */
async function newerRows<Row extends object>(context: Context, log: OpenLog<Row>): Promise<readonly Row[]> {
  try {
    return await log.newer()
  } catch (thrown) {
    if (!mayPass(thrown)) throw thrown
    context.refreshTarget()
    return []
  }
}

/** Returns the function that prints a row in words, for a person. */
async function inWords<Row extends object>(
  { out, io, settings }: Context,
  view: LogView<Row>,
): Promise<(row: Row) => void> {
  const paint = await colours(io.stdout, io, settings)
  return (row) => {
    const { tone, ...line } = view.line(row)
    const text = humanLine(line, { human: true, utc: settings.utc, now: io.now() }, io.stdout.columns)
    out.write(`${tone === undefined ? text : paint[tone](text)}\n`)
  }
}
