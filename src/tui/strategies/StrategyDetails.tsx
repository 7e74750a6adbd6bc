import { Box, Text } from 'ink'
import { useState } from 'react'
import { visible } from '../../views/table/cells.js'
import type { Column } from '../../views/table/column.js'
import { ageText } from '../../views/text/age.js'
import { Table, type TableProps } from '../components/list/Table.js'
import { type Cursor, useCursor } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import type { Details, Run } from './feed.js'
import type { ShownLeg, StrategyEvent } from './legs.js'

const LEGS: readonly Column[] = [
  { key: 'id', title: 'LEG' },
  { key: 'symbol' },
  { key: 'side', kind: 'status', leaves: 2 },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'status', leaves: 3 },
  { key: 'entry', kind: 'price' },
  { key: 'last', kind: 'price' },
  { key: 'stop', kind: 'price' },
  { key: 'target', kind: 'price', leaves: 1 },
  { key: 'pnl', title: 'P&L', kind: 'signed' },
  { key: 'feed' },
]

const EVENTS: readonly Column[] = [
  { key: 'ts', title: 'TIME', kind: 'time' },
  { key: 'severity', kind: 'status' },
  { key: 'message' },
]

const RUNS: readonly Column[] = [
  { key: 'id', title: 'RUN' },
  { key: 'mode', kind: 'status' },
  { key: 'trigger_source', title: 'BY', leaves: 1 },
  { key: 'started_at', title: 'STARTED', kind: 'time' },
  { key: 'stopped_at', title: 'STOPPED', kind: 'time' },
  { key: 'stop_reason', title: 'REASON' },
  { key: 'pnl_realized', title: 'REALISED', kind: 'signed' },
]

const NONE: ReadonlySet<number> = new Set()
/** Prices are stored every 5 seconds; older ones are dimmed. */
const PRICES_OLD_MS = 15_000

interface LiveArea extends Area {
  now: number
  /** True while the daemon does not answer. */
  isStale: boolean
}

/** The legs of a strategy, dimmed when their prices are old. */
function LegTable(props: LiveArea & { details: Details; selected: number | undefined }) {
  const { details, now, isStale, ...rest } = props
  const isOld = details.pricedAt !== undefined && now - details.pricedAt > PRICES_OLD_MS
  return (
    <Table {...rest} now={now} rows={details.legs} columns={LEGS} marked={NONE} isStale={isStale || isOld} />
  )
}

/** The name of the strategy, its run, and the age of the prices. */
function RunLine({ details, width, now }: { details: Details; width: number; now: number }) {
  const { strategy, run, pricedAt } = details
  const isRunning = strategy.current_run_id !== null && run !== undefined
  const state =
    run === undefined
      ? 'has never run'
      : isRunning
        ? runningText(run)
        : `last run ${run.id}: ${run.stop_reason}`
  const age =
    isRunning && pricedAt !== undefined ? `, prices ${ageText(Math.max(0, now - pricedAt))} old` : ''
  return <Text bold>{cut(visible(`${strategy.id} ${strategy.name}: ${state}${age}`), width)}</Text>
}

function runningText({
  id,
  mode,
  reserved_at,
  stop_requested_reason: stop,
}: NonNullable<Details['run']>): string {
  if (reserved_at !== null) return `run ${id} in ${mode} mode, RESERVED: nobody manages it (see its events)`
  return stop === null ? `run ${id} in ${mode} mode` : `run ${id} in ${mode} mode, stopping (${stop})`
}

/** The legs and the newest events of the selected strategy, below the list. */
export function SelectedStrategy({ details, ...area }: LiveArea & { details: Details }) {
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

export const TABS = ['legs', 'events', 'runs'] as const
export type Tab = (typeof TABS)[number]

/** The lists of a strategy, each with its own place. */
export interface StrategyLists {
  legs: Cursor<ShownLeg>
  events: Scroll<StrategyEvent>
  runs: Scroll<Run>
}

/** A hook: returns the lists of a strategy. */
export function useStrategyLists(details: Details | undefined): StrategyLists {
  return {
    legs: useCursor<ShownLeg>(details?.legs ?? []),
    events: useScroll(details?.events ?? []),
    runs: useScroll(details?.runs ?? []),
  }
}

interface ChosenProps extends LiveArea {
  details: Details | undefined
  lists: StrategyLists
  tab: Tab
}

/** One part of the chosen strategy on the whole screen. */
export function ChosenStrategy({ details, lists, tab, ...area }: ChosenProps) {
  const { width, height, now, isStale } = area
  if (details === undefined) return <Box height={height} />
  const { legs, events, runs } = lists
  const rest = { selected: undefined, marked: NONE, width, height: height - 2, now, isStale }
  return (
    <Box flexDirection="column" height={height}>
      <RunLine details={details} width={width} now={now} />
      <Text>{`${TABS.map((one) => (one === tab ? `[${one}]` : ` ${one} `)).join(' ')}${placeIn(lists, tab)}`}</Text>
      {tab === 'legs' && (
        <LegTable {...area} height={height - 2} details={details} selected={legs.selected?.id} />
      )}
      {tab === 'events' && (
        <OrEmpty
          {...rest}
          rows={events.rows}
          text="No events. They come with the first run: s starts it."
          columns={EVENTS}
        />
      )}
      {tab === 'runs' && (
        <OrEmpty {...rest} rows={runs.rows} text="No runs. s starts the first one." columns={RUNS} />
      )}
    </Box>
  )
}

/** A table, or the words for one without rows. */
function OrEmpty<Row extends { id: number }>({ text, ...table }: TableProps<Row> & { text: string }) {
  const { rows, width, height } = table
  return rows.length === 0 ? <Notice width={width} height={height} text={text} /> : <Table {...table} />
}

/** Returns how far a list is scrolled. */
function placeIn(lists: StrategyLists, tab: Tab): string {
  if (tab === 'legs' || lists[tab].above === 0) return ''
  return `  ${lists[tab].above} newer above`
}

interface Scroll<Row> {
  /** The rows from the first shown one on. */
  rows: readonly Row[]
  /** The number of rows above. */
  above: number
  move(by: number): void
}

/** Scrolls a list whose newest rows come first. At the top it follows them; below, its first row stays. */
function useScroll<Row extends { id: number }>(rows: readonly Row[]): Scroll<Row> {
  const [top, setTop] = useState<number>()
  const above = Math.max(
    0,
    rows.findIndex(({ id }) => id === top),
  )
  return {
    rows: rows.slice(above),
    above,
    move(by) {
      const next = Math.min(Math.max(0, above + by), Math.max(0, rows.length - 1))
      setTop(next === 0 ? undefined : rows[next]?.id)
    },
  }
}
