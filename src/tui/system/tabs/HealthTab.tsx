import { Box } from 'ink'
import { useMemo } from 'react'
import { ALERT_COLUMNS } from '../../../views/system/health-alert.js'
import { countText } from '../../../views/text/count.js'
import { Chart } from '../../components/chart/Chart.js'
import { Table } from '../../components/list/Table.js'
import { keptList } from '../../components/list/use-list.js'
import { useDesk, useFeed } from '../../live/use-desk.js'
import type { Area } from '../../screen/size.js'
import { ListTab } from '../../tabs/ListTab.js'
import { alertChange } from '../alerts.js'
import { type Alert, type HealthContent, HealthFeed } from '../feeds/health.js'
import { FIGURE_COLUMNS, figuresOf } from '../figures.js'
import { TABLE_KEYS } from '../keys.js'
import type { SystemTabProps } from './props.js'

const KEPT = keptList()
const DETAILS = ALERT_COLUMNS.map(({ key, ...column }) => ({ key, ...column, wide: false }))
/** The heading of the alerts and two of them. */
const LEAST_ALERT_LINES = 3
const [LEAST_CHART_LINES, MOST_CHART_LINES] = [4, 12]
const NO_MARKS: ReadonlySet<string> = new Set()

/** The health of the daemon over time, and its alerts. */
export function HealthTab(props: SystemTabProps) {
  const desk = useDesk()
  const feed = desk.part(HealthFeed)
  const live = useFeed(feed)
  const { alerts, sample } = live.content
  const change = (row: Alert | undefined, act: 'acknowledge' | 'resolve') =>
    row && desk.changes.start(alertChange(row, act, () => void feed.refresh()))
  const state = sample === undefined ? 'no sample yet' : `status ${sample.overall_status}`
  return (
    <ListTab
      {...props}
      {...{ live, kept: KEPT, rows: alerts, columns: ALERT_COLUMNS, fields: DETAILS, bindings: TABLE_KEYS }}
      empty="No open alerts."
      summary={`${state}  ${countText(alerts.length, 'open alert')}  last hour; load since you opened this`}
      top={(area) => topOf(live.content, area)}
      acts={(selected) => ({
        acknowledge: () => change(selected, 'acknowledge'),
        resolve: () => change(selected, 'resolve'),
      })}
    />
  )
}

/** The figures, and a chart of the memory where there is room. */
function topOf(health: HealthContent, { width, height }: Area) {
  // A small terminal shows the first figures.
  const figures = figuresOf(health).slice(0, Math.max(0, height - LEAST_ALERT_LINES - 1))
  const room = height - (figures.length + 1) - LEAST_ALERT_LINES
  const hasChart = room >= LEAST_CHART_LINES && health.past.length > 1
  const wanted = Math.min(room - health.alerts.length, MOST_CHART_LINES)
  const chartLines = hasChart ? Math.max(LEAST_CHART_LINES, wanted) : 0
  const lines = figures.length + 1 + chartLines
  const table = { width, height: figures.length + 1, now: 0, marked: NO_MARKS, selected: undefined }
  return {
    lines,
    node: (
      <Box flexDirection="column" height={lines}>
        <Table {...table} rows={figures} columns={FIGURE_COLUMNS} />
        {hasChart && <MemoryChart past={health.past} {...{ width, height: chartLines }} />}
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
