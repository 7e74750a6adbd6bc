import { type Binding, helpOf, is, type Moves, moves, useBindings } from '../components/bindings.js'
import type { KeyHelp } from '../components/KeyLine.js'
import type { Pane } from './pane.js'

/** The acts that keys start. */
export interface Acts extends Moves {
  mark(): void
  details(): void
  back(): void
  approve(): void
  approveAll(): void
  reject(): void
  quit(): void
}

const BOTH = ['list', 'details'] as const

/** The keys of the list and the details, in the order in which the last line names them. */
const BINDINGS: readonly Binding<Pane['kind'], Acts>[] = [
  ...moves(['list']),
  {
    ...{ in: ['list'], keys: 'enter', does: 'details' },
    matches: (input, key) => key.return || input === 'd',
    act: (acts) => acts.details(),
  },
  { in: BOTH, keys: 'a', does: 'approve', matches: is('a'), act: (acts) => acts.approve() },
  { in: BOTH, keys: 'r', does: 'reject', matches: is('r'), act: (acts) => acts.reject() },
  { in: ['list'], keys: 'space', does: 'mark', matches: is(' '), act: (acts) => acts.mark() },
  {
    in: ['list'],
    keys: 'A',
    does: 'approve all',
    matches: is('A'),
    act: (acts) => acts.approveAll(),
  },
  { in: ['list'], keys: 'q', does: 'quit', matches: is('q'), act: (acts) => acts.quit() },
  {
    ...{ in: ['details'], keys: 'esc', does: 'back' },
    matches: (input, key) => key.escape || key.return || ['d', 'q'].includes(input),
    act: (acts) => acts.back(),
  },
]

const ANSWERS: Readonly<Record<'confirm' | 'reason', readonly KeyHelp[]>> = {
  confirm: [
    { keys: 'y', does: 'approve' },
    { keys: 'n', does: 'cancel' },
  ],
  reason: [
    { keys: 'enter', does: 'reject' },
    { keys: 'esc', does: 'cancel' },
  ],
}

/** Handles the keys of the list and the details. The questions handle their own. */
export function useKeys(pane: Pane, acts: Acts): void {
  useBindings(BINDINGS, pane.kind, acts)
}

/** Returns the keys that the last line names. */
export function keysOf(pane: Pane): readonly KeyHelp[] {
  return pane.kind === 'confirm' || pane.kind === 'reason' ? ANSWERS[pane.kind] : helpOf(BINDINGS, pane.kind)
}
