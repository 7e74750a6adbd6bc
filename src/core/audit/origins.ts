import type { Actor } from './schema.js'

/** Orders whose origin is kept. Of more, the oldest are forgotten. */
const CAPACITY = 20_000

/**
 * Who sent the orders that are not yet in the audit trail, and from where. It is in memory, so that the order
 * path stores nothing for it; after a crash the orders are recorded without it.
 */
export class Origins {
  readonly #actors = new Map<string, Actor>()

  /** @param id the reference of an order, or its id */
  note(id: string, actor: Actor): void {
    this.#actors.set(id, actor)
    if (this.#actors.size <= CAPACITY) return
    const [oldest] = this.#actors.keys()
    if (oldest !== undefined) this.#actors.delete(oldest)
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
}
