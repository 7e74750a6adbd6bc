import type { BrokerClient } from '../../../brokers/broker.js'
import type { Clock } from '../../../time/index.js'

/** The delays after the first, second, … failure in a row; the last one repeats. */
const DELAYS_MS = [15_000, 30_000, 60_000, 120_000, 300_000]

/** When a read of the broker that failed is tried again: less and less often, and at once on another connection. */
export class Retries {
  #failures: { client: BrokerClient; count: number; retryAt: number } | undefined

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  noteSuccess(): void {
    this.#failures = undefined
  }

  noteFailure(client: BrokerClient): void {
    const count = this.#failures?.client === client ? this.#failures.count + 1 : 1
    const delay = DELAYS_MS[Math.min(count, DELAYS_MS.length) - 1] ?? 0
    this.#failures = { client, count, retryAt: this.clock.monotonic() + delay }
  }

  /** Returns whether the last read on this connection failed, and it is too early to try again. */
  waits(client: BrokerClient): boolean {
    return this.#failures?.client === client && this.clock.monotonic() < this.#failures.retryAt
  }

  /** Returns whether the last read failed, and it is time to try again. */
  isDue(client: BrokerClient): boolean {
    return this.#failures !== undefined && !this.waits(client)
  }
}
