import { z } from 'zod'
import { amount, count, text } from '../common/answers.js'

/** Answers about requests and how long they took. */

const figures = z.strictObject({
  total_requests: count,
  error_requests: count,
  avg_duration: amount.meta({ description: 'Milliseconds.' }),
})
export const trafficStatistics = z.strictObject({
  overall: figures,
  api: figures.meta({ description: 'Below /api/v1.' }),
  endpoints: z.record(text, z.strictObject({ total: count, errors: count, avg_duration: amount })),
})
export const trafficRows = z.array(
  z.strictObject({
    id: count,
    timestamp: text.meta({ description: 'DD-MM-YYYY hh:mm:ss AM, in Indian time.' }),
    at: text.meta({ format: 'date-time' }),
    client_ip: text,
    method: text,
    path: text.meta({ description: 'Without its query; tokens are `<redacted>`.' }),
    status_code: count,
    duration_ms: amount,
    host: text.nullable(),
    error: text.nullable(),
    user_id: text.nullable(),
  }),
)
export const trafficPage = z.strictObject({ stats: trafficStatistics, logs: trafficRows })

const group = {
  total_orders: count,
  failed_orders: count,
  avg_rtt: amount,
  avg_overhead: amount,
  avg_total: amount,
  p50_total: amount,
  p99_total: amount,
  sla_150ms: amount.meta({ description: 'Percent of orders below 150 ms.' }),
}
const groups = z.record(text, z.strictObject(group))
const histogram = z.strictObject({
  bins: z.array(text).meta({ description: 'Lower ends of 30 ranges of the round trip, in milliseconds.' }),
  counts: z.array(count),
  avg_rtt: amount,
  min_rtt: amount,
  max_rtt: amount,
})
export const latencyStatistics = z.strictObject({
  ...group,
  success_rate: amount.meta({ description: 'Percent.' }),
  p90_total: amount,
  p95_total: amount,
  sla_100ms: amount,
  sla_200ms: amount,
  broker_stats: groups,
  type_stats: groups,
  broker_histograms: z.record(text, histogram),
})
export const brokerLatency = z.strictObject({ ...group, histogram: histogram.optional() })
export const latencyRows = z.array(
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
export const latencyPage = z.strictObject({ stats: latencyStatistics, logs: latencyRows })
