import { z } from 'zod'
import type { OrderLogRow } from '../../../core/telemetry/index.js'
import { istTwelveHours } from '../../../core/time/index.js'
import type { TradingMode } from '../../../core/trading/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { type CsvColumns, CsvFile, stampedName } from '../../http/response/csv-file.js'
import { count, instant as instantText, ok, text } from '../common/answers.js'
import { instant } from '../common/payloads.js'
import {
  DAY,
  dayPeriod,
  factsOf,
  filterOf,
  isInOrder,
  log,
  logsExportQuery,
  nullableText,
  ORDER,
  reading,
  recordedData,
  strategyOf,
} from './log-entry.js'
import { READS } from './reads.js'

const PAGE = 20

/** Indian days. Without any, today. */
const logsQuery = z
  .object({
    page: fields
      .integer()
      .refine((page) => page >= 0 && page <= 1_000_000, 'Must be between 0 and 1000000.')
      .default(1),
    ...dayPeriod,
  })
  .refine(isInOrder, ORDER)

const id = fields.integer().refine((row) => row >= 0, 'Must be at least 0.')

/** Rows by position, for programs that read on. */
const entriesQuery = z
  .object({
    log: fields.oneOf(['orders', 'analyzer']).default('orders'),
    since: instant.optional(),
    until: instant.optional(),
    search: dayPeriod.search,
    errors: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'true: only requests that were refused or failed.' }),
    reads: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'false: without requests that only read, such as positionbook and quotes.' }),
    limit: fields
      .integer()
      .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
      .default(100),
    before: fields
      .text(40)
      .regex(/^\d{1,15}-\d{1,15}$/, 'Must be next_before of another page.')
      .optional(),
    after: id.optional(),
  })
  .refine(({ before, after }) => before === undefined || after === undefined, {
    path: ['after'],
    message: 'Must not be combined with before.',
  })

/** Credentials are removed before a row is stored. */
const entryFields = {
  id: count,
  api_type: text,
  request_data: recordedData,
  response_data: recordedData,
  strategy: text.meta({ description: 'Of the request; Unknown if it has none.' }),
  created_at: text.meta({ description: 'Indian time, YYYY-MM-DD hh:mm:ss AM.' }),
}

const logPage = z.strictObject({
  logs: z.array(z.strictObject(entryFields)),
  total_pages: count,
  current_page: count,
})

const entries = ok({
  data: z.array(z.strictObject({ ...entryFields, at: instantText })),
  next_before: nullableText.meta({ description: 'Position of the next older page; null at the end.' }),
  newest_id: count.meta({ description: 'Give it as after to get the rows added since.' }),
})

/** The order log, and both logs by position. */
export const ORDER_LOG_OPERATIONS = {
  'GET /logs': log('Lists the order log by pages of 20, newest first: of Indian days, or of today.', {
    ...reading,
    query: logsQuery,
    example: { page: 1, ...DAY },
    answer: logPage,
    answerText: 'text/html',
    run: pagesOf('live'),
  }),
  'GET /logs/entries': log('Lists the order log or the analyzer log; with after, the rows added since.', {
    ...reading,
    query: entriesQuery,
    example: { log: 'orders', since: '2026-11-20T00:00:00+05:30' },
    answer: entries,
    run: async ({ orderLogs }, { query: { log, since, until, before, after, errors, reads, ...asked } }) => {
      const mode = log === 'orders' ? 'live' : 'analyze'
      const without = reads === 'false' ? READS : []
      const filter = { ...asked, from: since, to: until, errors: errors === 'true', without }
      if (after !== undefined) {
        const { rows, newestId } = await orderLogs.added(mode, after, filter)
        return { status: 'success', ...pageOf(rows, asked.limit), newest_id: newestId }
      }
      // Read before the page: a row that arrives in between may be in two answers, but is never missing from both.
      const newestId = await orderLogs.newestId(mode)
      const page = { ...filter, limit: asked.limit + 1, ...positionOf(before) }
      return {
        status: 'success',
        ...pageOf(await orderLogs.list(mode, page), asked.limit),
        newest_id: newestId,
      }
    },
  }),
  'GET /logs/export': log('Exports the order log as a CSV file, of any length.', {
    ...reading,
    query: logsExportQuery,
    example: DAY,
    answerText: 'text/csv',
    run: ({ orderLogs, clock }, { query }) => {
      const now = clock.now()
      const file = { name: stampedName('svc_logs', now), columns: COLUMNS, view: entryOf }
      return new CsvFile(file, orderLogs.chunks('live', filterOf(query, now)))
    },
  }),
}

