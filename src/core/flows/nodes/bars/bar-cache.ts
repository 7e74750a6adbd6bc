import type { Clock } from '../../../time/index.js'
import type { Account, Body, CallResult, ReadCall, ReadsPort } from '../../ports.js'

/** The time for which bars are cached. */
const CACHE_MS = 30_000
/** Most cached requests. */
const MAX_ENTRIES = 500

interface Entry {
  answer: Promise<CallResult>
  until: number
}

/**
 * Caches reads of bars for 30 seconds, also while the first read is in flight: nodes that ask for the same
 * bars share one request. Other reads are not cached, nor are refusals and failures.
 */
export class BarCache implements ReadsPort {
  readonly #entries = new Map<string, Entry>()

  constructor(
    private readonly clock: Clock,
    private readonly reads: ReadsPort,
    private readonly broker: () => string,
  ) {}

  ask(call: ReadCall, body: Body, account: Account): Promise<CallResult> {
    if (call !== 'history') return this.reads.ask(call, body, account)
    const key = keyOf(body, account, this.broker())
    const now = this.clock.monotonic()
    const cached = this.#entries.get(key)
    if (cached && cached.until > now) return cached.answer
    this.#makeRoom(now)
    return this.#remember(key, now + CACHE_MS, this.reads.ask(call, body, account))
  }

  #remember(key: string, until: number, answer: Promise<CallResult>): Promise<CallResult> {
    const entry = { answer, until }
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    this.#entries.set(key, entry)
    answer.then(({ ok }) => {
      if (!ok) forget()
    }, forget)
    return answer
  }

  /** Drops expired entries, and the oldest ones if the cache is still full. */
  #makeRoom(now: number): void {
    for (const [key, { until }] of this.#entries) {
      if (until <= now || this.#entries.size >= MAX_ENTRIES) this.#entries.delete(key)
    }
  }
}

/** Bars of a simulated market mean nothing at a real one. */
function keyOf(body: Body, { userId }: Account, broker: string): string {
  const { symbol, exchange, interval, start_date, end_date, source } = body
  return JSON.stringify([broker, userId, symbol, exchange, interval, start_date, end_date, source])
}
