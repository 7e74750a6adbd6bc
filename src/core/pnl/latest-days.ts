import { type Clock, MINUTE_MS } from '../time/index.js'
import type { LatestDay, PnlDay } from './schema.js'

/** How long a page waits for a day that is being read. Bars in memory take a few milliseconds. */
const PATIENCE_MS = 100
/** The age from which on no page shows a day in place of one that is being read. */
const SHOWN_MS = 5 * MINUTE_MS

interface Entry {
  /** Ends when the day has been read, or has failed. */
  reading?: Promise<void> | undefined
  known?: { day: PnlDay; asOf: number; readAt: number } | undefined
  failure?: { error: unknown } | undefined
}

/**
 * The newest day of each account, for pages. The bars of a day are read at a slow pace, which no page waits for: it
 * shows the day before them, and the next page the new one.
 */
export class LatestDays {
  readonly #clock: Clock
  /** One for each user, mode and broker. */
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the day if it is read at once, or else the newest known one, while it is read for the next caller.
   * @throws what `read` has thrown, also for the caller before
   */
  async get(account: string, read: () => Promise<PnlDay>): Promise<LatestDay> {
    const entry = this.#entries.get(account) ?? {}
    this.#entries.set(account, entry)
    entry.reading ??= this.#read(entry, read)
    await this.#patiently(entry.reading)
    const { failure, known, reading } = entry
    entry.failure = undefined
    if (failure) throw failure.error
    const isShown = known !== undefined && this.#clock.monotonic() - known.readAt < SHOWN_MS
    return { isReading: reading !== undefined, ...(isShown && { day: known.day, asOf: known.asOf }) }
  }

  async #read(entry: Entry, read: () => Promise<PnlDay>): Promise<void> {
    const [asOf, readAt] = [this.#clock.now(), this.#clock.monotonic()]
    try {
      entry.known = { day: await read(), asOf, readAt }
    } catch (error) {
      entry.failure = { error }
    } finally {
      entry.reading = undefined
    }
  }

  async #patiently(reading: Promise<void>): Promise<void> {
    const patience = new AbortController()
    const end = this.#clock.sleep(PATIENCE_MS, patience.signal).catch(() => undefined)
    await Promise.race([reading, end])
    patience.abort()
  }
}
