import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import type { Column } from '../../views/table/column.js'
import { tabAfter } from '../components/TabLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { Kept, useKept } from '../live/kept.js'
import { WITHOUT_AGE } from '../screen/first-line.js'
import { LIST_KEYS, listView, MOVE_KEYS } from '../screen/list-view.js'
import type { ListShown, ViewKey, WithOwn } from '../screen/record.js'
import { screenOf } from '../screen/screen-of.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import {
  type Details,
  isRunning,
  type ShownStrategy,
  StrategyFeed,
  type StrategyRow,
  useDetails,
  useStrategyRows,
} from './feed.js'
import {
  ChosenStrategy,
  SelectedStrategy,
  type StrategyLists,
  TABS,
  type Tab,
  useStrategyLists,
} from './StrategyDetails.js'
import { type Acting, readAfter, useActing } from './use-acting.js'

const COLUMNS: readonly Column[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'strategy_kind', title: 'KIND', leaves: 2 },
  { key: 'status', kind: 'status' },
  { key: 'mode', kind: 'status' },
  { key: 'pnl', title: 'P&L', kind: 'signed' },
  { key: 'open_legs', title: 'OPEN' },
  { key: 'webhook', leaves: 1 },
  { key: 'live', title: 'LIVE ALLOWED', leaves: 3 },
]

interface StrategyActs {
  acting: Acting
  details: Details | undefined
  lists: StrategyLists
  tab: Tab
  turn(by: number): void
}

type StrategyShown = ListShown<unknown, unknown, ShownStrategy> & WithOwn<StrategyActs>
type StrategyKey = ViewKey<Pick<StrategyShown, 'list' | 'move' | 'opened' | 'own'>>

/** The last line has no room for the keys that move. */
const unnamedMove = ({ does, ...key }: StrategyKey): StrategyKey =>
  does === undefined || does === 'move' ? key : { ...key, does }

/** The keys of the list and the details, in the order in which the last line names them. */
const STRATEGY_KEYS: readonly StrategyKey[] = [
  ...LIST_KEYS.map(unnamedMove),
  ...MOVE_KEYS.map((key) => unnamedMove({ ...key, in: ['details'] })),
  {
    id: 'strategies.details',
    keys: ['enter'],
    does: 'details',
    explained: 'legs, events and runs of the strategy',
    command: 'svc strategy show <id>',
    act: ({ opened }) => opened.open(),
  },
  {
    id: 'strategies.next-tab',
    in: ['details'],
    keys: ['tab'],
    does: 'next',
    explained: 'go on: legs, events, runs',
    command: 'svc strategy events <id>',
    act: ({ own }) => own.turn(1),
  },
  {
    id: 'strategies.start',
    in: ['list', 'details'],
    keys: ['s'],
    does: 'start',
    explained: 'start the strategy: first its mode, then a question',
    command: 'svc strategy start <id>',
    act: ({ own }) => own.acting.start(),
  },
  {
    id: 'strategies.stop',
    in: ['list', 'details'],
    keys: ['x'],
    does: 'stop',
    explained: 'stop the run, and close every position it holds',
    command: 'svc strategy stop <id>',
    act: ({ own }) => own.acting.stop(),
  },
  {
    id: 'strategies.close-leg',
    in: ['details'],
    keys: ['c'],
    does: 'close leg',
    explained: 'close the selected leg',
    command: 'svc strategy close <id> --leg <leg>',
    act: ({ own }) => own.acting.closeLeg(),
  },
  {
    id: 'strategies.close-all',
    keys: ['C'],
    does: 'close',
    explained: 'close all legs',
    command: 'svc strategy close <id>',
    act: ({ own }) => own.acting.closeAll(),
  },
  // Next to `c close leg`, in a line that fits 80 columns.
  {
    id: 'strategies.close-all',
    in: ['details'],
    keys: ['C'],
    does: 'all',
    explained: 'close all legs',
    command: 'svc strategy close <id>',
    act: ({ own }) => own.acting.closeAll(),
  },
  {
    id: 'strategies.lock',
    in: ['list', 'details'],
    keys: ['L'],
    does: 'lock',
    explained: 'lock the webhook while nothing runs, or unlock it',
    command: 'svc strategy lock <id>',
    act: ({ own }) => own.acting.lock(),
  },
  {
    id: 'strategies.kill',
    in: ['list', 'details'],
    keys: ['K'],
    does: 'kill',
    explained: 'lock the webhook, and stop the run',
    command: 'svc strategy lock <id>',
    act: ({ own }) => own.acting.kill(),
  },
  {
    id: 'strategies.back',
    in: ['details'],
    keys: ['esc', 'enter', 'q'],
    does: 'back',
    explained: 'back to the list (also enter and q)',
    act: ({ opened }) => opened.close(),
  },
]

