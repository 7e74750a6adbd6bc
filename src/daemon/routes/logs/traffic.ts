import type { z } from 'zod'
import type { TrafficFilter, TrafficLog, TrafficRow } from '../../../core/telemetry/index.js'
import { istDayFirst } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import {
  trafficExportQuery,
  type trafficFilter,
  type trafficQuery,
} from '../../operations/telemetry/payloads.js'
import { type CsvColumns, sendCsv } from './csv-file.js'

const COLUMNS: CsvColumns<ReturnType<typeof view>> = [
  ['Timestamp', ({ timestamp }) => timestamp],
  ['Client IP', (row) => row.client_ip],
  ['Method', ({ method }) => method],
  ['Path', ({ path }) => path],
  ['Status Code', (row) => row.status_code],
  ['Duration (ms)', (row) => row.duration_ms],
  ['Host', ({ host }) => host],
  ['Error', ({ error }) => error],
]

/** Returns the handlers for the log of requests. */
export function trafficHandlers({ traffic }: { traffic: TrafficLog }) {
  const logs = async ({ after, before, limit, ...filter }: z.output<typeof trafficQuery>) => {
    const rows = await traffic.list({ after, before, limit, ...chosen(filter) })
    return rows.map(view)
  }
  const page = async ({ query }: { query: z.output<typeof trafficQuery> }) => ({
    stats: await traffic.statistics(),
    logs: await logs(query),
  })
  return {
    'GET /logs/traffic': page,
    'GET /traffic': page,
    'GET /traffic/api/logs': ({ query }) => logs(query),
    'GET /traffic/api/stats': () => traffic.statistics(),
    // A file, which may be larger than the memory.
    'GET /traffic/export': httpHandler((c) => {
      const filter = parseWith(trafficExportQuery, c.req.query())
      const file = { name: 'traffic_logs.csv', columns: COLUMNS, view }
      return sendCsv(c, file, traffic.export(chosen(filter)))
    }),
  } satisfies Partial<Handlers>
}

function chosen({
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

function view(row: TrafficRow) {
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
