import { type ListActs, listKeys } from '../components/list/use-list.js'
import type { Binding } from '../keys/bindings.js'
import type { Pane, Tab } from './place.js'

/** The acts that keys start. */
export interface Acts extends ListActs {
  run(): void
  toggle(): void
  open(): void
  back(): void
  turn(by: number): void
  openRun(): void
  cancelRun(): void
}

const OPEN = ['graph', 'executions', 'log', 'details'] as const satisfies readonly Tab[]
const ANY = ['list', ...OPEN] as const satisfies readonly Pane[]

/** The keys of the screen, in the order in which the last line names them. */
export const FLOW_KEYS: readonly Binding<Pane, Acts>[] = [
  ...listKeys<Pane>(['list', 'executions']),
  {
    id: 'flows.scroll',
    in: ['graph', 'log', 'details'],
    keys: [],
    shown: '↑↓',
    does: 'scroll',
    explained: 'scroll (also PgUp, PgDn, g and G)',
    act: () => undefined,
  },
  {
    id: 'flows.open',
    in: ['list'],
    keys: ['enter', 'd'],
    does: 'open',
    explained: 'show graph, executions, log and details',
    command: 'svc flow show ID',
    act: (acts) => acts.open(),
  },
  {
    id: 'flows.open-run',
    in: ['executions'],
    keys: ['e', 'enter'],
    does: 'log',
    explained: 'show the log of the execution',
    command: 'svc flow logs ID --execution RUN',
    act: (acts) => acts.openRun(),
  },
  {
    id: 'flows.next-tab',
    in: OPEN,
    keys: ['tab', 'right', 'l'],
    shown: 'tab',
    does: 'next',
    explained: 'go on: graph, executions, log, details (also l)',
    act: (acts) => acts.turn(1),
  },
  {
    id: 'flows.last-tab',
    in: OPEN,
    keys: ['shift-tab', 'left', 'h'],
    explained: 'go back: details, log, executions, graph (also h)',
    act: (acts) => acts.turn(-1),
  },
  {
    id: 'flows.run',
    in: ANY,
    keys: ['r'],
    does: 'run',
    explained: 'run the workflow now: asks',
    command: 'svc flow run ID',
    act: (acts) => acts.run(),
  },
  {
    id: 'flows.toggle',
    in: ANY,
    keys: ['a'],
    does: 'on/off',
    explained: 'activate or deactivate its trigger: asks',
    command: 'svc flow activate ID',
    act: (acts) => acts.toggle(),
  },
  {
    id: 'flows.cancel-run',
    in: ['executions', 'log'],
    keys: ['c'],
    does: 'cancel',
    explained: 'cancel the running execution: asks',
    command: 'svc flow cancel RUN',
    act: (acts) => acts.cancelRun(),
  },
  {
    id: 'flows.back',
    in: OPEN,
    keys: ['esc', 'q'],
    does: 'back',
    explained: 'back to the list',
    act: (acts) => acts.back(),
  },
]
