import { TRAFFIC_COLUMNS, type TrafficRow, trafficRow } from '../../../views/logs/traffic.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { called, either } from '../../framework/command/declared.js'
import { usageError } from '../../framework/errors.js'
import { openPages } from './pages.js'
import { LOG_OPTIONS, type LogView, refuseRowOptions, showLog } from './show-log.js'

const WARNING = 400
const FAULT = 500

const statistics = called({
  calls: 'GET /traffic/api/stats',
  request(input) {
    refuseRowOptions(input, '--stats', ['client', 'method', 'status', 'user'])
    return {}
  },
  list({ api, endpoints, overall }) {
    const figures = [['all requests', overall] as const, ['/api/v1', api] as const].map(
      ([name, { avg_duration, error_requests, total_requests }]) => {
        return { name, total: total_requests, errors: error_requests, avg_duration }
      },
    )
    return {
      rows: [...figures, ...Object.entries(endpoints).map(([name, counted]) => ({ name, ...counted }))],
      columns: [
        { key: 'name' },
        { key: 'total', kind: 'quantity' },
        { key: 'errors', kind: 'quantity' },
        { key: 'avg_duration', title: 'AVERAGE MS', kind: 'decimals' },
      ],
      id: 'name',
      empty: 'No requests.',
    }
  },
})

export const traffic: CommandSpec = {
  name: 'traffic',
  summary: 'Shows the requests to the daemon: who asked for what, and the answer.',
  details:
    'Paths are shown without tokens and queries. TRAFFIC_LOG_RETENTION_DAYS sets how long requests are kept.',
  examples: [
    'log traffic',
    'log traffic --follow --errors',
    'log traffic --since 1h --search placeorder -o csv',
    'log traffic --client 203.0.113.9 --since today',
    'log traffic --stats',
  ],
  options: [
    ...LOG_OPTIONS,
    { flags: '--client <address>', field: 'client_ip', summary: 'only requests from this address' },
    { flags: '--method <method>', summary: 'only requests with this method' },
    { flags: '--status <code>', summary: 'only requests with this status' },
    { flags: '--user <name>', summary: 'only requests of this user' },
    { flags: '--stats', summary: 'count all stored requests by endpoint instead' },
  ],
  columns: TRAFFIC_COLUMNS,
  run: either(
    (input) => input.flag('stats'),
    statistics,
    (context, input) => showLog(context, input, trafficView(input)),
  ),
}

/** Reads `--status`. @throws a usage error that names the option */
function statusOf(input: Input): number | undefined {
  const status = input.number('status')
  if (status === undefined || (Number.isInteger(status) && status >= 100 && status <= 599)) return status
  throw usageError(`--status must be a whole number from 100 to 599, was "${input.text('status')}".`)
}

function trafficView(input: Input): LogView<TrafficRow> {
  const filter = {
    errors: input.flag('errors') ? 'true' : undefined,
    client_ip: input.text('client'),
    method: input.text('method'),
    status_code: statusOf(input),
    user: input.text('user'),
  }
  return {
    columns: TRAFFIC_COLUMNS,
    id: 'id',
    record: 'traffic-entry',
    empty: 'No requests.',
    line: ({ at, client_ip, duration_ms, error, method, path, status_code }) => ({
      time: at,
      topic: `${status_code} ${method}`,
      symbol: client_ip,
      words: [path, `${duration_ms} ms`, ...(error === null ? [] : [error])].join('  '),
      tone: status_code >= FAULT ? 'red' : status_code >= WARNING ? 'yellow' : undefined,
    }),
    open: (context, logFilter) =>
      openPages(context, logFilter, async (query) => {
        const { body } = await context.read('GET /traffic/api/logs', { query: { ...filter, ...query } })
        return body.map(trafficRow)
      }),
  }
}
