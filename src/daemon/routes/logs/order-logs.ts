import type { z } from 'zod'
import type { OrderLogRow, OrderLogs } from '../../../core/telemetry/index.js'
import type { Clock } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { logsExportQuery, type logsQuery } from '../../operations/logs/payloads.js'
import { type CsvColumns, sendCsv, stampedName } from './csv-file.js'
import { entryOf } from './entry.js'
import { filterOf } from './period.js'

const PAGE = 20

export interface LogParts {
  orderLogs: OrderLogs
  clock: Clock
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

/** Returns the handlers for the order log, and for both logs by position. */
export function orderLogHandlers({ orderLogs, clock }: LogParts) {
  const pagesOf =
    (mode: 'live' | 'analyze') =>
    async ({ query: { page, ...days } }: { query: z.output<typeof logsQuery> }) => {
      const filter = filterOf(days, clock.now())
      const offset = PAGE * (Math.max(1, page) - 1)
      const total = await orderLogs.count(mode, filter)
      // A search that ends before this page would read the whole log once more to find nothing.
      const rows = offset < total ? await orderLogs.list(mode, { ...filter, limit: PAGE, offset }) : []
      return { logs: rows.map(entryOf), total_pages: Math.ceil(total / PAGE), current_page: page }
    }
  return {
    'GET /logs': pagesOf('live'),
    'GET /logs/live': pagesOf('live'),
    'GET /logs/sandbox': pagesOf('analyze'),
    'GET /logs/entries': async ({ query: { log, since, until, before, after, ...wanted } }) => {
      const mode = log === 'orders' ? 'live' : 'analyze'
      const filter = { ...wanted, from: since, to: until }
      if (after !== undefined) {
        const { rows, newestId } = await orderLogs.added(mode, after, filter)
        return { status: 'success', ...pageOf(rows, wanted.limit), newest_id: newestId }
      }
      // Read before the page: a row that arrives in between may be in two answers, but is never missing from both.
      const newestId = await orderLogs.newestId(mode)
      const page = { ...filter, limit: wanted.limit + 1, ...positionOf(before) }
      return {
        status: 'success',
        ...pageOf(await orderLogs.list(mode, page), wanted.limit),
        newest_id: newestId,
      }
    },
    // The file is streamed while its rows are read, because it may be larger than the memory.
    'GET /logs/export': httpHandler((c) => {
      const now = clock.now()
      const filter = filterOf(parseWith(logsExportQuery, c.req.query()), now)
      const file = { name: stampedName('svc_logs', now), columns: COLUMNS, view: entryOf }
      return sendCsv(c, file, orderLogs.chunks('live', filter))
    }),
  } satisfies Partial<Handlers>
}

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
