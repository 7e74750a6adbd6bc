import { desc, eq } from 'drizzle-orm'
import type { Database, Tx } from '../../storage/index.js'
import { strategyWebhookEvents } from '../../storage/tables/svc/strategies.js'

export type WebhookEventRow = typeof strategyWebhookEvents.$inferSelect
export type NewWebhookEvent = Omit<WebhookEventRow, 'id'>

/** How many calls with an unknown token are kept, for all strategies together. */
const KEPT_UNKNOWN = 1000
/** How many calls of one strategy are kept. */
const KEPT_PER_STRATEGY = 10_000
/** A prune follows this many rows of a strategy, or of unknown tokens. */
const PRUNE_EVERY = 100

const PRUNE = `delete from strategy_webhook_events where strategy_id is ? and id <=
  (select id from strategy_webhook_events where strategy_id is ? order by id desc limit 1 offset ?)`

/** The SQL of webhook calls. It keeps the newest. */
export class WebhookEventStore {
  readonly #sincePrune = new Map<number | null, number>()

  constructor(private readonly db: Database) {}

  /** Stores a call and returns its id when it is durable. */
  insert(event: NewWebhookEvent): Promise<number> {
    return this.db.write((tx) => this.insertIn(tx, event))
  }

  /** Stores a call in the transaction of what it changes. */
  async insertIn(tx: Tx, event: NewWebhookEvent): Promise<number> {
    const isPruned = this.#isTurnOf(event.strategyId)
    const [row] = await tx.insert(strategyWebhookEvents).values(event).returning()
    if (!row) throw new Error('the webhook call was not stored')
    if (isPruned) {
      const kept = event.strategyId === null ? KEPT_UNKNOWN : KEPT_PER_STRATEGY
      await tx.exec(PRUNE, [event.strategyId, event.strategyId, kept])
    }
    return row.id
  }

  /** Returns whether the rows of this owner are pruned now. */
  #isTurnOf(strategyId: number | null): boolean {
    const count = (this.#sincePrune.get(strategyId) ?? 0) + 1
    this.#sincePrune.set(strategyId, count % PRUNE_EVERY)
    return count === PRUNE_EVERY
  }

  /** Returns the newest calls of a strategy, newest first. */
  newest(strategyId: number, limit: number): Promise<WebhookEventRow[]> {
    return this.db.read
      .select()
      .from(strategyWebhookEvents)
      .where(eq(strategyWebhookEvents.strategyId, strategyId))
      .orderBy(desc(strategyWebhookEvents.id))
      .limit(limit)
  }
}
