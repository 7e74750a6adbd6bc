import { createHash } from 'node:crypto'
import { and, eq, isNull, lt } from 'drizzle-orm'
import { ServiceError } from '../../errors/index.js'
import type { Database, Tx } from '../../storage/index.js'
import { idempotencyKeys } from '../../storage/tables/svc/orders.js'
import type { Clock } from '../../time/index.js'
import { type EarlierResult, isInDoubt, type OrderResult } from '../result.js'

/** How long an answer is kept for its key. */
export const KEY_LIFETIME_MS = 24 * 3_600_000
const PURGE_INTERVAL_MS = 3_600_000

/** What a request under a key will be executed as. */
export interface KeyUse {
  userId: string
  key: string
  /** SHA-256 of the normalised request. */
  requestHash: string
}

export type StoredKey = typeof idempotencyKeys.$inferSelect

/**
 * The right to execute under a key. `writeIn` stores it together with the order's own intent, so that after a
 * crash the key leads to whatever became of that order; `stored` is false as long as nothing was begun.
 */
export interface KeyClaim {
  readonly stored: boolean
  writeIn(tx: Tx, mode: string, orderRef: string | null, result?: OrderResult): Promise<void>
  write(mode: string, orderRef: string | null, result?: OrderResult): Promise<void>
}

/** What two requests under one key are compared by. */
export function requestHash(operation: string, payload: object): string {
  return createHash('sha256')
    .update(JSON.stringify([operation, payload]))
    .digest('hex')
}

/**
 * One execution for each key of a caller, for 24 hours: the same request again gets the first answer, another
 * request under the same key is a conflict (409). A refusal before anything was begun keeps no key.
 */
export class Idempotency {
  readonly #running = new Map<string, { requestHash: string; result: Promise<OrderResult> }>()
  /** Answers that were given while the disk failed. Only what was under way then: nothing is begun on such a disk. */
  readonly #unstored = new Map<string, OrderResult>()

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {
    clock.setInterval(() => void this.purge().catch(() => undefined), PURGE_INTERVAL_MS)
  }

  /**
   * @param execute does the work, storing the claim with its intent
   * @param resume answers for a key that was stored but never completed (a crash came between)
   */
  async run(
    use: KeyUse,
    execute: (claim: KeyClaim) => Promise<OrderResult>,
    resume: (stored: StoredKey) => Promise<OrderResult>,
  ): Promise<OrderResult> {
    const id = idOf(use)
    const running = this.#running.get(id)
    if (running) {
      requireSameRequest(running.requestHash, use)
      return running.result
    }
    const result = this.#runOnce(use, execute, resume)
    this.#running.set(id, { requestHash: use.requestHash, result })
    try {
      return await result
    } finally {
      this.#running.delete(id)
    }
  }

  async #runOnce(
    use: KeyUse,
    execute: (claim: KeyClaim) => Promise<OrderResult>,
    resume: (stored: StoredKey) => Promise<OrderResult>,
  ): Promise<OrderResult> {
    const stored = await this.#find(use)
    if (stored) {
      requireSameRequest(stored.requestHash, use)
      if (stored.body !== null) return resultIn(stored.body, stored.status)
      return this.#complete(use, this.#unstored.get(idOf(use)) ?? (await resume(stored)))
    }
    const claim = this.#claim(use)
    const result = await execute(claim)
    return claim.stored ? this.#complete(use, result) : result
  }

  /** Gives the key of an order its final answer, once reconciliation knows it. */
  async completeFor(orderRef: string, result: OrderResult): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .update(idempotencyKeys)
        .set({ status: null, body: JSON.stringify(result) })
        .where(eq(idempotencyKeys.orderRef, orderRef))
    })
  }

  /** Forgets keys past their lifetime. */
  async purge(): Promise<void> {
    const before = this.clock.now() - KEY_LIFETIME_MS
    this.#unstored.clear()
    await this.db.write(async (tx) => {
      await tx.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, before))
    })
  }

  async #find(use: KeyUse): Promise<StoredKey | undefined> {
    const [row] = await this.db.read
      .select()
      .from(idempotencyKeys)
      .where(and(eq(idempotencyKeys.userId, use.userId), eq(idempotencyKeys.key, use.key)))
    return row && row.createdAt > this.clock.now() - KEY_LIFETIME_MS ? row : undefined
  }

  #claim(use: KeyUse): KeyClaim & { stored: boolean } {
    const writeIn = async (tx: Tx, mode: string, orderRef: string | null, result?: OrderResult) => {
      const row = {
        ...use,
        mode,
        orderRef,
        status: null,
        body: result ? JSON.stringify(result) : null,
        createdAt: this.clock.now(),
      }
      await tx
        .insert(idempotencyKeys)
        .values(row)
        .onConflictDoUpdate({ target: [idempotencyKeys.userId, idempotencyKeys.key], set: row })
      claim.stored = result === undefined
    }
    const claim = {
      stored: false,
      writeIn,
      write: (mode: string, orderRef: string | null, result?: OrderResult) =>
        this.db.write((tx) => writeIn(tx, mode, orderRef, result)),
    }
    return claim
  }

  /**
   * Stores the answer, unless reconciliation has stored a better one meanwhile. "Not known" and "not all sent" are
   * not stored: they are only true for now, and the key leads to the order's own record, which learns the end. Nor does
   * a disk that fails here turn a placed order into a refusal: a retry is answered from memory, or after a restart from
   * that record.
   */
  async #complete(use: KeyUse, result: OrderResult): Promise<OrderResult> {
    if (isInDoubt(result) || result.unfinished) return result
    const open = [eq(idempotencyKeys.userId, use.userId), eq(idempotencyKeys.key, use.key)]
    await this.db
      .write(async (tx) => {
        await tx
          .update(idempotencyKeys)
          .set({ body: JSON.stringify(result) })
          .where(and(...open, isNull(idempotencyKeys.body)))
        this.#unstored.delete(idOf(use))
      })
      .catch(() => this.#unstored.set(idOf(use), result))
    return result
  }
}

function idOf({ userId, key }: KeyUse): string {
  return JSON.stringify([userId, key])
}

function requireSameRequest(requestHash: string, use: KeyUse): void {
  if (requestHash !== use.requestHash) {
    throw new ServiceError('conflict', 'This Idempotency-Key was used for another request.')
  }
}

/** Reads a stored result, or the answer that an earlier version stored with its status. */
function resultIn(stored: string, status: number | null): OrderResult {
  if (status === null) return JSON.parse(stored)
  const { body, ...kept }: EarlierAnswer = JSON.parse(stored)
  return { outcome: 'earlier', ...kept, answer: { status, body } }
}

type EarlierAnswer = Pick<EarlierResult, 'code' | 'orderRef'> & { body: EarlierResult['answer']['body'] }
