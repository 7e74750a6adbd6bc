import { z } from 'zod'
import { ACT_CREDENTIALS, ACT_OUTCOMES, type AuditRow } from '../../../core/audit/schema.js'
import { fields } from '../../../core/validation/index.js'
import { isoOf, resultView } from '../../audit/result.js'
import { type CsvColumns, CsvFile, stampedName } from '../../http/response/csv-file.js'
import { TextsFile } from '../../http/response/stream.js'
import { count, text } from '../common/answers.js'
import { csvFile, instant } from '../common/payloads.js'
import { signedIn } from '../running.js'

const audit = signedIn('Audit', 'sixtyAMinute', 'read', 'admin')

const RISK = { act: 'risk', since: '2026-11-20T00:00:00+05:30' }

const row = fields.integer().refine((seq) => seq >= 0, 'Must be the number of a row, or 0.')

const filter = {
  since: instant.optional(),
  until: instant.optional(),
  actor: fields.text(255).optional().meta({ description: 'A user; svc is the service itself.' }),
  act: fields
    .text(100)
    .optional()
    .meta({ description: 'An act, or a group: risk stands for risk.set, too.' }),
  search: fields.text(200).optional().meta({ description: 'In any column but the seal.' }),
}

const auditQuery = z.object({
  ...filter,
  errors: z.enum(['true', 'false']).optional().meta({ description: 'true: only acts that were not done.' }),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(100),
  before: row.optional().meta({ description: 'The number of the last row of the page before this one.' }),
  after: row.optional().meta({ description: 'The number of the newest known row: only newer rows.' }),
})

const auditExportQuery = z.object({
  ...filter,
  format: fields.oneOf(['csv', 'jsonl']).default('csv'),
  ...csvFile,
})

const auditVerifyQuery = z.object({
  head: fields
    .text(80)
    .regex(/^\d{1,15}:[\w-]{1,60}$/, 'Must be the head of an earlier check.')
    .optional()
    .meta({ description: 'The head of an earlier check: the trail must still contain it.' }),
})

const value = z.unknown().meta({ description: 'The values that changed; null if the act has none.' })

const auditRows = z.array(
  z.strictObject({
    id: count,
    at: text.meta({ format: 'date-time', description: 'UTC.' }),
    act: text,
    actor: text,
    credential: z.enum(ACT_CREDENTIALS),
    credential_id: text.nullable(),
    address: text.nullable(),
    target: text.nullable(),
    outcome: z.enum(ACT_OUTCOMES),
    code: text.nullable(),
    before: value,
    after: value,
    request_id: text.nullable(),
  }),
)

const verification = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({
    ok: z.boolean(),
    checked: count,
    first: count,
    last: count,
    head: text.nullable().meta({ description: 'Note it elsewhere: a later check can ask for it.' }),
    problem: z
      .strictObject({
        kind: z.enum(['altered', 'missing', 'cut_off', 'unsealed', 'seal', 'resealed', 'head']),
        id: count,
        at: text.nullable(),
        message: text,
      })
      .nullable(),
  }),
})

const COLUMNS: CsvColumns<ReturnType<typeof csvView>> = [
  ['id', ({ seq }) => seq],
  ['at', ({ at }) => at],
  ['act', ({ act }) => act],
  ['actor', ({ actor }) => actor],
  ['credential', ({ credential }) => credential],
  ['credential_id', (row) => row.credential_id],
  ['address', ({ address }) => address],
  ['target', ({ target }) => target],
  ['outcome', ({ outcome }) => outcome],
  ['code', ({ code }) => code],
  ['before', ({ before }) => before],
  ['after', ({ after }) => after],
  ['request_id', (row) => row.request_id],
  ['mac', ({ mac }) => mac],
]

/** The acts that changed state, each row sealed to the one before. */
export const AUDIT_OPERATIONS = {
  'GET /audit/entries': audit('Lists the acts that changed state, newest first.', {
    query: auditQuery,
    example: RISK,
    answer: auditRows,
    errors: ['validation'],
    run: async ({ audit }, { query: { errors, ...query } }) => {
      const rows = await audit.list({ ...query, notDone: errors === 'true' })
      return (query.after === undefined ? rows : rows.reverse()).map(auditRowView)
    },
  }),
  'GET /audit/export': audit('Exports the audit trail, oldest first, of any length.', {
    limit: 'tenAMinute',
    query: auditExportQuery,
    example: RISK,
    answerText: 'text/csv',
    errors: ['validation'],
    run: ({ audit, clock }, { query: { bom: _, format, ...filter } }) => {
      const pages = audit.pages(filter)
      const name = stampedName('svc_audit', clock.now())
      if (format === 'csv') return new CsvFile({ name, columns: COLUMNS, view: csvView }, pages)
      const headers = {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': `attachment; filename=${name.replace('.csv', '.jsonl')}`,
      }
      return new TextsFile(headers, lines(pages))
    },
  }),
  'GET /audit/verify': audit('Checks the seal of every row, and names the first bad one.', {
    limit: 'tenAMinute',
    query: auditVerifyQuery,
    example: {},
    answer: verification,
    errors: ['validation'],
    run: async ({ audit }, { query: { head } }) => ({
      status: 'success',
      data: resultView(await audit.verify(head)),
    }),
  }),
}

async function* lines(pages: AsyncGenerator<readonly AuditRow[]>): AsyncGenerator<string> {
  for await (const rows of pages) {
    yield rows.map((row) => `${JSON.stringify({ ...auditRowView(row), mac: row.mac })}\n`).join('')
  }
}

/** A row of the file keeps its JSON as it is sealed. */
function csvView({ credentialId, requestId, ...row }: AuditRow) {
  return { ...row, at: isoOf(row.at), credential_id: credentialId, request_id: requestId }
}

function auditRowView({ mac: _, ...row }: AuditRow) {
  const { seq, at, act, actor, credential, address, target, outcome, code } = row
  return {
    id: seq,
    at: isoOf(at),
    act,
    actor,
    credential,
    credential_id: row.credentialId,
    address,
    target,
    outcome,
    code,
    before: valueIn(row.before),
    after: valueIn(row.after),
    request_id: row.requestId,
  }
}

/** Returns the value of a JSON text. A text that somebody has damaged is shown as it is. */
function valueIn(json: string | null): unknown {
  if (json === null) return null
  try {
    return JSON.parse(json) as unknown
  } catch {
    return json
  }
}
