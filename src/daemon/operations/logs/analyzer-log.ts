import { z } from 'zod'
import type { OrderLogIssue, OrderLogRow, OrderLogTally } from '../../../core/telemetry/index.js'
import { DAY_MS, istDateTime } from '../../../core/time/index.js'
import type { RunningService } from '../../daemon.js'
import { type CsvColumns, CsvFile, stampedName } from '../../http/response/csv-file.js'
import type { ActRequest } from '../audit-facts.js'
import { count, message, ok, text } from '../common/answers.js'
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
  UNKNOWN,
} from './log-entry.js'

const NEWEST = 100
/** The most requests of a period that one answer has; the CSV file has all. */
const MOST = 1000

const daysQuery = z.object(dayPeriod).refine(isInOrder, ORDER)

const issueCounts = z.strictObject({
  total: count,
  by_type: z.strictObject({
    rate_limit: count,
    invalid_symbol: count,
    missing_quantity: count,
    invalid_exchange: count,
    other: count,
  }),
})
const statisticFields = { total_requests: count, issues: issueCounts, symbols: z.array(text) }

const requestShape = z.strictObject({
  timestamp: text.meta({ description: 'Indian time, YYYY-MM-DD HH:MM:SS.' }),
  api_type: text,
  source: text.meta({ description: 'The strategy of the request.' }),
  request_data: recordedData,
  response_data: recordedData,
  analysis: z.strictObject({
    issues: z.boolean(),
    error: nullableText,
    error_type: z.enum(['error', 'success']),
    warnings: z.array(text),
  }),
  symbol: z.unknown().optional(),
  exchange: z.unknown().optional(),
  action: z.unknown().optional(),
  quantity: z.unknown().optional(),
  price_type: z.unknown().optional(),
  product_type: z.unknown().optional(),
  position_size: z.unknown().optional(),
  orderid: z.unknown().optional(),
})

const analyzerData = ok({
  data: z.strictObject({
    stats: z.strictObject({ ...statisticFields, sources: z.array(text) }),
    requests: z.array(requestShape),
  }),
})
const analyzerStats = z.strictObject({ ...statisticFields, sources: z.record(z.string(), count) })
const analyzerRequests = z.strictObject({ requests: z.array(requestShape) })
const cleared = ok({ message, removed: count })

/** The requests of Analyzer mode and their statistics. */
export const ANALYZER_LOG_OPERATIONS = {
  'GET /analyzer/api/data': log(
    'Returns statistics of the last 24 hours, and the newest 1000 requests of the analyzer log in a period.',
    {
      ...reading,
      query: daysQuery,
      example: DAY,
      answer: analyzerData,
      run: async (service, { query }) => {
        const filter = filterOf(query, service.clock.now())
        const rows = await service.orderLogs.list('analyze', { ...filter, limit: MOST })
        const { sources, ...stats } = await statistics(service)
        const data = { stats: { ...stats, sources: Object.keys(sources) }, requests: rows.map(requestOf) }
        return { status: 'success', data }
      },
    },
  ),
  'GET /analyzer/stats': log('Returns statistics of the analyzer log of the last 24 hours.', {
    scopes: ['read'],
    answer: analyzerStats,
    run: statistics,
  }),
  'GET /analyzer/requests': log('Returns the newest 100 requests of the analyzer log.', {
    scopes: ['read'],
    answer: analyzerRequests,
    run: async ({ orderLogs }) => {
      const rows = await orderLogs.list('analyze', { limit: NEWEST })
      return { requests: rows.map(requestOf) }
    },
  }),
  'GET /analyzer/export': log('Exports the analyzer log as a CSV file, of any length.', {
    ...reading,
    query: logsExportQuery,
    example: DAY,
    answerText: 'text/csv',
    run: ({ orderLogs, clock }, { query }) => {
      const now = clock.now()
      const file = { name: stampedName('analyzer_logs', now), columns: COLUMNS, view: requestOf }
      return new CsvFile(file, orderLogs.chunks('analyze', filterOf(query, now)))
    },
  }),
  'POST /analyzer/clear': log('Deletes the rows of the analyzer log that are older than 24 hours.', {
    scopes: ['admin'],
    answer: cleared,
    audit: { act: 'log.clear_analyzer', values: analyzerValues },
    run: async ({ orderLogs, clock }) => {
      const removed = await orderLogs.purge('analyze', clock.ago(DAY_MS))
      return { status: 'success', message: `Deleted ${removed} rows older than 24 hours`, removed }
    },
  }),
}

