import type { AuditTrail } from '../../../core/audit/index.js'
import type { AuditRow } from '../../../core/audit/schema.js'
import type { Clock } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { isoOf, resultView } from '../../audit/result.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { streamTexts } from '../../http/response/stream.js'
import { auditExportQuery } from '../../operations/audit/payloads.js'
import { type CsvColumns, sendCsv, stampedName } from '../logs/csv-file.js'

interface AuditParts {
  audit: AuditTrail
  clock: Pick<Clock, 'now'>
}

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

/** Returns the handlers that list, export and check the audit trail. */
export function auditHandlers({ audit, clock }: AuditParts) {
  return {
    'GET /audit/entries': async ({ query }) => {
      const rows = await audit.list(query)
      return (query.after === undefined ? rows : rows.reverse()).map(view)
    },
    // A file, which may be larger than the memory.
    'GET /audit/export': httpHandler((c) => {
      const { bom: _, format, ...filter } = parseWith(auditExportQuery, c.req.query())
      const pages = audit.pages(filter)
      const name = stampedName('svc_audit', clock.now())
      if (format === 'csv') return sendCsv(c, { name, columns: COLUMNS, view: csvView }, pages)
      const headers = {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': `attachment; filename=${name.replace('.csv', '.jsonl')}`,
      }
      return streamTexts(c, headers, lines(pages))
    }),
    'GET /audit/verify': async ({ query: { head } }) => ({
      status: 'success',
      data: resultView(await audit.verify(head)),
    }),
  } satisfies Partial<Handlers>
}

async function* lines(pages: AsyncGenerator<readonly AuditRow[]>): AsyncGenerator<string> {
  for await (const rows of pages) {
    yield rows.map((row) => `${JSON.stringify({ ...view(row), mac: row.mac })}\n`).join('')
  }
}

/** A row of the file keeps its JSON as it is sealed. */
function csvView({ credentialId, requestId, ...row }: AuditRow) {
  return { ...row, at: isoOf(row.at), credential_id: credentialId, request_id: requestId }
}

function view({ mac: _, ...row }: AuditRow) {
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
