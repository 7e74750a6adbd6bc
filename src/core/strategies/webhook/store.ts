import { and, desc, eq, isNotNull, isNull, lt, max, notExists } from 'drizzle-orm'
import type { Database, Tx } from '../../storage/index.js'
import { strategies, strategyRuns, strategyWebhookEvents } from '../../storage/tables/svc/strategies.js'
import { strategyWebhookClaims as claims } from '../../storage/tables/svc/strategy-webhook.js'
import type { StrategyConfig } from '../config/schema.js'
import { DEDUPE_MS } from './answer.js'
import type { DedupeKey, WebhookEvent, WebhookRecords, WebhookStrategies, WebhookStrategy } from './ports.js'

/** The rows of unknown tokens that are kept. */
const MAX_STRANGERS = 1000
/** They are pruned once per so many of them. */
const PRUNE_EVERY = 100

/** The SQL of the webhook: its strategies, the audit of deliveries, and the claims that refuse duplicates. */
export class WebhookStore implements WebhookRecords, WebhookStrategies {
  #strangers = 0

  private constructor(private readonly db: Database) {}

  /**
   * Frees the claims of deliveries that a crash cut off before the engine acted: the sender got no answer, and may
   * repeat them at once.
   */
  static async open(db: Database): Promise<WebhookStore> {
    const store = new WebhookStore(db)
    await db.write(async (tx) => {
      const started = tx
        .select({ id: strategyRuns.id })
        .from(strategyRuns)
        .where(
          and(
            eq(strategyRuns.strategyId, claims.strategyId),
            eq(strategyRuns.webhookEventId, claims.eventId),
          ),
        )
      await tx.delete(claims).where(and(eq(claims.isSettled, false), notExists(started)))
    })
    await store.#prune()
    return store
  }

  async byTokenHash(hash: string): Promise<WebhookStrategy | undefined> {
    const [row] = await this.db.read.select().from(strategies).where(eq(strategies.webhookTokenHash, hash))
    return row && strategyIn(row)
  }

  async lastStoppedAt(strategyId: number): Promise<number | undefined> {
    const { stoppedAt } = strategyRuns
    const [row] = await this.db.read
      .select({ last: max(stoppedAt) })
      .from(strategyRuns)
      .where(and(eq(strategyRuns.strategyId, strategyId), isNotNull(stoppedAt)))
    return row?.last ?? undefined
  }

  /** Returns whether a strategy has an unfinished run. */
  async isRunning(strategyId: number): Promise<boolean> {
    const rows = await this.db.read
      .select({ id: strategyRuns.id })
      .from(strategyRuns)
      .where(and(eq(strategyRuns.strategyId, strategyId), isNull(strategyRuns.stoppedAt)))
    return rows.length > 0
  }

  async append(event: WebhookEvent): Promise<number> {
    const id = await this.db.write((tx) => insert(tx, event))
    if (event.strategyId === null) {
      this.#strangers += 1
      if (this.#strangers % PRUNE_EVERY === 0) await this.#prune()
    }
    return id
  }

  async isDuplicate(key: DedupeKey, now: number): Promise<boolean> {
    const [claim] = await this.db.read.select().from(claims).where(isKey(key))
    return isFresh(claim, now)
  }

  /** The writer runs one transaction at a time, so no other delivery takes the key between the two statements. */
  admit(key: DedupeKey, event: WebhookEvent): Promise<number | null> {
    return this.db.write(async (tx) => {
      const [claim] = await tx.select().from(claims).where(isKey(key))
      if (isFresh(claim, event.receivedAt)) return null
      const eventId = await insert(tx, event)
      const taken = { eventId, claimedAt: event.receivedAt, isSettled: false }
      await tx
        .insert(claims)
        .values({ ...key, ...taken })
        .onConflictDoUpdate({ target: [claims.strategyId, claims.action, claims.mode], set: taken })
      return eventId
    })
  }

  async settle(key: DedupeKey, eventId: number): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.update(claims).set({ isSettled: true }).where(isClaim(key, eventId))
    })
  }

  async release(key: DedupeKey, eventId: number): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.delete(claims).where(isClaim(key, eventId))
    })
  }

  async #prune(): Promise<void> {
    const { id, strategyId } = strategyWebhookEvents
    const [oldest] = await this.db.read
      .select({ id })
      .from(strategyWebhookEvents)
      .where(isNull(strategyId))
      .orderBy(desc(id))
      .limit(1)
      .offset(MAX_STRANGERS - 1)
    if (!oldest) return
    await this.db.write(async (tx) => {
      await tx.delete(strategyWebhookEvents).where(and(isNull(strategyId), lt(id, oldest.id)))
    })
  }
}

function strategyIn(row: typeof strategies.$inferSelect): WebhookStrategy {
  const config: StrategyConfig = JSON.parse(row.config)
  return {
    id: row.id,
    kind: config.strategy_kind,
    direction: config.direction,
    strategyType: config.strategy_type,
    product: config.product,
    entryTime: config.entry_time,
    exitTime: config.exit_time,
    liveEnabled: row.liveEnabled,
    webhookTokenHash: row.webhookTokenHash,
    webhookLocked: row.webhookLocked,
    webhookIpAllowlist: config.webhook_ip_allowlist,
    legs:
      config.strategy_kind === 'signal'
        ? config.legs.map(({ qty_mode: qtyMode, ...leg }) => ({ ...leg, qtyMode }))
        : [],
  }
}

async function insert(tx: Tx, event: WebhookEvent): Promise<number> {
  const [row] = await tx
    .insert(strategyWebhookEvents)
    .values(event)
    .returning({ id: strategyWebhookEvents.id })
  if (!row) throw new Error('the database returned no id')
  return row.id
}

/** A claim of the future is that of a clock which was set back since, and a minute of it ends like any other. */
function isFresh(claim: { claimedAt: number } | undefined, now: number): boolean {
  return claim !== undefined && Math.abs(now - claim.claimedAt) < DEDUPE_MS
}

function isKey({ action, mode, strategyId }: DedupeKey) {
  return and(eq(claims.strategyId, strategyId), eq(claims.action, action), eq(claims.mode, mode))
}

function isClaim(key: DedupeKey, eventId: number) {
  return and(isKey(key), eq(claims.eventId, eventId))
}
