import { keysOf } from '../keys/bindings.js'
import type { KeyMap } from '../keys/KeysProvider.js'
import { SHELL_KEYS } from '../shell/keys.js'
import { SCREENS } from '../shell/screens.js'

/** An act of the program with its keys, as `svc tui --keys` lists it. */
export interface ListedAct {
  id: string
  screen: string
  keys: string
  does: string
}

/** Returns every act, each once, in the order of the screens. */
export function listedActs(map: KeyMap): readonly ListedAct[] {
  const all = [
    ...SHELL_KEYS.map((binding) => ({ screen: 'all', binding })),
    ...SCREENS.flatMap(({ id, keys }) => keys.map((binding) => ({ screen: id, binding }))),
  ]
  const listed = new Map<string, ListedAct>()
  // A row without keys only explains keys that a part of the screen handles itself.
  for (const { screen, binding } of all.filter((one) => one.binding.keys.length > 0)) {
    const { id, explained, does = '' } = binding
    const before = listed.get(id)
    // The keys of lists are the same on every screen.
    if (before !== undefined) listed.set(id, { ...before, screen: before.screen === screen ? screen : 'all' })
    else listed.set(id, { id, screen, keys: keysOf(binding, map).join(' '), does: explained ?? does })
  }
  return [...listed.values()]
}
