import { BrokerError } from '../brokers/broker.js'
import type { Clock } from '../time/index.js'

/** An interval of the monotonic clock, in milliseconds. */
interface Span {
  from: number
  to: number
}

/** The durations of an order or a change, in milliseconds. */
interface Durations {
  totalMs: number
  validationMs: number
  rttMs: number
  responseMs: number
}

/**
 * Measures one order or change: from the arrival of its request to its recorded end, and the wait for the
 * broker (or the sandbox) in it.
 */
export class BrokerTimer {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #startedAt: number
  readonly #beganAt: number
  readonly #spans: Span[] = []
  #begun = false
  #reached = false

  /** @param startedAt when the request arrived; now by default */
  constructor(clock: Pick<Clock, 'monotonic'>, startedAt?: number) {
    this.#clock = clock
    this.#beganAt = clock.monotonic()
    this.#startedAt = startedAt ?? this.#beganAt
  }

  /** True once a call that changes something was sent. */
  get begun(): boolean {
    return this.#begun
  }

  /** True once a call that changes something has, or may have, arrived at the broker. */
  get reached(): boolean {
    return this.#reached
  }

  /** Measures a call that changes something at the broker. */
  async send<T>(exchange: () => Promise<T>): Promise<T> {
    this.#begun = true
    const from = this.#clock.monotonic()
    try {
      const answer = await exchange()
      this.#reached = true
      return answer
    } catch (error) {
      if (!(error instanceof BrokerError && error.sent === 'never')) this.#reached = true
      throw error
    } finally {
      this.#spans.push({ from, to: this.#clock.monotonic() })
    }
  }

  /** Measures a call that only reads. */
  async read<T>(exchange: () => Promise<T>): Promise<T> {
    const from = this.#clock.monotonic()
    try {
      return await exchange()
    } finally {
      this.#spans.push({ from, to: this.#clock.monotonic() })
    }
  }

  /** Returns the durations up to now, when the end is recorded. */
  durations(): Durations {
    const now = this.#clock.monotonic()
    const answeredAt = this.#spans.reduce((last, { to }) => Math.max(last, to), this.#beganAt)
    return {
      totalMs: now - this.#startedAt,
      validationMs: this.#beganAt - this.#startedAt,
      rttMs: waitingIn(this.#spans),
      responseMs: now - answeredAt,
    }
  }
}

/** Returns the length of all spans; parallel ones count once. */
function waitingIn(spans: readonly Span[]): number {
  let total = 0
  let until = Number.NEGATIVE_INFINITY
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    total += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return total
}
