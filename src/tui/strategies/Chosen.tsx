import { Box, Text } from 'ink'
import { Table } from '../components/list/Table.js'
import type { Cursor } from '../components/list/use-cursor.js'
import type { Scroll } from '../components/list/use-scroll.js'
import { EVENTS, RUNS } from './columns.js'
import type { Details, Run } from './feed.js'
import { LegTable, type LiveArea, NONE, RunLine } from './LegTable.js'
import type { ShownLeg, StrategyEvent } from './legs.js'
import { TABS, type Tab } from './pane.js'

interface ChosenProps extends LiveArea {
  details: Details | undefined
  lists: { legs: Cursor<ShownLeg>; events: Scroll<StrategyEvent>; runs: Scroll<Run> }
  tab: Tab
}

/** One part of the chosen strategy on the whole screen. */
export function Chosen({ details, lists, tab, ...area }: ChosenProps) {
  const { width, height, now, isStale } = area
  if (details === undefined) return <Box height={height} />
  const { legs, events, runs } = lists
  const rest = { selected: undefined, marked: NONE, width, height: height - 2, now, isStale }
  return (
    <Box flexDirection="column" height={height}>
      <RunLine {...{ details, width, now }} />
      <Text>{`${TABS.map((one) => (one === tab ? `[${one}]` : ` ${one} `)).join(' ')}${placeIn(lists, tab)}`}</Text>
      {tab === 'legs' && (
        <LegTable {...{ ...area, details, height: height - 2, selected: legs.selected?.id }} />
      )}
      {tab === 'events' && <Table {...rest} rows={events.rows} columns={EVENTS} />}
      {tab === 'runs' && <Table {...rest} rows={runs.rows} columns={RUNS} />}
    </Box>
  )
}

/** Returns how far a list is scrolled. */
function placeIn(lists: ChosenProps['lists'], tab: Tab): string {
  if (tab === 'legs' || lists[tab].above === 0) return ''
  return `  ${lists[tab].above} newer above`
}
