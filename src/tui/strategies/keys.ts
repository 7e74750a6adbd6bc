import { type ListActs, listKeys } from '../components/list/use-list.js'
import { type Binding, moves } from '../keys/bindings.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import { keysOfState } from '../question/QuestionPane.js'
import type { Pane } from './pane.js'

/** The acts that keys start. */
export interface Acts extends ListActs {
  details(): void
  back(): void
  nextTab(): void
  start(): void
  stop(): void
  closeLeg(): void
  closeAll(): void
  lock(): void
  kill(): void
}

type Kind = Pane['kind']
const BOTH = ['list', 'details'] as const satisfies readonly Kind[]

/** The last line has no room for the keys that move. */
const unnamedMove = <Key extends { id: string; does?: string }>({ does, ...rest }: Key) =>
  does === undefined || does === 'move' ? rest : { ...rest, does }

/** The keys of the list and the details, in the order in which the last line names them. */
export const KEYS: readonly Binding<Kind, Acts>[] = [
  ...listKeys<Kind>(['list']).map(unnamedMove),
  ...moves<Kind>(['details']).map(unnamedMove),
  {
    id: 'strategies.details',
    in: ['list'],
    keys: ['enter'],
    does: 'details',
    explained: 'legs, events and runs of the strategy',
    command: 'svc strategy show <id>',
    act: (acts) => acts.details(),
  },
  {
    id: 'strategies.next-tab',
    in: ['details'],
    keys: ['tab'],
    does: 'next',
    explained: 'go on: legs, events, runs',
    command: 'svc strategy events <id>',
    act: (acts: Acts) => acts.nextTab(),
  },
  {
    id: 'strategies.start',
    in: BOTH,
    keys: ['s'],
    does: 'start',
    explained: 'start the strategy: first its mode, then a question',
    command: 'svc strategy start <id>',
    act: (acts) => acts.start(),
  },
  {
    id: 'strategies.stop',
    in: BOTH,
    keys: ['x'],
    does: 'stop',
    explained: 'stop the run, and close every position it holds',
    command: 'svc strategy stop <id>',
    act: (acts) => acts.stop(),
  },
  {
    id: 'strategies.close-leg',
    in: ['details'],
    keys: ['c'],
    does: 'close leg',
    explained: 'close the selected leg',
    command: 'svc strategy close <id> --leg <leg>',
    act: (acts) => acts.closeLeg(),
  },
  {
    id: 'strategies.close-all',
    in: ['list'],
    keys: ['C'],
    does: 'close',
    explained: 'close all legs',
    command: 'svc strategy close <id>',
    act: (acts: Acts) => acts.closeAll(),
  },
  // Next to `c close leg`, in a line that fits 80 columns.
  {
    id: 'strategies.close-all',
    in: ['details'],
    keys: ['C'],
    does: 'all',
    explained: 'close all legs',
    command: 'svc strategy close <id>',
    act: (acts: Acts) => acts.closeAll(),
  },
  {
    id: 'strategies.lock',
    in: BOTH,
    keys: ['L'],
    does: 'lock',
    explained: 'lock the webhook while nothing runs, or unlock it',
    command: 'svc strategy lock <id>',
    act: (acts) => acts.lock(),
  },
  {
    id: 'strategies.kill',
    in: BOTH,
    keys: ['K'],
    does: 'kill',
    explained: 'lock the webhook, and stop the run',
    command: 'svc strategy lock <id>',
    act: (acts) => acts.kill(),
  },
  {
    id: 'strategies.back',
    in: ['details'],
    keys: ['esc', 'enter', 'q'],
    does: 'back',
    explained: 'back to the list (also enter and q)',
    act: (acts: Acts) => acts.back(),
  },
]

/** Returns the keys of a question; none for the list and the details. The choice of a mode names its own. */
export function keysOfPane(pane: Pane): { keys?: readonly KeyHelp[] } {
  if (pane.kind === 'reading' || pane.kind === 'asked') return keysOfState(pane)
  return pane.kind === 'mode' ? { keys: [{ keys: 'esc', does: 'cancel' }] } : {}
}
