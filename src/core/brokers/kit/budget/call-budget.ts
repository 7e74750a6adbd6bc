import { ServiceError } from '../../../errors/index.js'
import type { Clock, Timer } from '../../../time/index.js'
import { type CallRank, type CallWindow, pacedWindows, unreservedWindows } from './limits.js'

interface Waiter {
  rank: CallRank
  weight: number
  go: () => void
}

/** How much of one limit is used. */
export interface WindowUse {
  limit: number
  perMs: number
  /** Calls of the last `perMs`, with those that may leave at any moment. */
  used: number
}

/** How calls waited for a budget since the start, and what is left of it. */
export interface BudgetStats {
  /** Calls that wait now. */
  waiting: number
  /** Calls that had to wait. */
  waited: number
  /** The time that they waited, in milliseconds. */
  waitedMs: number
  /** Calls refused because they would have waited too long. */
  refused: number
  /** The broker's limits, in the order of the manifest. */
  windows: readonly WindowUse[]
}

/** The most urgent rank first. */
const PLACE: Readonly<Record<CallRank, number>> = { cancel: 0, exit: 1, order: 2, read: 3 }

/**
 * A call that would wait longer is refused, because its order may no longer make sense by then. A cancel and an exit still
 * do: a square-off of many positions waits for its turns, which is faster than to be refused and to try again.
 */
const LONGEST_WAIT_MS: Readonly<Record<CallRank, number>> = {
  cancel: 60_000,
  exit: 300_000,
  order: 5_000,
  read: 20_000,
}

/** A call that has its turn and has not left after this time never does: something else refused it. */
const LEAVES_WITHIN_MS = 2_000

const SECOND_MS = 1_000

/**
 * Keeps the calls of one class within all of a broker's limits at any time. Calls wait by rank, and in order of
 * arrival within a rank. Each class has its own budget, so that a flood of quotes never delays an
 * order.
 *
 * The broker counts a call when it arrives. Between its turn and the network lie the last check, the journal and the
 * signature, so a call counts from the moment when it leaves ({@link noteLeft}), and until then as if it left now.
 */
export class CallBudget {
  readonly #limits: readonly CallWindow[]
  readonly #windows: readonly CallWindow[]
  /** What orders and reads may use: the rest is for cancels and exits. */
  readonly #unreserved: readonly CallWindow[]
  readonly #clock: Clock
  readonly #maxCount: number
  /** No call leaves earlier, because what this program sent before its start is not known. */
  readonly #opensAt: number
  readonly #begunAt: number
  #knowsEarlier = false
  /** The times at which the last calls left, oldest first. */
  readonly #left: number[] = []
  /** The times at which calls got their turn that have not left yet, oldest first. */
  readonly #due: number[] = []
  readonly #waiting: Waiter[] = []
  /** Fires at the turn of the first call that waits. */
  #timer: Timer | undefined
  #waited = 0
  #waitedMs = 0
  #refused = 0

  /** @param startedAt a monotonic reading. The second that begins then counts as used; absent: nothing was sent before */
  constructor(limits: readonly CallWindow[], clock: Clock, startedAt?: number) {
    this.#limits = limits
    this.#windows = pacedWindows(limits)
    this.#unreserved = unreservedWindows(this.#windows)
    this.#clock = clock
    this.#begunAt = clock.monotonic()
    this.#maxCount = Math.max(0, ...limits.map(({ count }) => count))
    const seconds = pacedWindows(limits.filter(({ perMs }) => perMs <= SECOND_MS))
    this.#opensAt =
      (startedAt ?? Number.NEGATIVE_INFINITY) + Math.max(0, ...seconds.map(({ perMs }) => perMs))
  }

