import type { Clock } from '../time/index.js'

/** A stretch of the monotonic clock, in milliseconds. */
interface Span {
  from: number
  to: number
}

/** Measures how long a request waits for its broker: each order from the moment its slot has come until it is answered. */
export class BrokerTimer {
  readonly #spans: Span[] = []
  #begun = false

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Whether anything was sent that changes something. */
  get begun(): boolean {
    return this.#begun
  }

  /**
   * Milliseconds during which the broker was waited for; what went on at the same time counts once. Undefined where
   * nothing was measured.
   */
  get elapsedMs(): number | undefined {
    if (this.#spans.length === 0) return undefined
    let total = 0
    let until = Number.NEGATIVE_INFINITY
    for (const { from, to } of [...this.#spans].sort((a, b) => a.from - b.from)) {
      total += Math.max(0, to - Math.max(from, until))
      until = Math.max(until, to)
    }
    return total
  }

  /** Measures a call that changes something at the broker. */
  send<T>(exchange: () => Promise<T>): Promise<T> {
    this.#begun = true
    return this.read(exchange)
  }

  /** Measures a call that only asks. */
  async read<T>(exchange: () => Promise<T>): Promise<T> {
    const from = this.clock.monotonic()
    try {
      return await exchange()
    } finally {
      this.#spans.push({ from, to: this.clock.monotonic() })
    }
  }
}
