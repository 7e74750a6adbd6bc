import { type AnyBinding, keysOfAct, QUIT } from '../keys/bindings.js'
import type { KeyMap } from '../keys/KeysProvider.js'
import { SHELL_KEYS } from '../shell/keys.js'
import { SCREENS } from '../shell/screens.js'

/** Keys that always end, suspend or cancel: nothing else may have them. */
const FIXED: ReadonlySet<string> = new Set(['ctrl-c', 'ctrl-z', 'esc'])
/** The key that answers a question with yes. An act that has it too would ask and be confirmed by one key held down. */
const YES = 'y'

/**
 * Checks the keys that the user gives to acts, by the ids of the acts.
 * @throws Error that names the act and the rule
 */
export function changedKeys(given: Readonly<Record<string, readonly string[]>>): KeyMap {
  const known = new Set([...SHELL_KEYS, ...SCREENS.flatMap(({ keys }) => keys)].map(({ id }) => id))
  for (const [id, keys] of Object.entries(given)) {
    if (!known.has(id)) throw new Error(`keys.${id}: there is no such act; svc tui --keys lists them`)
    const fixed = keys.find((key) => FIXED.has(key))
    if (fixed !== undefined) throw new Error(`keys.${id}: ${fixed} cannot be changed`)
    if (keys.includes(YES)) throw new Error(`keys.${id}: ${YES} only answers questions`)
  }
  const map = new Map(Object.entries(given))
  const clash = clashesOf(map)[0]
  if (clash !== undefined) throw new Error(`keys: ${clash}`)
  return map
}

/** Returns the keys that two acts of the same pane have, or an act of a screen and one of the program. */
export function clashesOf(map: KeyMap): readonly string[] {
  return SCREENS.flatMap(({ keys }) => {
    const panes = new Set(keys.flatMap((one) => one.in))
    return [...panes].flatMap((pane) => {
      const acts = keys.filter((one) => one.in.includes(pane))
      return clashesAmong([...acts, ...SHELL_KEYS.filter((one) => !covers(acts, one))], map)
    })
  })
}

/** In a pane over the list, the key that goes back takes the place of the one that quits. */
function covers(acts: readonly AnyBinding[], { id }: AnyBinding): boolean {
  return id === QUIT.id && acts.some(({ keys, when }) => when === undefined && keys.includes('esc'))
}

function clashesAmong(acts: readonly AnyBinding[], map: KeyMap): readonly string[] {
  const owners = new Map<string, string>()
  return acts.flatMap((act) =>
    keysOfAct(act, map).flatMap((key) => {
      // An act that has it now and then comes before the others, and the last line names it.
      if (act.when !== undefined && FIXED.has(key)) return []
      const owner = owners.get(key)
      owners.set(key, act.id)
      return owner === undefined || owner === act.id ? [] : `${key} is a key of ${owner} and of ${act.id}`
    }),
  )
}

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
    else listed.set(id, { id, screen, keys: keysOfAct(binding, map).join(' '), does: explained ?? does })
  }
  return [...listed.values()]
}
