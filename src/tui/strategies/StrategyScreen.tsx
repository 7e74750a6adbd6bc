import { Box, Text } from 'ink'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { visible } from '../../cli/output/tables/cells.js'
import { ageText } from '../../cli/output/text/duration.js'
import { KeyLine } from '../components/KeyLine.js'
import { StatusLine } from '../components/StatusLine.js'
import { Table } from '../components/Table.js'
import { type Cursor, useCursor } from '../components/use-cursor.js'
import { cut } from '../screen/fit.js'
import type { Size } from '../screen/size.js'
import { useNow } from '../screen/use-now.js'
import type { StrategyActs } from './acts.js'
import { EVENTS, LEGS, RUNS, STRATEGIES } from './columns.js'
import type { Details, StrategyFeed, StrategyRow } from './feed.js'
import { keysOf, useKeys } from './keys.js'
import type { ShownLeg } from './legs.js'
import { TABS, type Tab } from './pane.js'
import { Confirm, ModeQuestion } from './Question.js'
import { useActing } from './use-acting.js'

interface StrategyScreenProps {
  feed: StrategyFeed
  acts: StrategyActs
  size: Size
  onQuit(): void
}

/** The strategies: a list, the legs, events and runs of the chosen one, and the questions before a change. */
export function StrategyScreen({ feed, acts, size, onQuit }: StrategyScreenProps) {
  const live = useSyncExternalStore(feed.subscribe, feed.state)
  const message = useSyncExternalStore(acts.subscribe, acts.message)
  const now = useNow(1000)
  const [tab, setTab] = useState<Tab>('legs')
  const { rows } = live.content
  const cursor = useCursor(rows)
  const details = cursor.selected && live.content.details.get(cursor.selected.id)
  const legs = useCursor<ShownLeg>(details?.legs ?? [])
  const acting = useActing(feed, acts, { row: cursor.selected, details, leg: legs.selected })
  const chosen = cursor.selected?.id
  useEffect(() => {
    if (chosen !== undefined) feed.choose(chosen)
  }, [chosen, feed])
  const { pane } = acting
  useKeys(pane, {
    ...acting,
    move: (by) => (pane.kind === 'details' ? legs.move(by) : cursor.move(by)),
    details: () => cursor.selected !== undefined && acting.show('details'),
    back: () => acting.show('list'),
    nextTab: () => setTab(TABS[(TABS.indexOf(tab) + 1) % TABS.length] ?? 'legs'),
    quit: onQuit,
  })
  const parts = {
    width: size.columns,
    height: size.rows - OTHER_LINES,
    now,
    isStale: live.problem !== undefined,
  }
  const summary = `${rows.filter((row) => row.current_run_id !== null).length} of ${rows.length} running`
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows}>
      <StatusLine {...{ live, summary, now, width: size.columns }} />
      {pane.kind === 'mode' && <ModeQuestion {...{ pane, acting, ...parts }} />}
      {pane.kind === 'question' && <Confirm {...{ pane, acting, ...parts }} />}
      {pane.kind === 'list' && (
        <Overview {...parts} {...{ rows, cursor, details, isRead: live.readAt > 0 }} />
      )}
      {pane.kind === 'details' && <Chosen {...parts} {...{ details, legs, tab }} />}
      <Text>{cut(visible(message), size.columns)}</Text>
      <KeyLine keys={keysOf(pane)} width={size.columns} />
    </Box>
  )
}

/** The header, the line of messages and the line of keys. */
const OTHER_LINES = 3
const NONE: ReadonlySet<number> = new Set()
/** Prices are stored every 5 seconds; older ones are dimmed. */
const PRICES_OLD_MS = 15_000

interface Area {
  width: number
  height: number
  now: number
  /** True while the daemon does not answer. */
  isStale: boolean
}

interface OverviewProps extends Area {
  rows: readonly StrategyRow[]
  cursor: Cursor<StrategyRow>
  details: Details | undefined
  isRead: boolean
}

/** The list, and below it the legs and the newest events of the selected strategy. */
function Overview({ rows, cursor, details, isRead, ...area }: OverviewProps) {
  const { width, height, now, isStale } = area
  if (rows.length === 0) {
    const text = isRead
      ? 'There are no strategies. Make one: svc strategy create FILE'
      : 'Reading the strategies …'
    return (
      <Box height={height}>
        <Text>{text}</Text>
      </Box>
    )
  }
  const top = Math.min(rows.length + 1, Math.max(3, Math.floor(height / 3)))
  const shown = rows.map((row) => ({
    ...row,
    webhook: row.webhook_locked ? 'locked' : 'open',
    live: row.live_enabled ? 'yes' : 'no',
  }))
  const selected = cursor.selected?.id
  return (
    <Box flexDirection="column" height={height}>
      <Table
        {...{ rows: shown, columns: STRATEGIES, selected, marked: NONE, width, height: top, now, isStale }}
      />
      {details && <Below {...{ ...area, details, height: height - top }} />}
    </Box>
  )
}

function Below({ details, ...area }: Area & { details: Details }) {
  const { width, height, now, isStale } = area
  const legLines = Math.min(details.legs.length + 1, Math.floor(height / 2))
  const { events } = details
  return (
    <Box flexDirection="column" height={height}>
      <RunLine {...{ details, width, now }} />
      <Legs {...{ ...area, details, selected: undefined, height: legLines }} />
      <Table
        {...{ rows: events, columns: EVENTS, selected: undefined, marked: NONE, width, now, isStale }}
        height={Math.max(1, height - legLines - 1)}
      />
    </Box>
  )
}

interface ChosenProps extends Area {
  details: Details | undefined
  legs: Cursor<ShownLeg>
  tab: Tab
}

/** One part of the chosen strategy on the whole screen. */
function Chosen({ details, legs, tab, ...area }: ChosenProps) {
  const { width, height, now, isStale } = area
  if (details === undefined) return <Box height={height} />
  const rest = { selected: undefined, marked: NONE, width, height: height - 2, now, isStale }
  return (
    <Box flexDirection="column" height={height}>
      <RunLine {...{ details, width, now }} />
      <Text>{TABS.map((one) => (one === tab ? `[${one}]` : ` ${one} `)).join(' ')}</Text>
      {tab === 'legs' && <Legs {...{ ...area, details, height: height - 2, selected: legs.selected?.id }} />}
      {tab === 'events' && <Table {...rest} rows={details.events} columns={EVENTS} />}
      {tab === 'runs' && <Table {...rest} rows={details.runs} columns={RUNS} />}
    </Box>
  )
}

function Legs(props: Area & { details: Details; selected: number | undefined }) {
  const { details, now, isStale, ...rest } = props
  const isOld = details.pricedAt !== undefined && now - details.pricedAt > PRICES_OLD_MS
  return (
    <Table
      {...rest}
      {...{ now, rows: details.legs, columns: LEGS, marked: NONE, isStale: isStale || isOld }}
    />
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

function runningText({ id, mode, stop_requested_reason: stop }: NonNullable<Details['run']>): string {
  return stop === null ? `run ${id} in ${mode} mode` : `run ${id} in ${mode} mode, stopping (${stop})`
}
