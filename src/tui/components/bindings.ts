import type { Key } from 'ink'
import { useKeyPress } from '../screen/use-key-press.js'
import type { KeyHelp } from './KeyLine.js'

/** A key, the panes in which it works, and its act. A key with help stands in the last line. */
export interface Binding<Pane extends string, Acts> extends Partial<KeyHelp> {
  in: readonly Pane[]
  matches(input: string, key: Key): boolean
  act(acts: Acts): void
}

export interface Moves {
  move(by: number): void
}

const PAGE_ROWS = 10
/** More rows than any list has. */
const FAR = 1_000_000

/** Matches one character. */
export const is = (character: string) => (input: string) => input === character

/** Returns the keys that move the cursor of a list. */
export function moves<Pane extends string>(panes: readonly Pane[]): readonly Binding<Pane, Moves>[] {
  return [
    { in: panes, matches: (input, key) => key.upArrow || /^k+$/.test(input), act: (acts) => acts.move(-1) },
    {
      ...{ in: panes, keys: '↑↓', does: 'move' },
      matches: (input, key) => key.downArrow || /^j+$/.test(input),
      act: (acts) => acts.move(1),
    },
    { in: panes, matches: (_, key) => key.pageUp, act: (acts) => acts.move(-PAGE_ROWS) },
    { in: panes, matches: (_, key) => key.pageDown, act: (acts) => acts.move(PAGE_ROWS) },
    { in: panes, matches: (input, key) => key.home || input === 'g', act: (acts) => acts.move(-FAR) },
    { in: panes, matches: (input, key) => key.end || input === 'G', act: (acts) => acts.move(FAR) },
  ]
}

/** Handles the keys that work in a pane. */
export function useBindings<Pane extends string, Acts>(
  bindings: readonly Binding<Pane, Acts>[],
  pane: Pane,
  acts: Acts,
): void {
  useKeyPress((input, key) => {
    if (key.ctrl || key.meta !== key.escape) return
    bindings.find((one) => one.in.includes(pane) && one.matches(input, key))?.act(acts)
  })
}

/** Returns the keys that the last line of a pane names. */
export function helpOf<Pane extends string, Acts>(
  bindings: readonly Binding<Pane, Acts>[],
  pane: Pane,
): readonly KeyHelp[] {
  return bindings.flatMap(({ in: panes, keys, does }) =>
    keys !== undefined && does !== undefined && panes.includes(pane) ? { keys, does } : [],
  )
}
