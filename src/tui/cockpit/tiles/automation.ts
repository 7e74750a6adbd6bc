import { useMemo } from 'react'
import type { Column } from '../../../views/table/column.js'
import { FlowFeed, type FlowRow, flowCounts } from '../../flows/feed.js'
import { flows } from '../../flows/screen.js'
import { useDaemon, useFeed } from '../../live/use-daemon.js'
import { isRunning, StrategyFeed, useStrategyRows } from '../../strategies/feed.js'
import { strategies as strategyScreen } from '../../strategies/screen.js'
import type { Tile, TileContent } from '../tile.js'

/** The strategies that run, and those that need a person. */
export const strategies: Tile = {
  id: 'strategies',
  title: 'Strategies',
  screen: strategyScreen,
  command: 'svc strategy list',
  use: useStrategies,
}

const RUNS: readonly Column[] = [
  { key: 'name' },
  { key: 'status', kind: 'status', leaves: 2 },
  { key: 'mode', kind: 'status', leaves: 1 },
  { key: 'pnl', kind: 'signed' },
]

function useStrategies(): TileContent {
  const feed = useFeed(useDaemon().part(StrategyFeed))
  const all = useStrategyRows(feed)
  const rows = useMemo(() => all.filter((row) => isRunning(row) || row.status === 'reserved'), [all])
  const reserved = rows.filter(({ status }) => status === 'reserved').length
  if (all.length === 0) {
    return { live: [feed], lines: [{ text: 'No strategies. Make one: svc strategy create FILE' }] }
  }
  return {
    live: [feed],
    lines: [
      ...(reserved === 0
        ? []
        : [{ label: 'NEED A PERSON', value: String(reserved), tone: 'danger' as const }]),
      { label: 'running', value: `${all.filter(isRunning).length} of ${all.length}` },
      ...(rows.length === 0 ? [{ text: 'None runs. Key 5, then s, starts one.' }] : []),
    ],
    list: { rows, columns: RUNS },
  }
}

/** The workflows that are active or run, and those that failed. */
export const workflows: Tile = {
  id: 'workflows',
  title: 'Workflows',
  screen: flows,
  command: 'svc flow list',
  use: useWorkflows,
}

const LAST_RUNS: readonly Column[] = [
  { key: 'name' },
  { key: 'last_execution_status', kind: 'status' },
  { key: 'last_execution_at', kind: 'time', leaves: 1 },
]

function useWorkflows(): TileContent {
  const feed = useFeed(useDaemon().part(FlowFeed))
  const { content } = feed
  const rows = useMemo(() => content.filter((row) => rankOf(row) < IDLE).toSorted(byRank), [content])
  const { active, failed, running } = flowCounts(content)
  if (content.length === 0) {
    return { live: [feed], lines: [{ text: 'No workflows. Apply some: svc flow apply flows' }] }
  }
  return {
    live: [feed],
    lines: [
      ...(failed === 0 ? [] : [{ label: 'LAST RUN FAILED', value: String(failed), tone: 'danger' as const }]),
      { label: 'active', value: `${active} of ${content.length}` },
      { label: 'running', value: String(running) },
      ...(active === 0 ? [{ text: 'None is active. Key 4, then a, activates one.' }] : []),
    ],
    list: { rows, columns: LAST_RUNS },
  }
}

const [FAILED, RUNNING, ACTIVE, IDLE] = [0, 1, 2, 3]

/** Failures need a person first. */
function rankOf({ is_active, last_execution_status: last }: FlowRow): number {
  if (last === 'failed') return FAILED
  if (last === 'running') return RUNNING
  return is_active ? ACTIVE : IDLE
}

const byRank = (one: FlowRow, other: FlowRow): number => rankOf(one) - rankOf(other)
