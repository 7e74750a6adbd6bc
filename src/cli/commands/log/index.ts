import type { CommandSpec, Input, NounSpec } from '../../framework/command/command.js'
import { called, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { parseDay } from '../../output/text/instant.js'
import { app } from './app.js'
import { latency } from './latency.js'
import { analyzer, orders } from './requests.js'
import { traffic } from './traffic.js'

const LOGS = ['orders', 'analyzer'] as const

const exportLog: CommandSpec = {
  name: 'export',
  summary: 'Writes the order log, or the analyzer log, as CSV: whole Indian days, by default today.',
  details:
    'The rows come newest first and are written as they arrive, so a file of any size takes little memory. A cell that a spreadsheet would run as a formula begins with an apostrophe.',
  examples: [
    'log export > today.csv',
    'log export --since 2026-11-01 --until 2026-11-20 --file november.csv',
    'log export --log analyzer --search SBIN',
    'log export --bom --file for-excel.csv',
  ],
  options: [
    { flags: '--log <log>', summary: 'the log (default: orders)', choices: LOGS },
    { flags: '--since <day>', field: 'start_date', summary: 'first day: today, yesterday, 3d or 2026-11-20' },
    { flags: '--until <day>', field: 'end_date', summary: 'last day' },
    { flags: '--search <text>', summary: 'only rows with this text, ignoring case' },
    { flags: '--file <path>', summary: 'write to a new file (0600) instead of standard output' },
  ],
  run: either(
    (input) => input.text('log') === 'analyzer',
    called({ calls: 'GET /analyzer/export', request: rowsOfDays, saves: true }),
    called({ calls: 'GET /logs/export', request: rowsOfDays, saves: true }),
  ),
}

function rowsOfDays(input: Input, context: Context) {
  const query = {
    start_date: day(context, input, 'since'),
    end_date: day(context, input, 'until'),
    search: input.text('search'),
    bom: context.settings.bom ? 'true' : undefined,
  }
  return { query }
}

/** Returns the Indian day of an option. @throws a usage error for a time within a day */
function day(context: Context, input: Input, name: 'since' | 'until'): string | undefined {
  const text = input.text(name)
  if (text === undefined) return undefined
  if (/\d[T ]\d/.test(text)) throw usageError(`--${name} of an export is a day, was "${text}".`)
  return parseDay(text, `--${name}`, context.io.now())
}

const verbs = [orders, analyzer, traffic, latency, app, exportLog]

export const log: NounSpec = {
  summary: 'Logs: requests with their answers, their timings, and the log of the daemon.',
  examples: verbs.flatMap(({ examples }) => examples.slice(0, 1)),
  verbs,
}
