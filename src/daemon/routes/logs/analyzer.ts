import type { OrderLogIssue, OrderLogRow, OrderLogTally } from '../../../core/telemetry/index.js'
import { DAY_MS, istDateTime } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { logsExportQuery } from '../../operations/logs/payloads.js'
import { type CsvColumns, sendCsv, stampedName } from './csv-file.js'
import { factsOf, strategyOf, UNKNOWN } from './entry.js'
import type { LogParts } from './order-logs.js'
import { filterOf } from './period.js'

const NEWEST = 100
/** The most requests of a period that one answer has; the CSV file has all. */
const MOST = 1000

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

/** Returns the handlers for the requests of Analyzer mode and their statistics. */
export function analyzerLogHandlers({ orderLogs, clock }: LogParts) {
  const statistics = async () => statisticsOf(await orderLogs.tallies('analyze', clock.ago(DAY_MS)))
  return {
    'GET /analyzer/api/data': async ({ query }) => {
      const filter = filterOf(query, clock.now())
      const rows = await orderLogs.list('analyze', { ...filter, limit: MOST })
      const { sources, ...stats } = await statistics()
      const data = { stats: { ...stats, sources: Object.keys(sources) }, requests: rows.map(requestOf) }
      return { status: 'success', data }
    },
    'GET /analyzer/stats': statistics,
    'GET /analyzer/requests': async () => {
      const rows = await orderLogs.list('analyze', { limit: NEWEST })
      return { requests: rows.map(requestOf) }
    },
    // The file is streamed while its rows are read, because it may be larger than the memory.
    'GET /analyzer/export': httpHandler((c) => {
      const now = clock.now()
      const filter = filterOf(parseWith(logsExportQuery, c.req.query()), now)
      const file = { name: stampedName('analyzer_logs', now), columns: COLUMNS, view: requestOf }
      return sendCsv(c, file, orderLogs.chunks('analyze', filter))
    }),
    'POST /analyzer/clear': async () => {
      const removed = await orderLogs.purge('analyze', clock.ago(DAY_MS))
      return { status: 'success', message: `Deleted ${removed} rows older than 24 hours`, removed }
    },
  } satisfies Partial<Handlers>
}

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
