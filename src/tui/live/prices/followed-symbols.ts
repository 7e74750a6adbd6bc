import type { StreamSymbol, TickMode } from '../../../client/index.js'

/** From the mode with the least data to the one with the most. */
const MODES = ['ltp', 'quote', 'depth'] as const satisfies readonly TickMode[]

type Counts = Record<TickMode, number>

/** Symbols by the mode in which they are followed. */
export type KeysByMode = ReadonlyMap<TickMode, readonly string[]>

/** The symbols whose prices the screens show, each counted in each mode. */
export class FollowedSymbols {
  readonly #counts = new Map<string, Counts>()

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  has(key: string): boolean {
    return this.#counts.has(key)
  }

  add(keys: readonly string[], mode: TickMode): void {
    for (const key of keys) {
      const counts = this.#counts.get(key) ?? { ltp: 0, quote: 0, depth: 0 }
      counts[mode] += 1
      this.#counts.set(key, counts)
    }
  }

  remove(keys: readonly string[], mode: TickMode): void {
    for (const key of keys) {
      const counts = this.#counts.get(key)
      if (counts === undefined) continue
      counts[mode] -= 1
      if (highest(counts) === undefined) this.#counts.delete(key)
    }
  }

  /** Returns what to follow and to unfollow for each symbol to be followed in the highest mode that a screen needs. */
  changesFrom(followed: ReadonlyMap<string, TickMode>): { added: KeysByMode; removed: KeysByMode } {
    const added = new Map<TickMode, string[]>()
    const removed = new Map<TickMode, string[]>()
    for (const [key, mode] of this.#modes()) if (followed.get(key) !== mode) put(added, mode, key)
    for (const [key, mode] of followed) {
      const counts = this.#counts.get(key)
      if (counts === undefined || highest(counts) !== mode) put(removed, mode, key)
    }
    return { added, removed }
  }

  /** Makes a map equal to the symbols with their modes. */
  copyTo(followed: Map<string, TickMode>): void {
    followed.clear()
    for (const [key, mode] of this.#modes()) followed.set(key, mode)
  }

  *#modes(): Generator<[string, TickMode]> {
    for (const [key, counts] of this.#counts) {
      const mode = highest(counts)
      if (mode !== undefined) yield [key, mode]
    }
  }
}

function highest(counts: Counts): TickMode | undefined {
  return MODES.findLast((mode) => counts[mode] > 0)
}

function put(groups: Map<TickMode, string[]>, mode: TickMode, key: string): void {
  const keys = groups.get(mode)
  if (keys === undefined) groups.set(mode, [key])
  else keys.push(key)
}

/** Returns the symbol of a key. */
export function parsedKey(key: string): StreamSymbol {
  const at = key.indexOf(':')
  return { exchange: key.slice(0, at), symbol: key.slice(at + 1) }
}
