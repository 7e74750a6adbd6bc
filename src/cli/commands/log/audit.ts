import type { RouteAnswer } from '../../../client/endpoints.js'
import { ERROR_CODES, ServiceError } from '../../../core/errors/index.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, Input, NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { parseInstant } from '../../output/text/instant.js'
import { SINCE } from '../history.js'
import { openPages } from './pages.js'
import { LOG_OPTIONS, type LogFilter, type LogView, showLog } from './show-log.js'

/** The options that choose acts, besides their time and text. */
const ACT_OPTIONS: readonly OptionSpec[] = [
  { flags: '--actor <name>', summary: 'only acts of this user; svc is the service itself' },
  { flags: '--act <act>', summary: 'only this act, or a group: risk stands for risk.set, too' },
]

function actFilter(input: Input) {
  return { actor: input.text('actor'), act: input.text('act') }
}

const AUDIT_COLUMNS = [
  { key: 'at', title: 'TIME', kind: 'time' },
  { key: 'act' },
  { key: 'target' },
  { key: 'actor' },
  { key: 'credential', leaves: 2 },
  { key: 'address', leaves: 1 },
  { key: 'outcome' },
  { key: 'code', leaves: 3 },
  { key: 'request_id', wide: true },
  { key: 'credential_id', wide: true },
  { key: 'id', wide: true },
] as const satisfies readonly Column<keyof AuditRow>[]

type AuditRow = RouteAnswer<'GET /audit/entries'>[number]

const list: CommandSpec = {
  name: 'list',
  summary: 'Shows the acts that changed state: who did what, from where, and with which result.',
  details:
    'With --json each act has the values before and after it. Orders appear a few seconds after they were placed.',
  examples: [
    'audit list',
    'audit list --act risk --since 7d',
    'audit list --actor svc --json',
    'audit list --errors --since 7d',
    'audit list --search 203.0.113.7 --follow',
  ],
  options: [...LOG_OPTIONS, ...ACT_OPTIONS],
  columns: AUDIT_COLUMNS,
  run: (context, input) => showLog(context, input, auditView(input)),
}

const errorsOf = ({ errors }: LogFilter) => (errors ? { errors: 'true' } : {})

function auditView(input: Input): LogView<AuditRow> {
  const filter = actFilter(input)
  return {
    columns: AUDIT_COLUMNS,
    id: 'id',
    record: 'audit-entry',
    empty: 'No acts.',
    line: ({ act, actor, address, at, outcome, target }) => ({
      time: at,
      topic: act,
      symbol: target ?? '',
      words: [actor, address ?? '', outcome].filter((word) => word !== '').join('  '),
      tone: outcome === 'done' ? undefined : outcome === 'unknown' ? 'red' : 'yellow',
    }),
    open: (context, logFilter) =>
      openPages(context, logFilter, async (query) => {
        const { body } = await context.read('GET /audit/entries', {
          query: { ...filter, ...query, ...errorsOf(logFilter) },
        })
        return body
      }),
  }
}

/** A row and its seal, as a check prints them. */
const HEAD = /^\d{1,15}:[\w-]{1,60}$/

type Result = RouteAnswer<'GET /audit/verify'>['data']

/** A trail of ten million rows takes about two minutes on an idle machine. */
const TIMEOUT_MS = 10 * 60_000

const verify: CommandSpec = {
  name: 'verify',
  summary: 'Checks the seal of every act, and names the first that was changed, moved, added or removed.',
  details:
    'Exit status 0: the trail is whole. 1: it is not. 4 or 5: the file does not exist, or has no audit trail. Note the head that a check prints on another machine: with --head, a later check proves that the trail was not replaced by an older one. With --file no daemon is asked; the keys are those of the home.',
  examples: ['audit verify', 'audit verify --json', 'audit verify --file svc.db.copy'],
  options: [
    { flags: '--head <head>', summary: 'the head of an earlier check, which the trail must contain' },
    { flags: '--file <path>', summary: 'check a copy of svc.db instead of the daemon' },
  ],
  async run(context, input) {
    const result = await resultOf(context, input)
    await context.out.record({
      record: result,
      id: 'ok',
      fields: [
        { key: 'ok', title: 'WHOLE' },
        { key: 'checked', kind: 'quantity' },
        { key: 'first', kind: 'quantity' },
        { key: 'last', kind: 'quantity' },
        { key: 'head' },
      ],
    })
    if (result.problem) context.out.note(`The trail is broken. ${result.problem.message}`)
    return result.ok ? EXIT.done : EXIT.failed
  },
}

async function resultOf(context: Context, input: Input): Promise<Result> {
  const [file, head] = [input.text('file'), input.text('head')]
  if (head !== undefined && !HEAD.test(head)) {
    throw usageError('--head must be the head of an earlier check.', 'svc audit verify prints it.')
  }
  if (file === undefined) {
    return (await context.readFor(TIMEOUT_MS, 'GET /audit/verify', { query: { head } })).body.data
  }
  const { verifyOffline } = await import('../../../daemon/audit/offline/index.js')
  return verifyOffline({ home: context.settings.home, env: context.io.env, file, head }).catch(refuseFile)
}

/** A file that cannot be checked must not look like a broken trail. @throws CliError */
function refuseFile(cause: unknown): never {
  if (!(cause instanceof ServiceError)) throw cause
  const { code, message } = cause
  throw new CliError(ERROR_CODES[code].exit, message, { code, cause })
}

const FORMATS = ['csv', 'jsonl'] as const

const exportTrail = declared({
  name: 'export',
  summary: 'Writes the audit trail with its seals, oldest act first, as CSV or one JSON object per line.',
  details:
    'The rows are written as they arrive, so a file of any size takes little memory. A cell that a spreadsheet would run as a formula begins with an apostrophe.',
  examples: [
    'audit export > audit.csv',
    'audit export --format jsonl --since 2026-11-01 --file november.jsonl',
    'audit export --act kill_switch',
  ],
  options: [
    { flags: '--format <format>', summary: 'csv or jsonl (default: csv)', choices: FORMATS },
    SINCE,
    { flags: '--until <time>', summary: 'up to then; a date includes its day' },
    { flags: '--search <text>', summary: 'only acts with this text, ignoring case' },
    ...ACT_OPTIONS,
    { flags: '--file <path>', summary: 'write to a new file (0600) instead of standard output' },
  ],
  calls: 'GET /audit/export',
  request: (input, context) => ({
    query: {
      ...actFilter(input),
      format: input.text('format'),
      since: instant(context, input, 'since'),
      until: instant(context, input, 'until'),
      search: input.text('search'),
      bom: context.settings.bom ? 'true' : undefined,
    },
  }),
  saves: true,
})

function instant(context: Context, input: Input, name: 'since' | 'until'): string | undefined {
  const text = input.text(name)
  if (text === undefined) return undefined
  return new Date(parseInstant(text, `--${name}`, context.io.now(), name === 'until')).toISOString()
}

export const audit: NounSpec = {
  summary: 'The audit trail: every act that changed state, each sealed to the one before.',
  examples: ['audit list --since today', 'audit verify', 'audit export --file audit.csv'],
  verbs: [list, exportTrail, verify],
}