type AnalyzedRequest = ReturnType<typeof requestOf>

const COLUMNS: CsvColumns<AnalyzedRequest> = [
  ['Timestamp', ({ timestamp }) => timestamp],
  ['API Type', (request) => request.api_type],
  ['Source', ({ source }) => source],
  ['Symbol', (request) => request.request_data.symbol],
  ['Exchange', (request) => request.request_data.exchange],
  ['Action', (request) => request.request_data.action],
  ['Quantity', (request) => request.request_data.quantity],
  ['Price Type', (request) => request.request_data.pricetype],
  ['Product Type', (request) => request.request_data.product],
  ['Status', ({ analysis }) => (analysis.issues ? 'Error' : 'Success')],
  ['Error Message', ({ analysis }) => analysis.error],
]

/** Returns a row as the analyzer shows it, with the facts of an order. */
function requestOf({ apiType, requestData, responseData, createdAt }: OrderLogRow) {
  const [request_data, response_data] = [factsOf(requestData), factsOf(responseData)]
  const failed = response_data.status === 'error'
  return {
    timestamp: istDateTime(createdAt),
    api_type: apiType,
    source: strategyOf(request_data),
    request_data,
    response_data,
    analysis: {
      issues: failed,
      error: failed ? messageOf(response_data.message) : null,
      error_type: failed ? ('error' as const) : ('success' as const),
      warnings: [],
    },
    ...orderFacts(apiType, request_data),
  }
}

function orderFacts(apiType: string, request: Readonly<Record<string, unknown>>) {
  if (apiType === 'cancelorder') return { orderid: request.orderid }
  if (apiType !== 'placeorder' && apiType !== 'placesmartorder') return {}
  const { symbol, exchange, action, quantity, pricetype, product, position_size } = request
  return {
    symbol,
    exchange,
    action,
    quantity,
    price_type: pricetype,
    product_type: product,
    ...(apiType === 'placesmartorder' && { position_size }),
  }
}

/** Returns the message of a refusal as text. */
function messageOf(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message ?? 'Unknown error')
}

/** Returns the statistics of the last 24 hours. */
async function statistics({ clock, orderLogs }: RunningService) {
  return statisticsOf(await orderLogs.tallies('analyze', clock.ago(DAY_MS)))
}

function statisticsOf(tallies: readonly OrderLogTally[]) {
  const by_type: Record<OrderLogIssue, number> = {
    rate_limit: 0,
    invalid_symbol: 0,
    missing_quantity: 0,
    invalid_exchange: 0,
    other: 0,
  }
  const sources = new Map<string, number>()
  const symbols = new Set<string>()
  let total_requests = 0
  for (const { strategy, symbol, issue, total } of tallies) {
    total_requests += total
    const source = strategy || UNKNOWN
    sources.set(source, (sources.get(source) ?? 0) + total)
    if (symbol) symbols.add(symbol)
    if (issue) by_type[issue] += total
  }
  const total = Object.values(by_type).reduce((sum, count) => sum + count, 0)
  return {
    total_requests,
    issues: { total, by_type },
    symbols: [...symbols].sort(),
    sources: Object.fromEntries(sources),
  }
}

async function analyzerValues({ service }: ActRequest<RunningService>) {
  return { rows: await service.orderLogs.total('analyze') }
}
