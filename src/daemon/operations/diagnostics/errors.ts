import { z } from 'zod'
import { clientMessage, type ErrorEntry, logClientReport } from '../../../core/diagnostics/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { LOG_LEVELS, type LogLevel } from '../../../core/logging/index.js'
import { istDateTime } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import { readJson } from '../../http/body/body.js'
import { count, instant, ok, text } from '../common/answers.js'
import { http, signedIn } from '../running.js'

const diagnosis = signedIn('Diagnostics', 'api', 'admin')

const MOST = 200

/** A number of rows, moved into its range. */
const limit = (usual: number) =>
  fields
    .integer()
    .transform((rows) => Math.min(MOST, Math.max(1, rows)))
    .meta({ type: 'integer', description: `1 to ${MOST}; a number outside counts as the nearest one.` })
    .default(usual)

const errorsQuery = z.object({
  limit: limit(100),
  level: z.string().optional().meta({ description: 'ERROR, CRITICAL, WARNING, INFO or DEBUG.' }),
  q: fields
    .text(MOST)
    .optional()
    .meta({ description: 'Text of an entry, ignoring case, up to 200 characters.' }),
})
const errorGroupsQuery = z.object({ limit: limit(50) })

/** The parts that are too long are cut, so that a page can always report its error. */
const clientErrorPayload = z.object({
  message: z.string().meta({ description: 'Up to 2,000 characters are kept.' }),
  level: z
    .unknown()
    .optional()
    .meta({ type: 'string', description: 'ERROR or WARN; anything else counts as ERROR.' }),
  stack: z.string().nullish().meta({ description: 'Up to 20,000 characters are kept.' }),
  url: z.string().nullish().meta({ description: 'Kept without its query.' }),
  component_stack: z.string().nullish(),
  user_agent: z.string().nullish(),
})

/** A missing message has a refusal of its own. */
const anyReport = clientErrorPayload.extend({ message: z.string().nullish() })
const UNREADABLE = 'Failed to read error log'
const UNGROUPED = 'Failed to group errors'

const level = z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'])
const stamp = text.meta({ description: 'Indian time, YYYY-MM-DD HH:MM:SS.' })

const entry = z.strictObject({
  ts: stamp,
  at: instant,
  level,
  logger: text.meta({ description: 'The name of the event.' }),
  module: text,
  file: text.nullable().meta({ description: '<path>:<line> of the exception.' }),
  message: text,
  exception: z.array(text).optional().meta({ description: 'The lines of the stack.' }),
  request: z
    .strictObject({
      method: text.nullable(),
      path: text.nullable(),
      ip: text.nullable(),
      id: text.nullable().meta({ description: 'X-Request-Id of the answer.' }),
    })
    .optional(),
  details: z.record(z.string(), z.unknown()).meta({ description: 'The other facts of the entry.' }),
})

export const errorList = ok({
  data: z.array(entry).meta({ description: 'The newest entries, the oldest of them first.' }),
  count: count.meta({ description: 'The entries in this answer.' }),
  scanned: count.meta({ description: 'The lines that were read: at most the last 10 MB.' }),
  total_in_window: count.meta({ description: 'The entries among these lines.' }),
})
const errorCounts = ok({
  total: count,
  by_level: z.partialRecord(level, count),
  last_24h: count,
  last_1h: count,
})
const errorGroups = ok({
  groups: z.array(
    z.strictObject({
      fingerprint: text,
      count,
      level,
      logger: text,
      module: text,
      first_seen: stamp,
      last_seen: stamp,
      first_at: instant,
      last_at: instant,
      sample: entry.meta({ description: 'The newest entry of the group.' }),
    }),
  ),
  total_entries: count,
  total_groups: count,
})
const recorded = ok({})

