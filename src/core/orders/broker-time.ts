import type { Clock } from '../time/index.js'

/** An interval of the monotonic clock, in milliseconds. */
interface Span {
  from: number
  to: number
}

/** Measures how long a request waits for its broker: each order from its slot until the broker's answer. */
export class BrokerTimer {
  readonly #spans: Span[] = []
  #begun = false

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** True once a call that changes something was sent. */
  get begun(): boolean {
    return this.#begun
  }

  /**
   * Milliseconds of waiting for the broker; parallel calls count once. Undefined when nothing was measured.
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

  /** Measures a call that only reads. */
  async read<T>(exchange: () => Promise<T>): Promise<T> {
    const from = this.clock.monotonic()
    try {
      return await exchange()
    } finally {
      this.#spans.push({ from, to: this.clock.monotonic() })
    }
  }
}
