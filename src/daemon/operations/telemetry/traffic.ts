import { z } from 'zod'
import type { TrafficFilter, TrafficRow } from '../../../core/telemetry/index.js'
import { istDayFirst } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { type CsvColumns, CsvFile } from '../../http/response/csv-file.js'
import { amount, count, text } from '../common/answers.js'
import { csvFile } from '../common/payloads.js'
import { measured, pageFields, telemetry, timePeriod, YESTERDAY } from './telemetry-facts.js'

const trafficFilter = z.object({
  ...timePeriod,
  search: fields.text(200).optional().meta({ description: 'In path, address, host, user or error.' }),
  client_ip: fields.text(50).optional(),
  method: fields.text(10).optional(),
  status_code: fields.integer().optional(),
  user: fields.text().optional(),
  errors: z.enum(['true', 'false']).optional().meta({ description: 'true: only status 400 and above.' }),
})
const trafficQuery = trafficFilter.extend(pageFields)
const trafficExportQuery = trafficFilter.extend(csvFile)

const figures = z.strictObject({
  total_requests: count,
  error_requests: count,
  avg_duration: amount.meta({ description: 'Milliseconds.' }),
})
const trafficStatistics = z.strictObject({
  overall: figures,
  api: figures.meta({ description: 'Below /api/v1.' }),
  endpoints: z.record(text, z.strictObject({ total: count, errors: count, avg_duration: amount })),
})
const trafficRows = z.array(
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
const trafficPage = z.strictObject({ stats: trafficStatistics, logs: trafficRows })

/** The log of requests. */
export const TRAFFIC_OPERATIONS = {
  'GET /logs/traffic': telemetry('Returns the statistics of the traffic log and its newest requests.', {
    ...measured,
    query: trafficQuery,
    example: { ...YESTERDAY, errors: 'true' },
    answer: trafficPage,
    answerText: 'text/html',
    run: shownPage,
  }),
  'GET /traffic/api/logs': telemetry('Lists the requests to the service, newest first.', {
    ...measured,
    query: trafficQuery,
    example: { ...YESTERDAY, errors: 'true' },
    answer: trafficRows,
    run: (service, { query }) => listed(service, query),
  }),
  'GET /traffic/api/stats': telemetry('Counts the requests: all, those of the API, and by endpoint.', {
    ...measured,
    answer: trafficStatistics,
    run: ({ traffic }) => traffic.statistics(),
  }),
  'GET /traffic/export': telemetry('Exports requests as a CSV file.', {
    ...measured,
    limit: 'tenAMinute',
    query: trafficExportQuery,
    example: YESTERDAY,
    answerText: 'text/csv',
    run: ({ traffic }, { query }) => {
      const file = { name: 'traffic_logs.csv', columns: COLUMNS, view: trafficView }
      return new CsvFile(file, traffic.export(trafficFilterOf(query)))
    },
  }),
}

/** The same for a browser. */
export const TRAFFIC_PAGE = {
  'GET /traffic': telemetry('Returns the same as GET /logs/traffic.', {
    ...measured,
    answerText: 'text/html',
    query: trafficQuery,
    example: { ...YESTERDAY, errors: 'true' },
    answer: trafficPage,
    run: shownPage,
  }),
}

async function shownPage(service: RunningService, { query }: { query: z.output<typeof trafficQuery> }) {
  return { stats: await service.traffic.statistics(), logs: await listed(service, query) }
}

async function listed(
  { traffic }: RunningService,
  { after, before, limit, ...filter }: z.output<typeof trafficQuery>,
) {
  const rows = await traffic.list({ after, before, limit, ...trafficFilterOf(filter) })
  return rows.map(trafficView)
}

const COLUMNS: CsvColumns<ReturnType<typeof trafficView>> = [
  ['Timestamp', ({ timestamp }) => timestamp],
  ['Client IP', (row) => row.client_ip],
  ['Method', ({ method }) => method],
  ['Path', ({ path }) => path],
  ['Status Code', (row) => row.status_code],
  ['Duration (ms)', (row) => row.duration_ms],
  ['Host', ({ host }) => host],
  ['Error', ({ error }) => error],
]

function trafficFilterOf({
  client_ip,
  errors,
  method,
  search,
  since,
  status_code,
  until,
  user,
}: z.output<typeof trafficFilter>) {
  const filter: TrafficFilter = {
    clientIp: client_ip,
    errors: errors === 'true',
    method: method?.toUpperCase(),
    search,
    statusCode: status_code,
    userId: user,
  }
  return { since, until, ...filter }
}

const hundredths = (ms: number) => Math.round(ms * 100) / 100

function trafficView(row: TrafficRow) {
  return {
    id: row.id,
    timestamp: istDayFirst(row.timestamp),
    at: new Date(row.timestamp).toISOString(),
    client_ip: row.clientIp,
    method: row.method,
    path: row.path,
    status_code: row.statusCode,
    duration_ms: hundredths(row.durationMs),
    host: row.host,
    error: row.error,
    user_id: row.userId,
  }
}
