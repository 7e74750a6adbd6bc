import type { RouteAnswer } from '../../../client/endpoints.js'
import { LATENCY_COLUMNS } from '../../../views/logs/latency.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { called, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { histogramOf } from '../../output/charts/chart.js'
import { openPages } from './pages.js'
import { LOG_OPTIONS, type LogView, refuseRowOptions, showLog } from './show-log.js'

type LatencyRow = RouteAnswer<'GET /latency/api/logs'>[number]

/** The types of orders, and of the data calls that are most frequent. A test compares them with the daemon's. */
export const TYPES = [
  ...[
    'PLACE',
    'SMART',
    'MODIFY',
    'CANCEL',
    'CLOSE',
    'CANCEL_ALL',
    'BASKET',
    'SPLIT',
    'OPTIONS',
    'OPTIONS_MULTI',
  ],
  ...['GTT_PLACE', 'GTT_MODIFY', 'GTT_CANCEL'],
  ...[
    'QUOTES',
    'MULTIQUOTES',
    'DEPTH',
    'HISTORY',
    'FUNDS',
    'ORDERBOOK',
    'TRADEBOOK',
    'POSITIONBOOK',
    'HOLDINGS',
  ],
  ...['ORDERSTATUS', 'OPENPOSITION', 'MARGIN', 'OPTIONCHAIN', 'SEARCH', 'SYMBOL'],
]

const CHART_MARGIN = 24
const NARROWEST_CHART = 20

const statistics = called({
  calls: 'GET /latency/api/stats',
  request(input) {
    requireAllRows(input)
    return {}
  },
  list: ({ broker_stats, type_stats, broker_histograms: _, ...all }) => ({
    rows: [
      { name: 'all orders', ...all },
      ...Object.entries({ ...broker_stats, ...type_stats }).map(([name, group]) => ({ name, ...group })),
    ],
    columns: [
      { key: 'name' },
      { key: 'total_orders', title: 'ORDERS', kind: 'quantity' },
      { key: 'failed_orders', title: 'FAILED', kind: 'quantity' },
      { key: 'avg_rtt', title: 'BROKER', kind: 'decimals' },
      { key: 'avg_overhead', title: 'OWN', kind: 'decimals' },
      { key: 'avg_total', title: 'TOTAL MS', kind: 'decimals' },
      { key: 'p50_total', title: 'P50', kind: 'decimals' },
      { key: 'p99_total', title: 'P99', kind: 'decimals' },
      { key: 'sla_150ms', title: '% <150 MS', kind: 'decimals' },
    ],
    id: 'name',
    empty: 'No order was measured.',
  }),
})

export const latency: CommandSpec = {
  name: 'latency',
  summary: 'Shows how long orders and data calls took, and the part of the broker in it.',
  details:
    'An order has a row when it reached a broker or the sandbox, however it came. ' +
    '--stats and --chart cover orders; percentiles and charts cover the last 30 days.',
  examples: [
    'log latency',
    'log latency --chart',
    'log latency --stats',
    'log latency --type PLACE --since today -o csv',
    'log latency --status FAILED --follow',
  ],
  options: [
    ...LOG_OPTIONS,
    { flags: '--broker <id>', summary: 'only this broker, or sandbox' },
    {
      flags: '--type <type>',
      field: 'order_type',
      summary: 'only this type: PLACE, MODIFY, CANCEL, BASKET, QUOTES, …',
      complete: TYPES,
    },
    { flags: '--status <status>', summary: 'only these ends', choices: ['SUCCESS', 'FAILED'] },
    { flags: '--stats', summary: 'statistics by broker and type instead' },
    { flags: '--chart', summary: 'draw the round trips to each broker (a terminal only; with -o, --stats)' },
  ],
  columns: LATENCY_COLUMNS,
  run: either(
    (input) => input.flag('chart') || input.flag('stats'),
    either((input, { format }) => input.flag('chart') && !format, showCharts, statistics),
    (context, input) => showLog(context, input, latencyView(input)),
  ),
}

/** @throws a usage error for options that statistics and charts would ignore */
function requireAllRows(input: Input): void {
  refuseRowOptions(input, input.flag('chart') ? '--chart' : '--stats', ['broker', 'type', 'status'])
}

function latencyView(input: Input): LogView<LatencyRow> {
  if (input.flag('errors') && input.text('status') === 'SUCCESS') {
    throw usageError('--errors and --status SUCCESS contradict each other.')
  }
  const filter = {
    broker: input.text('broker'),
    order_type: input.text('type'),
    status: input.flag('errors') ? 'FAILED' : input.text('status'),
  }
  return {
    columns: LATENCY_COLUMNS,
    id: 'id',
    record: 'latency-entry',
    empty: 'Nothing was measured.',
    line: ({ broker, error, order_type, rtt_ms, status, symbol, timestamp, total_latency_ms }) => ({
      time: timestamp,
      topic: `${order_type} ${status}`,
      symbol: symbol ?? '',
      words: [
        `${total_latency_ms.toFixed(2)} ms, ${rtt_ms.toFixed(2)} of them at ${broker ?? 'no broker'}`,
        ...(error === null ? [] : [error]),
      ].join('  '),
      tone: status === 'FAILED' ? 'yellow' : undefined,
    }),
    open: (context, logFilter) =>
      openPages(context, logFilter, async (query) => {
        const { body } = await context.read('GET /latency/api/logs', { query: { ...filter, ...query } })
        return body
      }),
  }
}

async function showCharts(context: Context, input: Input): Promise<ExitStatus> {
  requireAllRows(input)
  const { body } = await context.read('GET /latency/api/stats', {})
  const width = Math.max(NARROWEST_CHART, context.io.stdout.columns - CHART_MARGIN)
  const ms = (value: number) => `${value.toFixed(2)} ms`
  for (const [broker, { avg_rtt, bins, counts, max_rtt, min_rtt }] of Object.entries(
    body.broker_histograms,
  )) {
    const counted = counts.map((count, bin) => ({ label: `${bins[bin] ?? ''} ms`, count }))
    context.out.write(`${broker}: ${ms(min_rtt)} to ${ms(max_rtt)}, ${ms(avg_rtt)} on average\n`)
    context.out.write(`${histogramOf(counted, { width })}\n`)
  }
  const { p50_total, p90_total, p95_total, p99_total, sla_100ms, sla_150ms, sla_200ms, total_orders } = body
  if (total_orders === 0) {
    context.out.note('No order was measured.')
    return EXIT.done
  }
  const percentiles = `p50 ${ms(p50_total)}, p90 ${ms(p90_total)}, p95 ${ms(p95_total)}, p99 ${ms(p99_total)}`
  const [in100, in150, in200] = [sla_100ms, sla_150ms, sla_200ms].map((share) => `${share.toFixed(1)} %`)
  context.out.write(`${total_orders} orders, total time: ${percentiles}\n`)
  context.out.write(`below 100 ms: ${in100}, below 150 ms: ${in150}, below 200 ms: ${in200}\n`)
  return EXIT.done
}
