import { type List, type ListActs, listKeys } from '../components/list/use-list.js'
import { tabAfter } from '../components/TabLine.js'
import type { Binding } from '../keys/bindings.js'
import type { LogRow } from './feed.js'
import { LOG_NAMES, type LogName } from './logs.js'

/** The part of the screen that has the keys. */
export type Pane = 'list' | 'details' | 'export'

/** The part of the screen that outlives it. */
export interface Place {
  log: LogName
  /** True while new rows come; the newest one is selected then. */
  isFollowing: boolean
  /** The text that the daemon looks for, by log. */
  searches: Readonly<Partial<Record<LogName, string>>>
}

/** What the keys act on. */
interface LogState extends ListActs {
  place: Place
  onMove(place: Place): void
  list: List<LogRow>
  show(pane: Pane): void
  /** Opens the line to type a search in. */
  search(): void
}

const turned = ({ place, onMove }: LogState, by: number) =>
  onMove({ ...place, log: tabAfter(LOG_NAMES, place.log, by) })

const OVER = ['details', 'export'] as const satisfies readonly Pane[]

/** The keys of the screen, in the order in which the last line names them. */
export const LOG_KEYS: readonly Binding<Pane, LogState>[] = [
  {
    id: 'logs.next-tab',
    in: ['list'],
    keys: ['tab', 'right', 'l'],
    shown: 'tab',
    does: 'next',
    explained: 'go on: orders, analyzer, traffic, latency, errors',
    act: (state) => turned(state, 1),
  },
  {
    id: 'logs.last-tab',
    in: ['list'],
    keys: ['shift-tab', 'left', 'h'],
    explained: 'go back',
    act: (state) => turned(state, -1),
  },
  ...listKeys<Pane>(['list']),
  {
    id: 'logs.search',
    in: ['list'],
    keys: ['s'],
    does: 'search',
    explained: 'let the daemon look for a text in the whole log',
    command: 'svc log orders --search TEXT',
    act: ({ search }) => search(),
  },
  {
    id: 'logs.follow',
    in: ['list'],
    keys: ['f'],
    does: 'follow',
    explained: 'new rows come, or not',
    command: 'svc log orders --follow',
    act: ({ place, onMove }) => onMove({ ...place, isFollowing: !place.isFollowing }),
  },
  {
    id: 'logs.details',
    in: ['list'],
    keys: ['enter', 'd'],
    does: 'details',
    explained: 'all fields, with request and answer',
    command: 'svc log orders -o json',
    act: ({ list, show }) => list.selected !== undefined && show('details'),
  },
  {
    id: 'logs.export',
    in: ['list'],
    keys: ['x'],
    does: 'export',
    explained: 'show the command that exports these rows',
    command: 'svc log export',
    act: ({ show }) => show('export'),
  },
  {
    id: 'logs.scroll',
    in: ['details'],
    keys: [],
    shown: '↑↓',
    does: 'scroll',
    explained: 'scroll (also PgUp, PgDn, g and G)',
    act: () => undefined,
  },
  {
    id: 'logs.back',
    in: OVER,
    keys: ['esc', 'enter', 'q', 'd', 'x'],
    does: 'back',
    explained: 'back to the list (also enter and q)',
    act: ({ show }) => show('list'),
  },
]