  /**
   * Resolves when a call may be sent. Send it at once, and say so to {@link noteLeft}.
   * @param weight the number of calls that the broker counts for it
   * @throws ServiceError `rate_limited` if the wait would be too long; nothing was sent
   */
  take(rank: CallRank = 'order', weight = 1): Promise<void> {
    if (this.#windows.length === 0) return Promise.resolve()
    const now = this.#clock.monotonic()
    this.#settle(now)
    const isFirst = this.#waiting.every((waiter) => PLACE[waiter.rank] > PLACE[rank])
    if (isFirst && this.#freeAt(now, { rank, weight }) <= now) {
      this.#grant(now, weight)
      return Promise.resolve()
    }
    const waitMs = this.#turnAfter(rank, weight, now) - now
    if (waitMs > LONGEST_WAIT_MS[rank]) {
      this.#refused += 1
      return Promise.reject(
        new ServiceError('rate_limited', "The broker's call limit is reached; nothing was sent.", {
          retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
        }),
      )
    }
    return new Promise((resolve) => {
      this.#waited += 1
      const go = () => {
        this.#waitedMs += this.#clock.monotonic() - now
        resolve()
      }
      this.#enqueue({ rank, weight, go })
      this.#await()
    })
  }

  /** Notes that the oldest call that had its turn leaves now. A call without a turn counts, too. */
  noteLeft(weight = 1): void {
    if (this.#windows.length === 0) return
    this.#due.splice(0, weight)
    const now = this.#clock.monotonic()
    for (let calls = 0; calls < weight; calls++) this.#left.push(now)
    if (this.#left.length > this.#maxCount * 2) this.#left.splice(0, this.#left.length - this.#maxCount)
  }

  /**
   * Notes calls that left before this budget began: those of an earlier process, and of other programs. Only the first note
   * counts, and of it only what is older than the budget, because that has its own count since.
   * @param times monotonic readings
   */
  noteEarlier(times: readonly number[]): void {
    if (this.#windows.length === 0 || this.#knowsEarlier) return
    this.#knowsEarlier = true
    const earlier = times.filter((at) => at < this.#begunAt).sort((a, b) => a - b)
    this.#left.unshift(...earlier.slice(-this.#maxCount))
  }

  stats(): BudgetStats {
    const now = this.#clock.monotonic()
    this.#settle(now)
    const windows = this.#limits.map(({ count, perMs }) => {
      const recent = this.#left.length - this.#left.findLastIndex((at) => at <= now - perMs) - 1
      return { limit: count, perMs, used: Math.min(count, recent + this.#due.length) }
    })
    const waiting = this.#waiting.length
    return { waiting, waited: this.#waited, waitedMs: this.#waitedMs, refused: this.#refused, windows }
  }

  #enqueue(waiter: Waiter): void {
    const behind = this.#waiting.findIndex(({ rank }) => PLACE[rank] > PLACE[waiter.rank])
    if (behind < 0) this.#waiting.push(waiter)
    else this.#waiting.splice(behind, 0, waiter)
  }

  /** Waits for the turn of the first call that waits; a more urgent one takes its place. */
  #await(): void {
    this.#clock.clear(this.#timer)
    const now = this.#clock.monotonic()
    this.#settle(now)
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const at = this.#freeAt(now, next)
      if (at > now) {
        this.#timer = this.#clock.setTimeout(() => this.#await(), at - now)
        return
      }
      this.#waiting.shift()
      this.#grant(now, next.weight)
      next.go()
    }
  }

  /** Returns the earliest time at which a call is within every limit; `planned` are calls that go before it. */
  #freeAt(
    now: number,
    { rank, weight }: Pick<Waiter, 'rank' | 'weight'>,
    planned: readonly number[] = [],
  ): number {
    let at = Math.max(now, this.#opensAt)
    const isUrgent = rank === 'cancel' || rank === 'exit'
    for (const { count, perMs } of isUrgent ? this.#windows : this.#unreserved) {
      const first = this.#timeOf(Math.max(1, count - weight + 1), now, planned)
      if (first !== undefined) at = Math.max(at, first + perMs)
    }
    return at
  }

  /** Returns when the call so many places from the end left or will leave; 1 is the last one. */
  #timeOf(fromEnd: number, now: number, planned: readonly number[]): number | undefined {
    if (fromEnd <= planned.length) return planned[planned.length - fromEnd]
    const beforePlanned = fromEnd - planned.length
    if (beforePlanned <= this.#due.length) return now
    return this.#left[this.#left.length - (beforePlanned - this.#due.length)]
  }

  /** Returns when a call that arrives now would have its turn, after the calls that wait before it. */
  #turnAfter(rank: CallRank, weight: number, now: number): number {
    const before = this.#waiting.filter((waiter) => PLACE[waiter.rank] <= PLACE[rank])
    const planned: number[] = []
    let at = now
    for (const each of [...before, { rank, weight }]) {
      at = Math.max(at, this.#freeAt(now, each, planned))
      if (at - now > LONGEST_WAIT_MS[rank]) break
      for (let calls = 0; calls < each.weight; calls++) planned.push(at)
    }
    return at
  }

  #grant(now: number, weight: number): void {
    for (let calls = 0; calls < weight; calls++) this.#due.push(now)
  }

  /** Counts calls that had their turn and never left at the time of their turn. */
  #settle(now: number): void {
    for (let oldest = this.#due[0]; oldest !== undefined; oldest = this.#due[0]) {
      if (now - oldest < LEAVES_WITHIN_MS) return
      this.#due.shift()
      const turn = oldest
      this.#left.splice(this.#left.findLastIndex((at) => at <= turn) + 1, 0, turn)
    }
  }
}
