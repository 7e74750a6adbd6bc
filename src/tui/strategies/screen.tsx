import { Box, Text } from 'ink'
import { useState } from 'react'
import { visible } from '../../views/table/cells.js'
import { Table } from '../components/list/Table.js'
import { type Cursor, keptList, listText, useCursor, useList } from '../components/list/use-list.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon } from '../live/use-daemon.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import { type Screen, type ScreenProps, useAsked } from '../screen/screen.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { EVENTS, RUNS, STRATEGIES } from './columns.js'
import { type Details, type Run, useDetails, useStrategies } from './feed.js'
import { STRATEGY_KEYS } from './keys.js'
import { LegTable, type LiveArea, NONE, RunLine } from './LegTable.js'
import type { ShownLeg, StrategyEvent } from './legs.js'
import { Overview } from './Overview.js'
import { type Acting, type ModePane, TABS, type Tab, useActing } from './use-acting.js'

/** The strategies: a list, the legs, events and runs of the chosen one, and the questions before a change. */
export const strategies: Screen = {
  id: 'strategies',
  title: 'Strategies',
  short: 'Strat',
  keys: STRATEGY_KEYS,
  opens: ['strategy'],
  View: StrategyScreen,
}

const LIST = keptList()
const TAB = new Kept<Tab>('legs')

function StrategyScreen({ width, height, asked }: ScreenProps) {
  const { changes } = useDaemon()
  const all = useStrategies()
  const now = useNow(1000)
  const [tab, setTab] = useKept(TAB)
  const list = useList(LIST, all.rows, STRATEGIES)
  const { selected } = list
  const details = useDetails(selected?.id)
  const lists = {
    legs: useCursor<ShownLeg>(details?.legs ?? []),
    events: useScroll(details?.events ?? []),
    runs: useScroll(details?.runs ?? []),
  }
  const acting = useActing({ row: selected, details, leg: lists.legs.selected })
  const { pane } = acting
  useAsked(asked, ({ id }) => {
    acting.show('list')
    list.choose(Number(id))
  })
  const move = (by: number) => {
    changes.say('')
    if (pane.kind === 'details') lists[tab].move(by)
    else list.move(by)
  }
  const age = { now, isStale: all.problem !== undefined }
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={STRATEGY_KEYS}
      pane={pane.kind}
      state={{ list, move, selected, acting, tab, onTab: setTab }}
      list={list}
      question={{ state: acting.asked, confirm: acting.confirm, leave: acting.cancel }}
      named={pane.kind === 'mode' ? MODE_KEYS : undefined}
      summary={[`${all.running} of ${list.total} running`, listText(list)].filter((one) => one).join(', ')}
    >
      {(area) => {
        if (pane.kind === 'mode') return <ModeQuestion {...area} pane={pane} acting={acting} />
        return pane.kind === 'details' ? (
          <Chosen {...area} {...age} details={details} lists={lists} tab={tab} />
        ) : (
          <Overview {...area} {...age} list={list} details={details} live={all} />
        )
      }}
    </ScreenFrame>
  )
}

/** The choice of a mode names its own keys. */
const MODE_KEYS = [{ keys: 'esc', does: 'cancel' }]

interface ChosenProps extends LiveArea {
  details: Details | undefined
  lists: { legs: Cursor<ShownLeg>; events: Scroll<StrategyEvent>; runs: Scroll<Run> }
  tab: Tab
}

/** One part of the chosen strategy on the whole screen. */
function Chosen({ details, lists, tab, ...area }: ChosenProps) {
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

interface ModeQuestionProps extends Area {
  pane: ModePane
  acting: Acting
}

/** Asks for the mode of a run. */
function ModeQuestion({ pane, acting, width, height }: ModeQuestionProps) {
  const { row } = pane
  useKeyLayer('pane', ({ name }) => {
    if (['esc', 'q', 'n'].includes(name)) acting.cancel()
    else if (name === 's') void acting.choose(row, 'sandbox')
    else if (name === 'l') void acting.choose(row, 'live')
    return true
  })
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(visible(`Start ${row.id} ${row.name}. In which mode?`), width)}</Text>
      <Text>{'  s  sandbox'}</Text>
      <Text dimColor={!row.live_enabled}>
        {row.live_enabled ? '  l  live' : `  -  live: not enabled (svc strategy live ${row.id} on)`}
      </Text>
    </Box>
  )
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
