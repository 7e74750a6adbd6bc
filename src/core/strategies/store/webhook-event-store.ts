import { desc, eq } from 'drizzle-orm'
import {
  allBut,
  type Database,
  insertInto,
  nextIdIn,
  RowsFirst,
  RowsStatement,
  type StatementRows,
  type Tx,
} from '../../storage/index.js'
import { strategyWebhookEvents } from '../../storage/tables/svc/strategies.js'

export type WebhookEventRow = typeof strategyWebhookEvents.$inferSelect
export type NewWebhookEvent = Omit<WebhookEventRow, 'id'>

/** The row of a call that is not stored yet. */
export interface WebhookCallRow {
  id: number
  first: RowsFirst
}

/** How many calls with an unknown token are kept, for all strategies together. */
const KEPT_UNKNOWN = 1000
/** How many calls of one strategy are kept. */
const KEPT_PER_STRATEGY = 10_000
/** A prune follows this many rows of a strategy, or of unknown tokens. */
const PRUNE_EVERY = 100

const INSERT = insertInto(strategyWebhookEvents, allBut(strategyWebhookEvents))

/** Removes all but the newest calls of an owner. */
const pruneTo = (kept: number) => `with n (owner) as (select value from json_each(?))
  delete from strategy_webhook_events where strategy_id is (select owner from n) and id <=
    (select id from strategy_webhook_events where strategy_id is (select owner from n)
      order by id desc limit 1 offset ${kept})`
const PRUNE_UNKNOWN = pruneTo(KEPT_UNKNOWN)
const PRUNE_STRATEGY = pruneTo(KEPT_PER_STRATEGY)

/** The SQL of webhook calls. It keeps the newest. */
export class WebhookEventStore {
  readonly #sincePrune = new Map<number | null, number>()
  readonly #db: Database
  #nextId: number

  private constructor(db: Database, nextId: number) {
    this.#db = db
    this.#nextId = nextId
  }

  static async open(db: Database): Promise<WebhookEventStore> {
    return new WebhookEventStore(db, await nextIdIn(db, 'strategy_webhook_events'))
  }

  /** Returns the row of a call, to be stored with what the call changes. */
  call(event: NewWebhookEvent): WebhookCallRow {
    const id = this.#nextId++
    const prune = this.#prune(event.strategyId)
    const statements: StatementRows[] = [INSERT.rows([{ id, ...event }])]
    if (prune !== undefined) statements.push(new RowsStatement<number | null>(prune).rows([event.strategyId]))
    return { id, first: new RowsFirst(this.#db, () => statements) }
  }

  /** Stores a call and returns its id when it is durable. */
  async insert(event: NewWebhookEvent): Promise<number> {
    const { first, id } = this.call(event)
    await first.store()
    return id
  }

  /** Stores a call in the transaction of what it changes. */
  async insertIn(tx: Tx, event: NewWebhookEvent): Promise<number> {
    const id = this.#nextId++
    const prune = this.#prune(event.strategyId)
    await tx.batch(INSERT.rows([{ id, ...event }]))
    if (prune !== undefined) await tx.exec(prune, [JSON.stringify([event.strategyId])])
    return id
  }

  /** Returns the statement that prunes the rows of this owner, if that is due now. */
  #prune(strategyId: number | null): string | undefined {
    const count = (this.#sincePrune.get(strategyId) ?? 0) + 1
    this.#sincePrune.set(strategyId, count % PRUNE_EVERY)
    if (count < PRUNE_EVERY) return undefined
    return strategyId === null ? PRUNE_UNKNOWN : PRUNE_STRATEGY
  }

  async find(id: number): Promise<WebhookEventRow | undefined> {
    const [row] = await this.#db.read
      .select()
      .from(strategyWebhookEvents)
      .where(eq(strategyWebhookEvents.id, id))
    return row
  }

  /** Returns the newest calls of a strategy, newest first. */
  newest(strategyId: number, limit: number): Promise<WebhookEventRow[]> {
    return this.#db.read
      .select()
      .from(strategyWebhookEvents)
      .where(eq(strategyWebhookEvents.strategyId, strategyId))
      .orderBy(desc(strategyWebhookEvents.id))
      .limit(limit)
  }
}
