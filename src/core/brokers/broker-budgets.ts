import type { Clock } from '../time/index.js'
import type { BudgetStats } from './kit/budget/call-budget.js'
import { CallBudgets } from './kit/budget/call-budgets.js'
import type { Plugins } from './plugins.js'

/** The budgets of calls by broker, because the limits of one broker do not apply to another. */
export class BrokerBudgets {
  readonly #budgets = new Map<string, CallBudgets>()
  /** The monotonic reading of the start: what an earlier process sent before it is not known. */
  readonly #startedAt: number

  constructor(
    private readonly clock: Clock,
    private readonly plugins: Plugins,
  ) {
    this.#startedAt = clock.monotonic()
  }

  /** Returns the budgets of a broker. @throws ServiceError `broker_missing` */
  of(id: string): CallBudgets {
    const known = this.#budgets.get(id)
    if (known) return known
    const { rateLimits } = this.plugins.get(id).manifest
    const budgets = new CallBudgets(rateLimits, this.clock, this.#startedAt)
    this.#budgets.set(id, budgets)
    return budgets
  }

  /** Returns how orders waited for the call limits, by the broker that they went to since the start. */
  orderStats(): readonly (BudgetStats & { broker: string })[] {
    return [...this.#budgets].map(([broker, budgets]) => ({ broker, ...budgets.orderStats() }))
  }
}
