import { Box } from 'ink'
import { useMemo } from 'react'
import { ALERT_COLUMNS } from '../../views/system/health-alert.js'
import { countText } from '../../views/text/count.js'
import { Chart } from '../components/chart/Chart.js'
import { Table } from '../components/list/Table.js'
import type { Change } from '../live/changes/changes.js'
import { listTab, type Top } from '../screen/list-tab.js'
import type { Area } from '../terminal/size.js'
import { FIGURE_COLUMNS, healthFigures } from './figures.js'
import { type Alert, type HealthContent, HealthFeed } from './health-feed.js'

/** The health of the daemon over time, and its alerts. */
export const health = listTab({
  name: 'health',
  feed: HealthFeed,
  rows: ({ alerts }) => alerts,
  columns: ALERT_COLUMNS,
  fields: ALERT_COLUMNS.map((column) => ({ ...column, wide: false })),
  empty: 'No open alerts.',
  summary({ alerts, sample }) {
    const state = sample === undefined ? 'no sample yet' : `status ${sample.overall_status}`
    return `${state}  ${countText(alerts.length, 'open alert')}  last hour; load since you opened this`
  },
  top: figuresTop,
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
function figuresTop(health: HealthContent, { width, height }: Area): Top {
  // A small terminal shows the first figures.
  const figures = healthFigures(health).slice(0, Math.max(0, height - LEAST_ALERT_LINES - 1))
  const room = height - (figures.length + 1) - LEAST_ALERT_LINES
  const hasChart = room >= LEAST_CHART_LINES && health.past.length > 1
  const free = Math.min(room - health.alerts.length, MOST_CHART_LINES)
  const chartLines = hasChart ? Math.max(LEAST_CHART_LINES, free) : 0
  const lines = figures.length + 1 + chartLines
  const table = { width, height: figures.length + 1, now: 0, marked: NO_MARKS, selected: undefined }
  return {
    lines,
    node: (
      <Box flexDirection="column" height={lines}>
        <Table {...table} rows={figures} columns={FIGURE_COLUMNS} />
        {hasChart && <MemoryChart past={health.past} width={width} height={chartLines} />}
      </Box>
    ),
  }
}

function MemoryChart({ past, ...area }: Area & Pick<HealthContent, 'past'>) {
  const series = useMemo(() => {
    const points = past.map(({ memory_rss_mb, timestamp }) => ({
      time: Date.parse(timestamp),
      value: memory_rss_mb,
    }))
    return [{ name: 'memory', points }]
  }, [past])
  return <Chart {...area} title="Memory in MB" series={series} />
}
