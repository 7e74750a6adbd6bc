import type { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { LatencyRecorder, LatencyRow } from '../../../core/telemetry/index.js'
import { istDayFirst, istIso } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import {
  latencyExportQuery,
  type latencyFilter,
  type latencyQuery,
} from '../../operations/telemetry/payloads.js'
import { type CsvColumns, sendCsv } from './csv-file.js'

const COLUMNS: CsvColumns<LatencyRow> = [
  ['Date & Time (IST)', ({ timestamp }) => istDayFirst(timestamp)],
  ['Broker', ({ broker }) => broker],
  ['Order ID', ({ orderId }) => orderId],
  ['Symbol', ({ symbol }) => symbol],
  ['Order Type', ({ orderType }) => orderType],
  ['Broker Confirmation (ms)', ({ rttMs }) => rttMs],
  ['Platform Overhead (ms)', ({ overheadMs }) => overheadMs],
  ['Total Latency (ms)', ({ totalLatencyMs }) => totalLatencyMs],
  ['Status', ({ status }) => status],
  ['Error (if any)', ({ error }) => error],
]

/** Returns the handlers for the latency of orders and data calls. */
export function latencyHandlers({ latency }: { latency: LatencyRecorder }) {
  const logs = async ({ after, before, limit, ...filter }: z.output<typeof latencyQuery>) => {
    const rows = await latency.list({ after, before, limit, ...chosen(filter) })
    return rows.map(view)
  }
  const page = async ({ query }: { query: z.output<typeof latencyQuery> }) => ({
    stats: await latency.statistics(),
    logs: await logs(query),
  })
  return {
    'GET /logs/latency': page,
    'GET /latency': page,
    'GET /latency/api/logs': ({ query }) => logs(query),
    'GET /latency/api/stats': () => latency.statistics(),
    'GET /latency/api/broker/:broker/stats': async ({ params: { broker } }) => {
      const { broker_histograms, broker_stats } = await latency.statistics()
      const own = Object.hasOwn(broker_stats, broker) ? broker_stats[broker] : undefined
      if (!own)
        throw new ServiceError('not_found', 'Broker not found', { extra: { error: 'Broker not found' } })
      // Without orders in the last 30 days there is no histogram.
      const histogram = broker_histograms[broker]
      return { ...own, ...(histogram && { histogram }) }
    },
    // A file, which may be larger than the memory.
    'GET /latency/export': httpHandler((c) => {
      const filter = parseWith(latencyExportQuery, c.req.query())
      const file = { name: 'latency_logs.csv', columns: COLUMNS, view: (row: LatencyRow) => row }
      return sendCsv(c, file, latency.export(chosen(filter)))
    }),
  } satisfies Partial<Handlers>
}

function chosen({ broker, order_type, search, since, status, until }: z.output<typeof latencyFilter>) {
  return { since, until, search, broker, orderType: order_type?.toUpperCase(), status }
}

function view(row: LatencyRow) {
  return {
    id: row.id,
    timestamp: istIso(row.timestamp),
    order_id: row.orderId,
    broker: row.broker,
    symbol: row.symbol,
    order_type: row.orderType,
    source: row.source,
    user_id: row.userId,
    rtt_ms: row.rttMs,
    validation_latency_ms: row.validationLatencyMs,
    response_latency_ms: row.responseLatencyMs,
    overhead_ms: row.overheadMs,
    total_latency_ms: row.totalLatencyMs,
    status: row.status === 'SUCCESS' ? ('SUCCESS' as const) : ('FAILED' as const),
    error: row.error,
  }
}
