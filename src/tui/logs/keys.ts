import { type ListActs, listKeys } from '../components/list/use-list.js'
import type { Binding } from '../keys/bindings.js'

/** The part of the screen that has the keys. */
export type Pane = 'list' | 'details' | 'export'

/** The acts that keys start. */
export interface Acts extends ListActs {
  turn(by: number): void
  follow(): void
  search(): void
  show(pane: Pane): void
}

const OVER = ['details', 'export'] as const satisfies readonly Pane[]

/** The keys of the screen, in the order in which the last line names them. */
export const LOG_KEYS: readonly Binding<Pane, Acts>[] = [
  {
    id: 'logs.next-tab',
    in: ['list'],
    keys: ['tab', 'right', 'l'],
    shown: 'tab',
    does: 'next',
    explained: 'go on: orders, analyzer, traffic, latency, errors',
    act: (acts) => acts.turn(1),
  },
  {
    id: 'logs.last-tab',
    in: ['list'],
    keys: ['shift-tab', 'left', 'h'],
    explained: 'go back',
    act: (acts) => acts.turn(-1),
  },
  ...listKeys<Pane>(['list']),
  {
    id: 'logs.search',
    in: ['list'],
    keys: ['s'],
    does: 'search',
    explained: 'let the daemon look for a text in the whole log',
    command: 'svc log orders --search TEXT',
    act: (acts) => acts.search(),
  },
  {
    id: 'logs.follow',
    in: ['list'],
    keys: ['f'],
    does: 'follow',
    explained: 'new rows come, or not',
    command: 'svc log orders --follow',
    act: (acts) => acts.follow(),
  },
  {
    id: 'logs.details',
    in: ['list'],
    keys: ['enter', 'd'],
    does: 'details',
    explained: 'all fields, with request and answer',
    command: 'svc log orders -o json',
    act: (acts) => acts.show('details'),
  },
  {
    id: 'logs.export',
    in: ['list'],
    keys: ['x'],
    does: 'export',
    explained: 'show the command that exports these rows',
    command: 'svc log export',
    act: (acts) => acts.show('export'),
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
    act: (acts) => acts.show('list'),
  },
]
