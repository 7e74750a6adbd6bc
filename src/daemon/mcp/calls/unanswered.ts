import { randomHex } from '../../../core/secrets/index.js'
import type { Clock } from '../../../core/time/index.js'

/** A retry that comes later counts as a new request. */
const LASTS_MS = 15 * 60_000
/** The most calls that are remembered; the oldest is forgotten first. */
const MOST = 1000

/** A call that runs. */
export interface RunningCall {
  readonly key: string
  /** @param isKnown true if the caller has learned how the call ended */
  end(isKnown: boolean): void
}

interface Running {
  readonly key: string
  /** Returns whether the connection of the caller is gone. */
  hasLeft(): boolean
  isKnown: boolean
}

/**
 * The keys of calls whose caller never learns how they end: the outcome is unknown, or the connection is gone, perhaps
 * while the call still runs. The same call again is then the same request, and no second order. A call that was
 * answered is not kept, so whoever wants the same order twice gets it.
 */
export class UnansweredCalls {
  readonly #keys = new Map<string, { key: string; until: number }>()
  readonly #running = new Map<string, Set<Running>>()

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Begins a call under the key of the same unanswered call before it, or under a new one. */
  begin(call: string, hasLeft: () => boolean): RunningCall {
    const others = this.#running.get(call) ?? new Set()
    const own: Running = { key: this.#keyOf(call, others), hasLeft, isKnown: false }
    this.#running.set(call, others.add(own))
    return {
      key: own.key,
      end: (isKnown) => {
        others.delete(own)
        if (others.size === 0) this.#running.delete(call)
        this.#note(call, own.key, isKnown || own.isKnown)
        // Whoever asked again under this key has learned how the first call ended, too.
        if (isKnown) for (const other of others) if (other.key === own.key) other.isKnown = true
      },
    }
  }

  #keyOf(call: string, others: ReadonlySet<Running>): string {
    for (const { hasLeft, key } of others) if (hasLeft()) return key
    const known = this.#keys.get(call)
    return known && this.clock.monotonic() < known.until ? known.key : `mcp-${randomHex(16)}`
  }

  #note(call: string, key: string, isKnown: boolean): void {
    if (isKnown) {
      // The key of another call with the same arguments stays: its caller still does not know.
      if (this.#keys.get(call)?.key === key) this.#keys.delete(call)
      return
    }
    this.#keys.delete(call)
    this.#keys.set(call, { key, until: this.clock.monotonic() + LASTS_MS })
    const [oldest] = this.#keys.keys()
    if (this.#keys.size > MOST && oldest !== undefined) this.#keys.delete(oldest)
  }
}
