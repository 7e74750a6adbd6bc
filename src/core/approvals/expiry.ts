import { type Clock, readingOf, type Timer } from '../time/index.js'
import type { ApprovalStore, ExpiringRow } from './store.js'

/** The longest single wait: a timer cannot run for a month, and a machine that slept wakes up late. */
const LONGEST_WAIT_MS = 3_600_000
/** The wait after a failed sweep. */
const RETRY_MS = 5_000

/** Rows expired per transaction, so that no transaction blocks the writer for long. */
const EXPIRY_CHUNK = 200
/** The name of the rejector of an expired order. */
const EXPIRER = 'system'

interface ExpiryOptions {
  clock: Clock
  store: Pick<ApprovalStore, 'expiring' | 'expire'>
  /** Called with the rows that have expired, after their rejection is stored. */
  expired(rows: readonly { id: number; userId: string }[]): void
  failed(fault: unknown): void
}

/** A row that is stored for a limited time. */
interface LimitedRow {
  id: number
  createdAt: number
  expiresAt: number | null
}

/**
 * Rejects pending orders whose time is over. It wakes up when the next one expires and does not poll while nothing can
 * expire.
 */
export class Expiry {
  readonly #options: ExpiryOptions
  /** The monotonic readings at which rows that expire were stored: the clock may be set. */
  readonly #beganAt = new Map<number, number>()
  #timer: Timer | undefined
  /** A monotonic reading. */
  #dueAt = Number.POSITIVE_INFINITY
  #stopped = false

  constructor(options: ExpiryOptions) {
    this.#options = options
  }

  /** Wakes up for the stored rows from now on. */
  async start(): Promise<void> {
    this.#watch(await this.#nextExpiry())
  }

  /** Notes a row that was stored now. */
  add(id: number, lifetimeMs: number): void {
    this.#beganAt.set(id, this.#options.clock.monotonic())
    this.#watch(lifetimeMs)
  }

  stop(): void {
    this.#stopped = true
    this.#options.clock.clear(this.#timer)
  }

  /** Rejects every expired pending order and resolves with their number. The timer calls it. */
  async expireDue(): Promise<number> {
    const { clock, expired, store } = this.#options
    const due = (await store.expiring()).filter((row) => this.#leftMs(row) <= 0)
    let total = 0
    for (let from = 0; from < due.length; from += EXPIRY_CHUNK) {
      const rows = await store.expire(due.slice(from, from + EXPIRY_CHUNK), {
        at: clock.now(),
        by: EXPIRER,
        reasonOf: expiryReason,
      })
      expired(rows)
      total += rows.length
    }
    return total
  }

  /** Rejects a row now, with all others that are due, if its time is over. */
  async expireIfOver({ createdAt, expiresAt, id }: LimitedRow): Promise<void> {
    if (expiresAt === null) return
    if (this.#leftMs({ id, createdAt, lifetimeMs: expiresAt - createdAt }) <= 0) await this.expireDue()
  }

  /** Returns the time until the next row expires. */
  async #nextExpiry(): Promise<number | undefined> {
    const rows = await this.#options.store.expiring()
    const ids = new Set(rows.map(({ id }) => id))
    for (const id of this.#beganAt.keys()) if (!ids.has(id)) this.#beganAt.delete(id)
    const left = rows.map((row) => this.#leftMs(row))
    return left.length === 0 ? undefined : Math.max(0, Math.min(...left))
  }

  /** Returns the time that is left of a row: a step of the clock makes it neither shorter nor longer. */
  #leftMs({ createdAt, id, lifetimeMs }: Omit<ExpiringRow, 'userId'>): number {
    const { clock } = this.#options
    const beganAt = this.#beganAt.get(id) ?? readingOf(clock, createdAt)
    this.#beganAt.set(id, beganAt)
    return lifetimeMs - (clock.monotonic() - beganAt)
  }

  /** Makes sure that the timer wakes up for a row that expires after this time. */
  #watch(leftMs: number | undefined): void {
    const dueAt = this.#options.clock.monotonic() + (leftMs ?? Number.POSITIVE_INFINITY)
    if (this.#stopped || dueAt >= this.#dueAt) return
    this.#dueAt = dueAt
    this.#arm()
  }

  #arm(): void {
    const { clock } = this.#options
    clock.clear(this.#timer)
    const delayMs = Math.min(Math.max(this.#dueAt - clock.monotonic(), 0), LONGEST_WAIT_MS)
    this.#timer = clock.setTimeout(() => {
      if (clock.monotonic() < this.#dueAt) this.#arm()
      else void this.#wakeUp()
    }, delayMs)
  }

  async #wakeUp(): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY
    try {
      await this.expireDue()
      this.#watch(await this.#nextExpiry())
    } catch (fault) {
      this.#options.failed(fault)
      this.#watch(RETRY_MS)
    }
  }
}

function expiryReason(lifetimeMs: number): string {
  const seconds = Math.round(lifetimeMs / 1000)
  const [amount, unit] =
    seconds % 3600 === 0
      ? [seconds / 3600, 'hour']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second']
  return `Expired after ${amount} ${unit}${amount === 1 ? '' : 's'}`
}
