import { requestTo } from '../../../client/routes.js'
import { EXCHANGES } from '../../../views/market/exchange.js'
import { HOURS_COLUMNS, type MarketDay } from '../../../views/market/hours.js'
import type { CommandSpec, Input, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

/** The exchange that people mean by "the market". */
const USUAL = 'NSE'
const ARGUMENT = (all: string) => ({
  syntax: '[exchange]',
  summary: `code of the exchange (default: ${all})`,
  complete: EXCHANGES,
})
const ON = { flags: '--on <date>', summary: 'a date in India, YYYY-MM-DD (default: today)' }
const STATUS =
  'It needs no credential. Any status other than 0 and 1 means that the answer is not known: 2 a wrong date or exchange, 7 no daemon, or one that gives no answer. A warning on stderr names a year whose holidays the calendar lacks: there a weekday counts as open. -q prints only the exchanges of which the answer is yes. The usual hours are those of now, for a date in the past, too.'

const open = verb({
  name: 'open',
  usual: USUAL,
  summary: 'Tells whether an exchange trades now, or on a day: exit status 0 if it does, 1 if not.',
  details: `Evening sessions of MCX, special sessions (Muhurat) and half days count. ${STATUS}`,
  examples: [
    'market open',
    'market open MCX',
    'market open --on 2026-11-08',
    'market open && svc quote NSE:SBIN',
  ],
  isSo: (row) => row.is_open,
})

const next = verb({
  name: 'next',
  usual: USUAL,
  summary: 'Tells when an exchange opens next: after now, or from a day on.',
  details: `Exit status 0, or 1 if it does not open within 60 days. ${STATUS}`,
  examples: ['market next', 'market next MCX --on 2026-12-25', 'market next NSE --jq ".[].next_open"'],
  isSo: (row) => row.next_open !== null,
})

const hours = verb({
  name: 'hours',
  summary:
    'Shows the hours of the exchanges on a day: exit status 0 if any of them trades on it, 1 if none does.',
  details: `svc market hours NSE ends with 0 on every day on which NSE trades, at any time. DAY says whether the hours are the usual ones, a special session, or shorter than usual. CRYPTO always trades, so it counts only if it is named. ${STATUS}`,
  examples: ['market hours', 'market hours --on 2026-11-08', 'market hours NSE --on 2026-11-09 -o json'],
  isSo: (row) => row.opens_at !== null,
})

export const market: NounSpec = {
  summary:
    'Whether the exchanges trade: now, on a day, and when next. The exit status is for cron: 0 yes, 1 no.',
  examples: ['market open', 'market next MCX', 'market hours --on 2026-11-08'],
  verbs: [open, next, hours],
}

/** Returns the rows that decide: among all exchanges, not the one that never closes. */
const chosen = (rows: readonly MarketDay[]) =>
  rows.length === 1 ? rows : rows.filter(({ exchange }) => exchange !== 'CRYPTO')

interface Verb extends Pick<CommandSpec, 'name' | 'summary' | 'details' | 'examples'> {
  /** The exchange without an argument; all of them without one. */
  usual?: string
  /** Returns whether the answer for an exchange is yes. */
  isSo(row: MarketDay): boolean
}

function verb({ isSo, usual, ...described }: Verb): CommandSpec {
  return {
    ...described,
    columns: HOURS_COLUMNS,
    arguments: [ARGUMENT(usual ?? 'all')],
    options: [ON],
    async run(context, input) {
      const rows = await answered(() => show(context, input, { isSo, usual }))
      return chosen(rows).some(isSo) ? EXIT.done : EXIT.failed
    },
  }
}

/** Shows the exchanges; their names alone are an answer, too, so these are those of which it is yes. */
async function show(context: Context, input: Input, { isSo, usual }: Pick<Verb, 'isSo' | 'usual'>) {
  const { data, warning } = await read(context, input, usual)
  const rows = context.settings.format === 'name' ? data.filter(isSo) : data
  await context.out.list({ rows, columns: HOURS_COLUMNS, id: 'exchange', empty: '' })
  if (warning !== undefined) await context.out.warn(warning)
  return data
}

/** @throws CliError, never with 1: that is an answer here, and a failure says nothing about the market */
async function answered<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof CliError)) {
      throw new CliError(EXIT.noDaemon, thrown instanceof Error ? thrown.message : String(thrown), {
        cause: thrown,
      })
    }
    throw thrown.exit === EXIT.failed ? thrown.withExit(EXIT.noDaemon) : thrown
  }
}

/** Asks without a credential: a job needs none to know the hours. */
async function read(context: Context, input: Input, usual: string | undefined) {
  const query = { exchange: input.argument(0) ?? usual, on: input.text('on') }
  const route = 'GET /market/hours'
  const { body } = await context.client().send({ route, ...requestTo(route, { query }), changes: false })
  return body
}
