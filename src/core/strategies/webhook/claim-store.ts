import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import { strategyWebhookClaims as claims } from '../../storage/tables/svc/strategies.js'
import type { Clock } from '../../time/index.js'
import { ENDED_UNSENT } from '../store/unsent-run.js'
import type { NewWebhookEvent, WebhookEventStore } from '../store/webhook-event-store.js'
import { DEDUPE_MS } from './answer.js'

/** Deliveries of a batch strategy with the same key count as one. */
export interface DedupeKey {
  readonly strategyId: number
  readonly action: string
  /** Empty for a stop. */
  readonly mode: string
}

const RUNS_OF_CLAIM = `select 1 from strategy_runs
  where strategy_runs.strategy_id = strategy_webhook_claims.strategy_id
    and strategy_runs.webhook_event_id = strategy_webhook_claims.event_id`

/**
 * A run that names the delivery proves its effect, even if a crash left the claim unsettled. A run that ended before any of
 * its orders left had none.
 */
const HAS_EFFECT = `exists (${RUNS_OF_CLAIM} and not ${ENDED_UNSENT})`

const FREE_WITHOUT_EFFECT = `delete from strategy_webhook_claims where not settled and not ${HAS_EFFECT}`

/**
 * True for a claim of a start that a crash cut off before its first order. Recovery ends its run after the claims were
 * opened, so each look at a claim asks for it.
 */
const IS_CUT_OFF = sql<number>`${sql.raw(`not settled and exists (${RUNS_OF_CLAIM}) and not ${HAS_EFFECT}`)}`

const FRESHNESS = { claimedAt: claims.claimedAt, isCutOff: IS_CUT_OFF.as('is_cut_off') }

/** The claims that refuse duplicates. They outlive a restart. */
export class ClaimStore {
  private constructor(
    private readonly db: Database,
    private readonly events: Pick<WebhookEventStore, 'insertIn'>,
    private readonly clock: Pick<Clock, 'since'>,
  ) {}

  /**
   * Frees the claims of deliveries that a crash interrupted before the engine acted. Their senders got no answer and may
   * repeat them at once.
   */
  static async open(
    db: Database,
    events: Pick<WebhookEventStore, 'insertIn'>,
    clock: Pick<Clock, 'since'>,
  ): Promise<ClaimStore> {
    await db.write((tx) => tx.exec(FREE_WITHOUT_EFFECT))
    return new ClaimStore(db, events, clock)
  }

  /** Returns whether an accepted delivery with this key is younger than the window. */
  async isDuplicate(key: DedupeKey): Promise<boolean> {
    const [claim] = await this.db.read.select(FRESHNESS).from(claims).where(isKey(key))
    return this.#isFresh(claim)
  }

  /**
   * Claims the key and stores the row of the audit in one transaction. The writer runs one transaction at a time, so no
   * other delivery takes the key between the statements.
   * @param isDue true for a delivery that acts although another one holds the key
   * @returns the id of the row, or null if another delivery holds the key
   */
  admit(key: DedupeKey, event: NewWebhookEvent, isDue = false): Promise<number | null> {
    return this.db.write(async (tx) => {
      const [claim] = await tx.select(FRESHNESS).from(claims).where(isKey(key))
      if (!isDue && this.#isFresh(claim)) return null
      const eventId = await this.events.insertIn(tx, event)
      const taken = { eventId, claimedAt: event.receivedAt, isSettled: false }
      await tx
        .insert(claims)
        .values({ ...key, ...taken })
        .onConflictDoUpdate({ target: [claims.strategyId, claims.action, claims.mode], set: taken })
      return eventId
    })
  }

  /** Keeps the claim after a restart, because the engine has acted on the delivery. */
  async settle(key: DedupeKey, eventId: number): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.update(claims).set({ isSettled: true }).where(isClaim(key, eventId))
    })
  }

  /** Frees the key, because the engine refused the delivery. */
  async release(key: DedupeKey, eventId: number): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.delete(claims).where(isClaim(key, eventId))
    })
  }

  #isFresh(claim: { claimedAt: number; isCutOff: number } | undefined): boolean {
    return claim !== undefined && claim.isCutOff === 0 && this.clock.since(claim.claimedAt) < DEDUPE_MS
  }
}

function isKey({ action, mode, strategyId }: DedupeKey) {
  return and(eq(claims.strategyId, strategyId), eq(claims.action, action), eq(claims.mode, mode))
}

function isClaim(key: DedupeKey, eventId: number) {
  return and(isKey(key), eq(claims.eventId, eventId))
}
