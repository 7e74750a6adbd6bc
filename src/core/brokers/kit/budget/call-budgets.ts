import { type Clock, readingOf } from '../../../time/index.js'
import { type BudgetStats, CallBudget } from './call-budget.js'
import { type CallRank, ORDER_CLASS, OTHER_CLASS, type RateLimits } from './limits.js'

/** A budget for each class of call to one broker. It outlives connections, because the broker counts across them. */
export class CallBudgets {
  readonly #limits: RateLimits
  readonly #budgets: ReadonlyMap<string, CallBudget>
  readonly #unlimited: CallBudget
  readonly #clock: Clock

  /** @param startedAt a monotonic reading. The second that begins then counts as used; absent: nothing was sent before */
  constructor(limits: RateLimits, clock: Clock, startedAt?: number) {
    this.#limits = limits
    this.#clock = clock
    this.#unlimited = new CallBudget([], clock)
    const budgets = new Map<string, CallBudget>()
    for (const [name, windows] of Object.entries(limits)) {
      if (typeof windows !== 'string') budgets.set(name, new CallBudget(windows, clock, startedAt))
    }
    this.#budgets = budgets
  }

  /**
   * Resolves when a call of a class may be sent. Send it at once, and say so to {@link noteLeft}.
   * @param weight the number of calls that the broker counts for it, such as the slices of an order
   * @throws ServiceError `rate_limited` if the wait would be too long; nothing was sent
   */
  take(callClass: string, rank: CallRank = 'read', weight = 1): Promise<void> {
    return this.#of(callClass).take(rank, weight)
  }

  /** Notes that a call leaves now. It counts also if nobody waited for it. */
  noteLeft(callClass: string, weight = 1): void {
    this.#of(callClass).noteLeft(weight)
  }

  /**
   * Notes when calls of a class left before this program started, as the broker's book shows them: limits of a whole day go on
   * from there. @param times epoch milliseconds
   */
  noteEarlier(callClass: string, times: readonly number[]): void {
    this.#of(callClass).noteEarlier(times.map((at) => readingOf(this.#clock, at)))
  }

  /** Returns how calls waited and what is left, by class; a class that shares another one is not listed. */
  stats(): readonly (BudgetStats & { callClass: string })[] {
    return [...this.#budgets].map(([callClass, budget]) => ({ callClass, ...budget.stats() }))
  }

  /** Returns how order calls waited. */
  orderStats(): BudgetStats {
    return this.#of(ORDER_CLASS).stats()
  }

  #of(callClass: string): CallBudget {
    const shared = this.#limits[callClass]
    const name = typeof shared === 'string' ? shared : callClass
    return this.#budgets.get(name) ?? this.#budgets.get(OTHER_CLASS) ?? this.#unlimited
  }
}