const TAB = new Kept<Tab>('legs')

/** A hook: returns the chosen strategy, and what keys do with it. */
function useStrategyActs(shown: Pick<StrategyShown, 'daemon' | 'dialogs' | 'row'>): StrategyActs {
  const { row } = shown
  const details = useDetails(row?.id)
  const lists = useStrategyLists(details)
  const [tab, setTab] = useKept(TAB)
  const acting = useActing(shown, { row, details, leg: lists.legs.selected })
  return { acting, details, lists, tab, turn: (by) => setTab(tabAfter(TABS, tab, by)) }
}

/** The strategies: a list, the legs, events and runs of the chosen one, and the questions before a change. */
export const strategies = screenOf({
  id: 'strategies',
  title: 'Strategies',
  short: 'Strat',
  opens: ['strategy'],
  tabLine: 'never',
  keepsOpen: true,
  views: [
    listView({
      name: 'list',
      feed: StrategyFeed,
      hasPane: false,
      useRows: useStrategyRows,
      use: useStrategyActs,
      columns: COLUMNS,
      empty: {
        reading: 'Reading the strategies …',
        none: 'There are no strategies. Make one: svc strategy create FILE',
        filtered: () => 'No strategy passes the filter.',
      },
      summary: ({ rows }) => `${rows.filter(isRunning).length} of ${rows.length} running`,
      firstLine: WITHOUT_AGE,
      redrawMs: () => 1000,
      below({ list, live, now, own: { details } }, { width, height }) {
        const count = list.rows.length
        if (count === 0 || details === undefined) return { lines: 0, node: null }
        const lines = height - Math.min(count + 1, Math.max(3, Math.floor(height / 3)))
        const area = { width, height: lines, now, isStale: live.problem !== undefined }
        return { lines, node: <SelectedStrategy {...area} details={details} /> }
      },
      Details({ shown, width, height }) {
        const { live, now, own } = shown
        const area = { width, height, now, isStale: live.problem !== undefined }
        return <ChosenStrategy {...area} details={own.details} lists={own.lists} tab={own.tab} />
      },
      move(by, { daemon, list, opened, own }) {
        daemon.changes.say('')
        if (opened.isOpen) own.lists[own.tab].move(by)
        else list.move(by)
      },
      cover({ own: { acting } }) {
        const { starting } = acting
        if (starting === undefined) return undefined
        const draw = (area: Area) => <ModeQuestion {...area} row={starting} acting={acting} />
        return { part: 'mode', keys: MODE_KEYS, draw }
      },
      keys: STRATEGY_KEYS,
      commonKeys: [],
      asked({ id }, { list, opened }) {
        opened.close()
        list.choose(Number(id))
      },
      prepare: readAfter,
    }),
  ],
})

/** The choice of a mode names its own keys. */
const MODE_KEYS = [{ keys: 'esc', does: 'cancel' }]

interface ModeQuestionProps extends Area {
  row: StrategyRow
  acting: Acting
}

/** Asks for the mode of a run. */
function ModeQuestion({ row, acting, width, height }: ModeQuestionProps) {
  useKeyLayer('pane', ({ name }) => {
    if (['esc', 'q', 'n'].includes(name)) acting.leaveStart()
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
