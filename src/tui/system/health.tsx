import { Box } from 'ink'
import { ALERT_COLUMNS } from '../../views/system/health-alert.js'
import type { Column } from '../../views/table/column.js'
import { countText } from '../../views/text/count.js'
import { Chart, type ChartSeries, isFlat } from '../components/chart/Chart.js'
import { Table } from '../components/list/Table.js'
import type { Change } from '../live/changes/changes.js'
import { listView } from '../screen/list-view.js'
import type { Strip } from '../screen/record.js'
import type { Area } from '../terminal/size.js'
import { type Alert, type HealthContent, HealthFeed, type Load } from './health-feed.js'

/** The health of the daemon over time, and its alerts. */
export const health = listView({
  name: 'health',
  feed: HealthFeed,
  useRows: ({ content }) => content.alerts,
  columns: ALERT_COLUMNS,
  fields: ALERT_COLUMNS.map((column) => ({ ...column, wide: false })),
  empty: 'No open alerts. A measure over its limit opens one.',
  summary({ content: { alerts, sample } }) {
    const state = sample === undefined ? 'no sample yet' : `status ${sample.overall_status}`
    return `${state}  ${countText(alerts.length, 'open alert')}  last hour; load since you opened this`
  },
  above: ({ content }, area) => figuresStrip(content, area),
  keys: [
    {
      id: 'health.acknowledge',
      keys: ['a'],
      does: 'acknowledge',
      explained: 'mark the alert as seen',
      command: 'svc admin health acknowledge <id>',
      act: ({ row, daemon, refresh }) =>
        row && daemon.changes.start(alertChange(row, 'acknowledge', refresh)),
    },
    {
      id: 'health.resolve',
      keys: ['x'],
      does: 'resolve',
      explained: 'close the alert',
      command: 'svc admin health resolve <id>',
      act: ({ row, daemon, refresh }) => row && daemon.changes.start(alertChange(row, 'resolve', refresh)),
    },
  ],
})

/** Marks a health alert as seen, or closes it. */
function alertChange({ id }: Alert, act: 'acknowledge' | 'resolve', onAnswer: () => void): Change {
  return {
    name: `Alert ${id}`,
    check: 'svc admin health alerts',
    onAnswer,
    async send(client) {
      const params = { id: String(id) }
      const { message } = await client.request(`POST /health/api/alerts/:id/${act}`, { params })
      return `${message}.`
    },
  }
}

/** The heading of the alerts and two of them. */
const LEAST_ALERT_LINES = 3
const [LEAST_CHART_LINES, MOST_CHART_LINES] = [4, 12]
const NO_MARKS: ReadonlySet<string> = new Set()

/** The figures, and a chart of the memory where there is room. */
function figuresStrip(health: HealthContent, { width, height }: Area): Strip {
  // A small terminal shows the first figures.
  const figures = healthFigures(health).slice(0, Math.max(0, height - LEAST_ALERT_LINES - 1))
  const room = height - (figures.length + 1) - LEAST_ALERT_LINES
  const series = memorySeries(health)
  const hasChart = room >= LEAST_CHART_LINES && health.past.length > 1
  const free = Math.min(room - health.alerts.length, MOST_CHART_LINES)
  const chartLines = !hasChart ? 0 : isFlat(series) ? 1 : Math.max(LEAST_CHART_LINES, free)
  const lines = figures.length + 1 + chartLines
  const table = { width, height: figures.length + 1, now: 0, marked: NO_MARKS, selected: undefined }
  return {
    lines,
    node: (
      <Box flexDirection="column" height={lines}>
        <Table {...table} rows={figures} columns={FIGURE_COLUMNS} />
        {hasChart && <Chart series={series} title="Memory in MB" width={width} height={chartLines} />}
      </Box>
    ),
  }
}

function memorySeries({ past }: Pick<HealthContent, 'past'>): readonly ChartSeries[] {
  const points = past.map(({ memory_rss_mb, timestamp }) => ({
    time: Date.parse(timestamp),
    value: memory_rss_mb,
  }))
  return [{ name: 'memory', points }]
}

/** A measure of the daemon now, and its extremes over time. */
interface Figure {
  id: string
  status: string
  now: number | undefined
  least: number | undefined
  mean: number | undefined
  most: number | undefined
}

const FIGURE_COLUMNS: readonly Column[] = [
  { key: 'id', title: 'MEASURE' },
  { key: 'status', kind: 'status' },
  { key: 'now', kind: 'quantity' },
  { key: 'least', kind: 'quantity' },
  { key: 'mean', kind: 'quantity', leaves: 1 },
  { key: 'most', kind: 'quantity' },
]

/** Returns the measures: the samples' over the last hour, those of the load since the screen is open. */
function healthFigures({ loads, past, sample }: HealthContent): readonly Figure[] {
  const over = (member: 'memory_rss_mb' | 'fd_count' | 'db_connections' | 'ws_connections' | 'threads') =>
    past.map((one) => one[member] ?? undefined)
  return [
    figure('processor %', '', processorShares(loads)),
    figure(
      'event loop lag ms',
      '',
      loads.map(({ lagSeconds }) => lagSeconds && lagSeconds * 1000),
    ),
    figure('memory MB', sample?.memory.status, over('memory_rss_mb')),
    figure('file descriptors', sample?.fd.status, over('fd_count')),
    figure('database connections', sample?.database.status, over('db_connections')),
    figure('stream clients', sample?.websocket.status, over('ws_connections')),
    figure('threads', sample?.threads.status, over('threads')),
  ]
}

/** Returns the share of one processor, in percent, between each two readings. */
function processorShares(loads: readonly Load[]): readonly (number | undefined)[] {
  return loads.slice(1).map(({ at, cpuSeconds }, index) => {
    const before = loads[index]
    if (cpuSeconds === undefined || before?.cpuSeconds === undefined || at <= before.at) return undefined
    return ((cpuSeconds - before.cpuSeconds) * 100_000) / (at - before.at)
  })
}

function figure(id: string, status: string | undefined, values: readonly (number | undefined)[]): Figure {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) {
    return { id, status: status ?? '', now: undefined, least: undefined, mean: undefined, most: undefined }
  }
  const sum = known.reduce((total, value) => total + value, 0)
  return {
    id,
    status: status ?? '',
    now: rounded(known.at(-1)),
    least: rounded(Math.min(...known)),
    mean: rounded(sum / known.length),
    most: rounded(Math.max(...known)),
  }
}

/** Rounds to one decimal, and a small value to two. */
function rounded(value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  const scale = value < 10 ? 100 : 10
  return Math.round(value * scale) / scale
}
