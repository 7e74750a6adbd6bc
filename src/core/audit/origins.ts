import type { Actor } from './schema.js'

/** Orders whose origin is kept at most. */
const CAPACITY = 20_000
/**
 * The oldest are forgotten so many at a time. To find the oldest, a map walks over what was deleted before it, so one
 * at a time would cost an order more than its decision.
 */
const FORGOTTEN_AT_ONCE = 2_000

/**
 * Who sent the orders that are not yet in the audit trail, and from where. It is in memory, so that the order
 * path stores nothing for it; after a crash the orders are recorded without it.
 */
export class Origins {
  readonly #actors = new Map<string, Actor>()

  /** @param id the reference of an order, or its id */
  note(id: string, actor: Actor): void {
    this.#actors.set(id, actor)
    if (this.#actors.size > CAPACITY) this.#forgetOldest()
  }

  /** Returns and forgets the sender of an order. */
  take(ids: readonly (string | null)[]): Actor | undefined {
    let found: Actor | undefined
    for (const id of ids) {
      if (id === null) continue
      found ??= this.#actors.get(id)
      this.#actors.delete(id)
    }
    return found
  }

  #forgetOldest(): void {
    let left = FORGOTTEN_AT_ONCE
    for (const id of this.#actors.keys()) {
      this.#actors.delete(id)
      left -= 1
      if (left === 0) return
    }
  }
}
