import { z } from 'zod'
import {
  clientMessage,
  type ErrorEntry,
  type ErrorLog,
  logClientReport,
} from '../../../core/diagnostics/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { LOG_LEVELS, type Logger, type LogLevel } from '../../../core/logging/index.js'
import { istDateTime } from '../../../core/time/index.js'
import { readJson } from '../../http/body/body.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { clientErrorPayload } from '../../operations/diagnostics/payloads.js'

interface ErrorParts {
  errors: ErrorLog
  log: Logger
}

/** A missing message has a refusal of its own. */
const anyReport = clientErrorPayload.extend({ message: z.string().nullish() })
const UNREADABLE = 'Failed to read error log'
const UNGROUPED = 'Failed to group errors'

/** Returns the handlers for the error log, and for the errors that pages report. */
export function errorHandlers({ errors, log }: ErrorParts) {
  return {
    'GET /admin/api/errors': async ({ query: { level, limit, q } }) => {
      const wanted = { limit, ...(q && { text: q }), ...(level && { level: levelOf(level) }) }
      const { entries, scanned, total } = await orFail(errors.recent(wanted), UNREADABLE)
      return {
        status: 'success',
        data: entries.map(entryView),
        count: entries.length,
        scanned,
        total_in_window: total,
      }
    },
    // A page sends what its browser knows, so the refusals name no field.
    'POST /admin/api/errors/client': httpHandler(async (c) => {
      const report = clientReport(await readJson(c))
      logClientReport(log, report, c.get('principal').username)
      return c.json({ status: 'success' })
    }),
    'GET /admin/api/errors/stats': async () => {
      const { byLevel, lastDay, lastHour, total } = await orFail(errors.counts(), UNREADABLE)
      return { status: 'success', total, by_level: byLevel, last_24h: lastDay, last_1h: lastHour }
    },
    'GET /admin/api/errors/groups': async ({ query: { limit } }) => {
      const { entries, groups, total } = await orFail(errors.groups(limit), UNGROUPED)
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
  } satisfies Partial<Handlers>
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
