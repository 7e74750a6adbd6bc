import { randomHex } from '../../../core/secrets/index.js'
import type { Clock } from '../../../core/time/index.js'

/** A retry that comes later counts as a new request. */
const LASTS_MS = 15 * 60_000
/** The most calls that are remembered; the oldest is forgotten first. */
const MOST = 1000

/**
 * The keys of calls whose caller never learned how they ended: the outcome is unknown, or the connection was gone. The
 * same call again is then the same request, and no second order. A call that was answered is not kept, so whoever
 * wants the same order twice gets it.
 */
export class UnansweredCalls {
  readonly #keys = new Map<string, { key: string; until: number }>()

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Returns the key of a call: that of the same unanswered call before, or a new one. */
  keyOf(call: string): string {
    const known = this.#keys.get(call)
    return known && this.clock.monotonic() < known.until ? known.key : `mcp-${randomHex(16)}`
  }

  /** Notes how a call ended for its caller. */
  note(call: string, key: string, isAnswered: boolean): void {
    this.#keys.delete(call)
    if (isAnswered) return
    this.#keys.set(call, { key, until: this.clock.monotonic() + LASTS_MS })
    const [oldest] = this.#keys.keys()
    if (this.#keys.size > MOST && oldest !== undefined) this.#keys.delete(oldest)
  }
}
