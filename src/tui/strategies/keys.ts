import { type Binding, helpOf, is, type Moves, moves, useBindings } from '../components/bindings.js'
import type { KeyHelp } from '../components/KeyLine.js'
import type { Pane } from './pane.js'

/** The acts that keys start. */
export interface Acts extends Moves {
  details(): void
  back(): void
  nextTab(): void
  start(): void
  stop(): void
  closeLeg(): void
  closeAll(): void
  lock(): void
  kill(): void
  quit(): void
}

type Kind = Pane['kind']
const BOTH = ['list', 'details'] as const satisfies readonly Kind[]

/** The keys of the list and the details, in the order in which the last line names them. */
const BINDINGS: readonly Binding<Kind, Acts>[] = [
  ...moves<Kind>(BOTH),
  {
    ...{ in: ['list'], keys: 'enter', does: 'details' },
    matches: (input, key) => key.return || input === 'd',
    act: (acts) => acts.details(),
  },
  { in: ['details'], keys: 'tab', does: 'next', matches: (_, key) => key.tab, act: (acts) => acts.nextTab() },
  { in: BOTH, keys: 's', does: 'start', matches: is('s'), act: (acts) => acts.start() },
  { in: BOTH, keys: 'x', does: 'stop', matches: is('x'), act: (acts) => acts.stop() },
  { in: ['details'], keys: 'c', does: 'close leg', matches: is('c'), act: (acts) => acts.closeLeg() },
  { in: ['list'], keys: 'C', does: 'close all', matches: is('C'), act: (acts) => acts.closeAll() },
  // Next to `c close leg`, in a line that fits 80 columns.
  { in: ['details'], keys: 'C', does: 'all', matches: is('C'), act: (acts) => acts.closeAll() },
  { in: BOTH, keys: 'L', does: 'lock', matches: is('L'), act: (acts) => acts.lock() },
  { in: BOTH, keys: 'K', does: 'kill', matches: is('K'), act: (acts) => acts.kill() },
  { in: ['list'], keys: 'q', does: 'quit', matches: is('q'), act: (acts) => acts.quit() },
  {
    ...{ in: ['details'], keys: 'esc', does: 'back' },
    matches: (input, key) => key.escape || key.return || ['d', 'q'].includes(input),
    act: (acts) => acts.back(),
  },
]

const CANCEL: KeyHelp = { keys: 'esc', does: 'cancel' }

/** Handles the keys of the list and the details. The questions handle their own. */
export function useKeys(pane: Pane, acts: Acts): void {
  useBindings(BINDINGS, pane.kind, acts)
}

/** Returns the keys that the last line names. */
export function keysOf(pane: Pane): readonly KeyHelp[] {
  if (pane.kind === 'mode') return [{ keys: 's', does: 'sandbox' }, { keys: 'l', does: 'live' }, CANCEL]
  if (pane.kind !== 'question') return helpOf(BINDINGS, pane.kind)
  return [
    pane.question.word === undefined ? { keys: 'y', does: 'yes' } : { keys: 'enter', does: 'send' },
    CANCEL,
  ]
}
