import type { Clock } from '../../../time/index.js'
import type { Account, Body, CallAnswer, ReadCall, ReadsPort } from '../../ports.js'

/** How long bars of one question are answered from memory. */
export const BARS_HELD_MS = 30_000
/** Questions remembered at once. */
const MOST_HELD = 500

interface Held {
  answer: Promise<CallAnswer>
  until: number
}

/**
 * Reads of bars, each question asked once in 30 seconds however many nodes ask it, also at the same moment. All
 * other reads go through. Refusals and failures are not remembered.
 */
export class BarCache implements ReadsPort {
  readonly #held = new Map<string, Held>()

  constructor(
    private readonly clock: Clock,
    private readonly reads: ReadsPort,
  ) {}

  ask(call: ReadCall, body: Body, account: Account): Promise<CallAnswer> {
    if (call !== 'history') return this.reads.ask(call, body, account)
    const key = keyOf(body, account)
    const now = this.clock.now()
    const held = this.#held.get(key)
    if (held && held.until > now) return held.answer
    this.#makeRoom(now)
    return this.#remember(key, now + BARS_HELD_MS, this.reads.ask(call, body, account))
  }

  #remember(key: string, until: number, answer: Promise<CallAnswer>): Promise<CallAnswer> {
    const entry = { answer, until }
    const forget = () => {
      if (this.#held.get(key) === entry) this.#held.delete(key)
    }
    this.#held.set(key, entry)
    answer.then(({ httpStatus, body }) => {
      if (httpStatus >= 400 || body.status === 'error') forget()
    }, forget)
    return answer
  }

  /** Lets go of what has run out, and of the oldest when there is still too much. */
  #makeRoom(now: number): void {
    for (const [key, { until }] of this.#held) {
      if (until <= now || this.#held.size >= MOST_HELD) this.#held.delete(key)
    }
  }
}

function keyOf(body: Body, { userId }: Account): string {
  const { symbol, exchange, interval, start_date, end_date, source } = body
  return JSON.stringify([userId, symbol, exchange, interval, start_date, end_date, source])
}
