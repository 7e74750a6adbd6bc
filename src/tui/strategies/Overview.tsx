import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { Table } from '../components/list/Table.js'
import type { List } from '../components/list/use-list.js'
import type { Live } from '../live/feed.js'
import { EVENTS, STRATEGIES } from './columns.js'
import type { Details, ShownStrategy } from './feed.js'
import { LegTable, type LiveArea, NONE, RunLine } from './LegTable.js'

interface OverviewProps extends LiveArea {
  list: List<ShownStrategy>
  details: Details | undefined
  /** Whether the list is read, or why not. */
  live: Omit<Live<unknown>, 'content'>
}

/** The list, and below it the legs and the newest events of the selected strategy. */
export function Overview({ list, details, live, ...area }: OverviewProps) {
  const { width, height, now, isStale } = area
  const { rows, selected, total } = list
  if (rows.length === 0) {
    return (
      <Box height={height}>
        <Text>{visible(emptyText(live, total))}</Text>
      </Box>
    )
  }
  const top = Math.min(rows.length + 1, Math.max(3, Math.floor(height / 3)))
  return (
    <Box flexDirection="column" height={height}>
      <Table
        rows={rows}
        columns={STRATEGIES}
        marked={NONE}
        width={width}
        height={top}
        now={now}
        isStale={isStale}
        selected={selected?.id}
      />
      {details && <Below {...area} details={details} height={height - top} />}
    </Box>
  )
}

function emptyText({ readAt, problem }: OverviewProps['live'], total: number): string {
  if (readAt === 0) return problem === undefined ? 'Reading the strategies …' : `Not read: ${problem}`
  return total > 0
    ? 'No strategy passes the filter.'
    : 'There are no strategies. Make one: svc strategy create FILE'
}

function Below({ details, ...area }: LiveArea & { details: Details }) {
  const { width, height, now, isStale } = area
  const legLines = Math.min(details.legs.length + 1, Math.floor(height / 2))
  const { events } = details
  return (
    <Box flexDirection="column" height={height}>
      <RunLine details={details} width={width} now={now} />
      <LegTable {...area} details={details} selected={undefined} height={legLines} />
      <Table
        rows={events}
        columns={EVENTS}
        selected={undefined}
        marked={NONE}
        width={width}
        now={now}
        isStale={isStale}
        height={Math.max(1, height - legLines - 1)}
      />
    </Box>
  )
}