/** The error log, and the errors that pages report. */
export const ERROR_OPERATIONS = {
  'GET /admin/api/errors': diagnosis('Lists the newest entries of the error log, the oldest first.', {
    query: errorsQuery,
    example: { level: 'ERROR', limit: 20 },
    answer: errorList,
    errors: ['validation'],
    run: async ({ errorLog }, { query: { level, limit, q } }) => {
      const filter = { limit, ...(q && { text: q }), ...(level && { level: levelOf(level) }) }
      const { entries, scanned, total } = await orFail(errorLog.recent(filter), UNREADABLE)
      return {
        status: 'success',
        data: entries.map(entryView),
        count: entries.length,
        scanned,
        total_in_window: total,
      }
    },
  }),
  'POST /admin/api/errors/client': diagnosis('Records an error that a page reports.', {
    limit: 'thirtyAMinute',
    body: clientErrorPayload,
    example: { message: 'TypeError: x is undefined', url: 'https://desk.example/logs' },
    answer: recorded,
    errors: ['validation', 'too_large', 'unsupported_media'],
    audit: { unrecorded: 'It adds to the error log.' },
    // A page sends what its browser knows, so the refusals name no field.
    run: http('its own refusals', async ({ log }, c) => {
      const report = clientReport(await readJson(c))
      logClientReport(log, report, c.get('principal').username)
      return c.json({ status: 'success' })
    }),
  }),
  'GET /admin/api/errors/stats': diagnosis('Counts the entries of the error log.', {
    answer: errorCounts,
    run: async ({ errorLog }) => {
      const { byLevel, lastDay, lastHour, total } = await orFail(errorLog.counts(), UNREADABLE)
      return { status: 'success', total, by_level: byLevel, last_24h: lastDay, last_1h: lastHour }
    },
  }),
  'GET /admin/api/errors/groups': diagnosis('Groups the entries of the error log by fingerprint.', {
    query: errorGroupsQuery,
    example: { limit: 20 },
    answer: errorGroups,
    errors: ['validation'],
    run: async ({ errorLog }, { query: { limit } }) => {
      const { entries, groups, total } = await orFail(errorLog.groups(limit), UNGROUPED)
      return {
        status: 'success',
        groups: groups.map(({ count, fingerprint, firstAt, lastAt, sample }) => ({
          fingerprint,
          count,
          level: sample.level,
          logger: sample.logger,
          module: sample.module,
          first_seen: istDateTime(firstAt),
          last_seen: istDateTime(lastAt),
          first_at: new Date(firstAt).toISOString(),
          last_at: new Date(lastAt).toISOString(),
          sample: entryView(sample),
        })),
        total_entries: entries,
        total_groups: total,
      }
    },
  }),
}

/** @throws ServiceError `validation` */
function levelOf(text: string): LogLevel {
  const names: readonly string[] = Object.keys(LOG_LEVELS)
  if (!names.includes(text)) throw new ServiceError('validation', 'Invalid level')
  return text as LogLevel
}

/** @throws ServiceError `validation` for a report without a message, or with a part that is no text */
function clientReport(body: unknown) {
  const { data } = anyReport.safeParse(body)
  if (data === undefined) throw new ServiceError('validation', 'Invalid payload')
  const message = data.message ?? ''
  if (clientMessage(message) === '') throw new ServiceError('validation', 'Missing message')
  return {
    message,
    level: data.level === 'WARN' ? ('WARN' as const) : ('ERROR' as const),
    stack: data.stack ?? undefined,
    url: data.url ?? undefined,
    componentStack: data.component_stack ?? undefined,
    userAgent: data.user_agent ?? undefined,
  }
}

function entryView({ at, details, exception, file, level, logger, message, module, request }: ErrorEntry) {
  return {
    ts: istDateTime(at),
    at: new Date(at).toISOString(),
    level,
    logger,
    module,
    file,
    message,
    ...(exception && { exception }),
    ...(request && { request }),
    details,
  }
}

/** @throws ServiceError `internal` with a message for the caller; the cause goes to the log */
export async function orFail<T>(reading: Promise<T>, message: string): Promise<T> {
  try {
    return await reading
  } catch (cause) {
    throw new ServiceError('internal', message, { cause })
  }
}