/** The pages of the logs. */
export const LOG_PAGES = {
  'GET /logs/live': log('Returns the same as GET /logs.', {
    ...reading,
    answerText: 'text/html',
    query: logsQuery,
    example: { page: 1, ...DAY },
    answer: logPage,
    run: pagesOf('live'),
  }),
  'GET /logs/sandbox': log('Lists the analyzer log as GET /logs does the order log.', {
    ...reading,
    answerText: 'text/html',
    query: logsQuery,
    example: { page: 1, ...DAY },
    answer: logPage,
    run: pagesOf('analyze'),
  }),
}

/** Returns a function that lists the log of a mode by pages. */
function pagesOf(mode: TradingMode) {
  return async (
    { clock, orderLogs }: RunningService,
    { query: { page, ...days } }: { query: z.output<typeof logsQuery> },
  ) => {
    const filter = filterOf(days, clock.now())
    const offset = PAGE * (Math.max(1, page) - 1)
    const total = await orderLogs.count(mode, filter)
    // A search that ends before this page would read the whole log once more to find nothing.
    const rows = offset < total ? await orderLogs.list(mode, { ...filter, limit: PAGE, offset }) : []
    return { logs: rows.map(entryOf), total_pages: Math.ceil(total / PAGE), current_page: page }
  }
}

/** Returns a row as the API shows it. */
function entryOf({ id, apiType, requestData, responseData, createdAt }: OrderLogRow) {
  const request_data = factsOf(requestData)
  return {
    id,
    api_type: apiType,
    request_data,
    response_data: factsOf(responseData),
    strategy: strategyOf(request_data),
    created_at: istTwelveHours(createdAt),
  }
}

type Entry = ReturnType<typeof entryOf>

const COLUMNS: CsvColumns<Entry> = [
  ['ID', ({ id }) => id],
  ['Timestamp', (entry) => entry.created_at],
  ['API Type', (entry) => entry.api_type],
  ['Strategy', ({ strategy }) => strategy],
  ['Exchange', (entry) => entry.request_data.exchange],
  ['Symbol', (entry) => entry.request_data.symbol],
  ['Action', (entry) => entry.request_data.action],
  ['Product', (entry) => entry.request_data.product],
  ['Price Type', (entry) => entry.request_data.pricetype],
  ['Quantity', (entry) => entry.request_data.quantity],
  ['Position Size', (entry) => entry.request_data.position_size],
  ['Price', (entry) => entry.request_data.price],
  ['Trigger Price', (entry) => entry.request_data.trigger_price],
  ['Disclosed Quantity', (entry) => entry.request_data.disclosed_quantity],
  ['Order ID', (entry) => entry.response_data.orderid ?? entry.request_data.orderid],
  ['Response', (entry) => entry.response_data],
]

function positionOf(text: string | undefined) {
  if (text === undefined) return {}
  const [createdAt = 0, id = 0] = text.split('-').map(Number)
  return { before: { createdAt, id } }
}

function pageOf(rows: readonly OrderLogRow[], limit: number) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    data: page.map((row) => ({ ...entryOf(row), at: new Date(row.createdAt).toISOString() })),
    next_before: last ? `${last.createdAt}-${last.id}` : null,
  }
}
