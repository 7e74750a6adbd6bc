import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject, type JsonObject, parseJson } from '../../../client/answers/json.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { logWords } from '../../output/text/log-line.js'
import { settingsOf } from '../daemon/config.js'
import { outputFiles } from '../daemon/daemon-output.js'

import { RotatedLog } from './files/rotated-log.js'
import { LOG_OPTIONS, type LogFilter, type LogView, showLog } from './show-log.js'

/** A line of the log. A line that is no JSON object has its text in `message`. */
interface AppRow extends JsonObject {
  readonly time?: unknown
  readonly level?: unknown
  readonly event?: unknown
  readonly message?: unknown
}

export const app: CommandSpec = {
  name: 'app',
  isOfHome: 'said',
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
  options: LOG_OPTIONS,
  run: (context, input) => showLog(context, input, input.flag('errors') ? ERRORS : EVERYTHING),
}

const EVERYTHING = appLogView(false)
const ERRORS = appLogView(true)

function appLogView(errorsOnly: boolean): LogView<AppRow> {
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
    async open(context, filter) {
      const log = new RotatedLog(await appLogFiles(context, errorsOnly))
      return {
        rows: rowsBackwards(log.backwards(), filter),
        newer: async () =>
          log
            .newer()
            .filter((line) => hasText(line, filter))
            .map(appLogRow),
      }
    },
  }
}

/** Returns the newest rows of the period, the oldest first. It stops at the first line before the period. */
function rowsBackwards(lines: Iterable<string>, filter: LogFilter): AppRow[] {
  const { since = -Infinity, until, limit } = filter
  const rows: AppRow[] = []
  let at = Infinity
  for (const line of lines) {
    const row = appLogRow(line)
    // A line without a time has the time of the line after it.
    at = instantOf(row) ?? at
    if (at < since || rows.length >= limit) break
    if ((until === undefined || at < until) && hasText(line, filter)) rows.push(row)
  }
  return rows.reverse()
}

function appLogRow(line: string): AppRow {
  const entry = parseJson(line)
  return isObject(entry) ? entry : { message: line }
}

function instantOf({ time }: AppRow): number | undefined {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

function hasText(line: string, { search }: LogFilter): boolean {
  return search === undefined || line.toLowerCase().includes(search.toLowerCase())
}

const DAILY = /^svc_\d{4}-\d{2}-\d{2}\.log$/

/**
 * Returns a function that lists the files of the application log, the oldest first: the daily files, or the
 * output of `svc up --detach` where the daemon writes no daily files, or the error log where it writes neither.
 */
async function appLogFiles(context: Context, errorsOnly: boolean): Promise<() => readonly string[]> {
  const { home } = context.settings
  const settings = await settingsOf(context)
  const settingOf = (name: string) => settings.find(({ key }) => key === name)?.value ?? ''
  const dir = resolve(home, settingOf('LOG_DIR'))
  const daily = () => dailyFiles(dir)
  const output = () => outputFiles(home).filter((path) => existsSync(path))
  const errors = () => [join(dir, 'errors.jsonl')].filter((path) => existsSync(path))
  if (errorsOnly) return errors
  if (settingOf('LOG_TO_FILE') === 'true') return daily
  const found = [output, daily].find((list) => list().length > 0)
  if (found) return found
  context.out.note(
    'The daemon writes no log files but the errors; svc config set LOG_TO_FILE=true adds them.',
  )
  return errors
}

function dailyFiles(dir: string): readonly string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => DAILY.test(name))
    .sort()
    .map((name) => join(dir, name))
}
