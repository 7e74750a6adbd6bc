import type { Key } from 'ink'
import type { KeyHelp } from '../components/KeyLine.js'
import { useKeyPress } from '../screen/use-key-press.js'
import type { Pane } from './pane.js'

/** The acts that keys start. */
export interface Acts {
  move(by: number): void
  mark(): void
  details(): void
  back(): void
  approve(): void
  approveAll(): void
  reject(): void
  quit(): void
}

interface Binding extends Partial<KeyHelp> {
  in: readonly Pane['kind'][]
  matches(input: string, key: Key): boolean
  act(acts: Acts): void
}

const PAGE_ROWS = 10
const BOTH = ['list', 'details'] as const
const is = (character: string) => (input: string) => input === character

/** The keys of the list and the details, in the order in which the last line names them. */
const BINDINGS: readonly Binding[] = [
  { in: ['list'], matches: (input, key) => key.upArrow || /^k+$/.test(input), act: (acts) => acts.move(-1) },
  {
    ...{ in: ['list'], keys: '↑↓', does: 'move' },
    matches: (input, key) => key.downArrow || /^j+$/.test(input),
    act: (acts) => acts.move(1),
  },
  { in: ['list'], matches: (_, key) => key.pageUp, act: (acts) => acts.move(-PAGE_ROWS) },
  { in: ['list'], matches: (_, key) => key.pageDown, act: (acts) => acts.move(PAGE_ROWS) },
  { in: ['list'], matches: (input, key) => key.home || input === 'g', act: (acts) => acts.move(-FAR) },
  { in: ['list'], matches: (input, key) => key.end || input === 'G', act: (acts) => acts.move(FAR) },
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
/** More rows than any list has. */
const FAR = 1_000_000

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
  useKeyPress((input, key) => {
    if (key.ctrl || key.meta !== key.escape) return
    BINDINGS.find((one) => one.in.includes(pane.kind) && one.matches(input, key))?.act(acts)
  })
}

/** Returns the keys that the last line names. */
export function keysOf(pane: Pane): readonly KeyHelp[] {
  if (pane.kind === 'confirm' || pane.kind === 'reason') return ANSWERS[pane.kind]
  return BINDINGS.flatMap(({ in: panes, keys, does }) =>
    keys !== undefined && does !== undefined && panes.includes(pane.kind) ? { keys, does } : [],
  )
}
