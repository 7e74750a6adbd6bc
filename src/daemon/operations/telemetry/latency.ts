import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { LatencyRow } from '../../../core/telemetry/index.js'
import { istDayFirst, istIso } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { type CsvColumns, CsvFile } from '../../http/response/csv-file.js'
import { amount, count, text } from '../common/answers.js'
import { csvFile } from '../common/payloads.js'
import { measured, pageFields, telemetry, timePeriod, YESTERDAY } from './telemetry-facts.js'

const latencyFilter = z.object({
  ...timePeriod,
  search: fields.text(200).optional().meta({ description: 'In order id, symbol, type, broker or error.' }),
  broker: fields.text(50).optional(),
  order_type: fields.text(20).optional(),
  status: fields.oneOf(['SUCCESS', 'FAILED']).optional(),
})
const latencyQuery = latencyFilter.extend(pageFields)
const latencyExportQuery = latencyFilter.extend(csvFile)

const groupFields = {
  total_orders: count,
  failed_orders: count,
  avg_rtt: amount,
  avg_overhead: amount,
  avg_total: amount,
  p50_total: amount,
  p99_total: amount,
  sla_150ms: amount.meta({ description: 'Percent of orders below 150 ms.' }),
}
const groups = z.record(text, z.strictObject(groupFields))
const histogram = z.strictObject({
  bins: z.array(text).meta({ description: 'Lower ends of 30 ranges of the round trip, in milliseconds.' }),
  counts: z.array(count),
  avg_rtt: amount,
  min_rtt: amount,
  max_rtt: amount,
})
const latencyStatistics = z.strictObject({
  ...groupFields,
  success_rate: amount.meta({ description: 'Percent.' }),
  p90_total: amount,
  p95_total: amount,
  sla_100ms: amount,
  sla_200ms: amount,
  broker_stats: groups,
  type_stats: groups,
  broker_histograms: z.record(text, histogram),
})
const brokerLatency = z.strictObject({ ...groupFields, histogram: histogram.optional() })
const latencyRows = z.array(
  z.strictObject({
    id: count,
    timestamp: text.meta({ format: 'date-time' }),
    order_id: text,
    broker: text.nullable(),
    symbol: text.nullable(),
    order_type: text,
    source: text.nullable().meta({ description: 'api, approval, flow or strategy; null for data calls.' }),
    user_id: text.nullable(),
    rtt_ms: amount.meta({ description: 'Waiting for the broker, or for the decision of the sandbox.' }),
    validation_latency_ms: amount.meta({ description: 'From the arrival of the request to its execution.' }),
    response_latency_ms: amount.meta({ description: "From the broker's answer to the recorded end." }),
    overhead_ms: amount,
    total_latency_ms: amount,
    status: z.enum(['SUCCESS', 'FAILED']),
    error: text.nullable(),
  }),
)
const latencyPage = z.strictObject({ stats: latencyStatistics, logs: latencyRows })

/** How long orders and data calls took. */
export const LATENCY_OPERATIONS = {
  'GET /logs/latency': telemetry('Returns the latency statistics of orders and the newest measurements.', {
    ...measured,
    query: latencyQuery,
    example: { ...YESTERDAY, order_type: 'PLACE' },
    answer: latencyPage,
    answerText: 'text/html',
    run: shownPage,
  }),
  'GET /latency/api/logs': telemetry('Lists how long orders and data calls took, newest first.', {
    ...measured,
    query: latencyQuery,
    example: { ...YESTERDAY, order_type: 'PLACE' },
    answer: latencyRows,
    run: (service, { query }) => listed(service, query),
  }),
  'GET /latency/api/stats': telemetry('Returns the latency statistics of orders, at most 60 seconds old.', {
    ...measured,
    answer: latencyStatistics,
    run: ({ latency }) => latency.statistics(),
  }),
  'GET /latency/api/broker/:broker/stats': telemetry('Returns the latency statistics of one broker.', {
    ...measured,
    params: { broker: 'A broker, or sandbox.' },
    answer: brokerLatency,
    errors: ['not_found'],
    run: async ({ latency }, { params: { broker } }) => {
      const { broker_histograms, broker_stats } = await latency.statistics()
      const own = Object.hasOwn(broker_stats, broker) ? broker_stats[broker] : undefined
      if (!own)
        throw new ServiceError('not_found', 'Broker not found', { extra: { error: 'Broker not found' } })
      // Without orders in the last 30 days there is no histogram.
      const histogram = broker_histograms[broker]
      return { ...own, ...(histogram && { histogram }) }
    },
  }),
  'GET /latency/export': telemetry('Exports how long orders and data calls took as a CSV file.', {
    ...measured,
    limit: 'tenAMinute',
    query: latencyExportQuery,
    example: YESTERDAY,
    answerText: 'text/csv',
    run: ({ latency }, { query }) => {
      const file = { name: 'latency_logs.csv', columns: COLUMNS, view: (row: LatencyRow) => row }
      return new CsvFile(file, latency.export(latencyFilterOf(query)))
    },
  }),
}

/** The same for a browser. */
export const LATENCY_PAGE = {
  'GET /latency': telemetry('Returns the same as GET /logs/latency.', {
    ...measured,
    answerText: 'text/html',
    query: latencyQuery,
    example: { ...YESTERDAY, order_type: 'PLACE' },
    answer: latencyPage,
    run: shownPage,
  }),
}

async function shownPage(service: RunningService, { query }: { query: z.output<typeof latencyQuery> }) {
  return { stats: await service.latency.statistics(), logs: await listed(service, query) }
}

async function listed(
  { latency }: RunningService,
  { after, before, limit, ...filter }: z.output<typeof latencyQuery>,
) {
  const rows = await latency.list({ after, before, limit, ...latencyFilterOf(filter) })
  return rows.map(latencyView)
}

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

function latencyFilterOf({
  broker,
  order_type,
  search,
  since,
  status,
  until,
}: z.output<typeof latencyFilter>) {
  return { since, until, search, broker, orderType: order_type?.toUpperCase(), status }
}

function latencyView(row: LatencyRow) {
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
