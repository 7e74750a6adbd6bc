import { isObject, type JsonObject, parseJson } from '../../../client/answers/json.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { logWords } from '../../output/text/log-line.js'
import { appLogFiles } from './files/app-log.js'
import { RotatedLog } from './files/rotated-log.js'
import { LOG_OPTIONS, type LogView, showLog, type WantedRows } from './show-log.js'

/** A line of the log. A line that is no JSON object has its text in `message`. */
interface AppRow extends JsonObject {
  readonly time?: unknown
  readonly level?: unknown
  readonly event?: unknown
  readonly message?: unknown
}

export const app: CommandSpec = {
  name: 'app',
  summary: 'Shows the log of the daemon, from its files on this machine.',
  details:
    'It needs no daemon. With LOG_TO_FILE=true it reads the daily files, otherwise the output of svc up --detach. ' +
    'With --errors it reads the error log, which the daemon always writes.',
  examples: [
    'log app',
    'log app --follow',
    'log app --since 1h --search zerodha',
    "log app --errors --since today --jq '.[].event'",
  ],
  options: [...LOG_OPTIONS, { flags: '--errors', summary: 'only errors, from the error log' }],
  run: (context, input) => showLog(context, input, input.flag('errors') ? ERRORS : EVERYTHING),
}

const EVERYTHING = viewOf(false)
const ERRORS = viewOf(true)

function viewOf(errorsOnly: boolean): LogView<AppRow> {
  return {
    columns: [
      { key: 'time', kind: 'time' },
      { key: 'level', kind: 'status' },
      { key: 'event' },
      { key: 'message' },
    ],
    id: 'event',
    empty: errorsOnly ? 'No errors.' : 'No log lines.',
    isInWords: true,
    line: logWords,
    async open(context, wanted) {
      const log = new RotatedLog(await appLogFiles(context, errorsOnly))
      return {
        rows: rowsBackwards(log.backwards(), wanted),
        newer: async () =>
          log
            .newer()
            .filter((line) => hasText(line, wanted))
            .map(rowOf),
      }
    },
  }
}

/** Returns the newest rows of the period, the oldest first. It stops at the first line before the period. */
function rowsBackwards(lines: Iterable<string>, wanted: WantedRows): AppRow[] {
  const { since = -Infinity, until, limit } = wanted
  const rows: AppRow[] = []
  let at = Infinity
  for (const line of lines) {
    const row = rowOf(line)
    // A line without a time has the time of the line after it.
    at = instantOf(row) ?? at
    if (at < since || rows.length >= limit) break
    if ((until === undefined || at < until) && hasText(line, wanted)) rows.push(row)
  }
  return rows.reverse()
}

function rowOf(line: string): AppRow {
  const entry = parseJson(line)
  return isObject(entry) ? entry : { message: line }
}

function instantOf({ time }: AppRow): number | undefined {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

function hasText(line: string, { search }: WantedRows): boolean {
  return search === undefined || line.toLowerCase().includes(search.toLowerCase())
}
