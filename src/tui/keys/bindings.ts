import type { KeyHelp } from './KeyLine.js'
import { type KeyMap, useKeyLayer, useKeyMap } from './KeysProvider.js'
import type { Level } from './router.js'

/** An act with its keys, and the panes in which they work. */
export interface Binding<Pane extends string, State> {
  /** The name for the user's own file of keys: `approvals.approve`. */
  id: string
  in: readonly Pane[]
  /** The keys by default, by the names of {@link KeyPress}. */
  keys: readonly string[]
  /** The key as the last line writes it, where the first of `keys` is no word for people: `↑↓`. */
  shown?: string
  /** In a word or two, for the last line; without it the line does not name the key. */
  does?: string
  /** In some words, for the list of all keys; by default as in the line. */
  explained?: string
  /** The command that does the same, for the list of all keys: `svc approval approve`. */
  command?: string
  /** Returns whether the key works now; without it the key always does. While it works, no other act has its key. */
  when?(state: State): boolean
  /** Acts on what the screen shows now. */
  act(state: State): void
}

/** A row of any key table, for the list of keys and the user's own file. */
export type AnyBinding = Omit<Binding<string, never>, 'act'>

type ShellKey = Omit<Binding<'any', never>, 'act' | 'when'>

/** The keys of the program that lead to everything else: the last line of every screen names them. */
export const COMMAND: ShellKey = {
  id: 'shell.command',
  in: ['any'],
  keys: [':'],
  does: 'run',
  explained: 'run a command of svc, or an order line: b 10 sbin 965',
  command: 'svc <noun> <verb>',
}
export const JUMP: ShellKey = {
  id: 'shell.jump',
  in: ['any'],
  keys: ['ctrl-k'],
  does: 'jump',
  explained: 'jump to a symbol, order, position, workflow or screen',
}
export const QUIT: ShellKey = {
  id: 'shell.quit',
  in: ['any'],
  keys: ['q'],
  does: 'quit',
  explained: 'quit',
}
export const HELP: ShellKey = {
  id: 'shell.help',
  in: ['any'],
  keys: ['?'],
  does: 'keys',
  explained: 'all keys',
}

export interface Moves {
  move(by: number): void
}

const PAGE_ROWS = 10
/** More rows than any list has. */
const FAR = 1_000_000

/** Returns the keys that move the cursor of a list. */
export function moves<Pane extends string>(panes: readonly Pane[]): readonly Binding<Pane, Moves>[] {
  const row = (
    id: string,
    keys: readonly string[],
    by: number,
    rest: Partial<Binding<Pane, Moves>> = {},
  ) => ({
    id: `list.${id}`,
    in: panes,
    keys,
    act: ({ move }: Moves) => move(by),
    ...rest,
  })
  return [
    row('up', ['up', 'k'], -1),
    row('down', ['down', 'j'], 1, { shown: '↑↓', does: 'move', explained: 'move by a row (also j and k)' }),
    row('page-up', ['pgup'], -PAGE_ROWS),
    row('page-down', ['pgdn'], PAGE_ROWS, { shown: 'PgUp PgDn', explained: `move by ${PAGE_ROWS} rows` }),
    row('first', ['g', 'home'], -FAR),
    row('last', ['G', 'end'], FAR, {
      shown: 'g G',
      explained: 'the first and the last row (also Home and End)',
    }),
  ]
}

/** Handles the keys that work in a pane. */
export function useBindings<Pane extends string, State>(
  bindings: readonly Binding<Pane, State>[],
  pane: Pane,
  state: State,
  level: Level = 'screen',
): void {
  const map = useKeyMap()
  useKeyLayer(level, ({ name }) => {
    const found = workingNow(bindings, state).find(
      (one) => one.in.includes(pane) && keysOfAct(one, map).includes(name),
    )
    found?.act(state)
    return found !== undefined
  })
}

/** Returns the keys that work now, first those that only work now. */
export function workingNow<Pane extends string, State>(
  bindings: readonly Binding<Pane, State>[],
  state: State,
): readonly Binding<Pane, State>[] {
  return [
    ...bindings.filter(({ when }) => when?.(state)),
    ...bindings.filter(({ when }) => when === undefined),
  ]
}

/** Returns the keys of an act: the user's own, otherwise the default ones. */
export function keysOfAct({ id, keys }: AnyBinding, map: KeyMap): readonly string[] {
  return map.get(id) ?? keys
}

/** Returns the keys that the last line of a pane names. */
export function helpOf(bindings: readonly AnyBinding[], pane: string, map: KeyMap): readonly KeyHelp[] {
  return bindings.flatMap((one) =>
    one.does !== undefined && one.in.includes(pane) ? { keys: shownKey(one, map), does: one.does } : [],
  )
}

/**
 * Returns the keys of the program that the last line of a pane names. A pane that takes the key that quits lies over a
 * list: its own keys, and the way back, need the room.
 */
export function everywhereOf(bindings: readonly AnyBinding[], pane: string, map: KeyMap): readonly KeyHelp[] {
  const quits = keysOfAct(QUIT, map)
  const isOver = bindings.some(
    (one) => one.in.includes(pane) && keysOfAct(one, map).some((key) => quits.includes(key)),
  )
  return helpOf(isOver ? [HELP] : [COMMAND, JUMP, QUIT, HELP], 'any', map)
}

/** Returns all keys of a pane, each explained, with the command that does the same. */
export function allKeysOf(bindings: readonly AnyBinding[], pane: string, map: KeyMap): readonly KeyHelp[] {
  return bindings.flatMap((one) => {
    const does = one.explained ?? one.does
    if (does === undefined || !one.in.includes(pane)) return []
    return { keys: shownKey(one, map), does, ...(one.command !== undefined && { command: one.command }) }
  })
}

/** Returns the key of an act as people write it. */
export function shownKey(binding: AnyBinding, map: KeyMap): string {
  const own = map.get(binding.id)
  return own?.join(' ') ?? binding.shown ?? binding.keys[0] ?? ''
}
