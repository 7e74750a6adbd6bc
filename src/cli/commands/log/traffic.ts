import type { RouteAnswer } from '../../../client/endpoints.js'
import { TRAFFIC_COLUMNS } from '../../../views/logs/traffic.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { openPages } from './pages.js'
import { LOG_OPTIONS, type LogView, refuseRowOptions, showLog } from './show-log.js'

type TrafficRow = RouteAnswer<'GET /traffic/api/logs'>[number]

const WARNING = 400
const FAULT = 500

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
    { flags: '--errors', summary: 'only requests that were refused or failed (status 400 and above)' },
    { flags: '--client <address>', summary: 'only requests from this address' },
    { flags: '--method <method>', summary: 'only requests with this method' },
    { flags: '--status <code>', summary: 'only requests with this status' },
    { flags: '--user <name>', summary: 'only requests of this user' },
    { flags: '--stats', summary: 'count all stored requests by endpoint instead' },
  ],
  run: (context, input) => {
    if (!input.flag('stats')) return showLog(context, input, trafficView(input))
    refuseRowOptions(input, '--stats', ['errors', 'client', 'method', 'status', 'user'])
    return showStatistics(context)
  },
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
        return body
      }),
  }
}

async function showStatistics(context: Context): Promise<ExitStatus> {
  const { body } = await context.read('GET /traffic/api/stats', {})
  const figures = [['all requests', body.overall] as const, ['/api/v1', body.api] as const].map(
    ([name, { avg_duration, error_requests, total_requests }]) => {
      return { name, total: total_requests, errors: error_requests, avg_duration }
    },
  )
  const endpoints = Object.entries(body.endpoints).map(([name, counted]) => ({ name, ...counted }))
  await context.out.list({
    rows: [...figures, ...endpoints],
    columns: [
      { key: 'name' },
      { key: 'total', kind: 'quantity' },
      { key: 'errors', kind: 'quantity' },
      { key: 'avg_duration', title: 'AVERAGE MS', kind: 'decimals' },
    ],
    id: 'name',
    empty: 'No requests.',
  })
  return EXIT.done
}
