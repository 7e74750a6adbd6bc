import { createHash } from 'node:crypto'
import { and, eq, isNull, lt } from 'drizzle-orm'
import { ServiceError } from '../../errors/index.js'
import { KEY_LIFETIME_MS } from '../../operations/index.js'
import {
  type BatchRow,
  BatchStatement,
  type Database,
  type StatementRows,
  type Tx,
} from '../../storage/index.js'
import { idempotencyKeys } from '../../storage/tables/svc/orders.js'
import { type Clock, HOUR_MS } from '../../time/index.js'
import { type EarlierResult, isInDoubt, type OrderResult } from '../result.js'

const PURGE_INTERVAL_MS = HOUR_MS

const KEY_COLUMNS = ['user_id', 'key', 'request_hash', 'mode', 'order_ref', 'status', 'body', 'created_at']
/** A key past its lifetime may be used again. */
const STORE_KEY = new BatchStatement({
  table: 'idempotency_keys',
  columns: KEY_COLUMNS,
  onConflict: `on conflict (user_id, key) do update set ${KEY_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`,
})

/** A key of a user, with the request it is used for. */
interface KeyUse {
  userId: string
  key: string
  /** SHA-256 of the normalised request. */
  requestHash: string
}

export type StoredKey = typeof idempotencyKeys.$inferSelect

/**
 * The right to execute under a key. `writeIn` stores it in the transaction of the order's intent, so that the
 * key leads to that order after a crash. `stored` is false until the request has been started.
 */
export interface KeyClaim {
  readonly stored: boolean
  /** Returns the rows to store together with the intent. */
  rows(mode: string, orderRef: string): StatementRows[]
  writeIn(tx: Tx, mode: string, orderRef: string | null, result?: OrderResult): Promise<void>
  write(mode: string, orderRef: string | null, result?: OrderResult): Promise<void>
}

/** Returns the hash by which two requests under one key are compared. */
export function requestHash(operation: string, payload: object): string {
  return createHash('sha256')
    .update(JSON.stringify([operation, payload]))
    .digest('hex')
}

/**
 * Executes one request per key of a caller, for 24 hours. A repeat gets the first result; another request
 * under the same key is a conflict. A request that was refused before it was started stores no key.
 */
export class Idempotency {
  readonly #running = new Map<string, { requestHash: string; result: Promise<OrderResult> }>()
  /** Results that the disk did not store. They are few: no request is started while the disk fails. */
  readonly #unstored = new Map<string, OrderResult>()

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {
    clock.setInterval(() => void this.purge().catch(() => undefined), PURGE_INTERVAL_MS)
  }

  /**
   * @param execute does the work, and stores the claim with its intent
   * @param resume returns the result for a key without one: a crash came between claim and result
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

  /** Stores the final result of the key of an order, once reconciliation knows it. */
  async completeFor(orderRef: string, result: OrderResult): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .update(idempotencyKeys)
        .set({ status: null, body: JSON.stringify(result) })
        .where(eq(idempotencyKeys.orderRef, orderRef))
    })
  }

  /** Deletes keys past their lifetime. */
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
    const rows = (mode: string, orderRef: string | null, result?: OrderResult): BatchRow[] => {
      claim.stored = result === undefined
      const body = result ? JSON.stringify(result) : null
      return [[use.userId, use.key, use.requestHash, mode, orderRef, null, body, this.clock.now()]]
    }
    const claim: KeyClaim & { stored: boolean } = {
      stored: false,
      rows: (mode, orderRef) => [{ statement: STORE_KEY, rows: rows(mode, orderRef) }],
      writeIn: async (tx, mode, orderRef, result) => {
        await tx.exec(STORE_KEY.sql, [BatchStatement.parameter(rows(mode, orderRef, result))])
      },
      write: (mode, orderRef, result) => this.db.batch(STORE_KEY, rows(mode, orderRef, result)),
    }
    return claim
  }

  /**
   * Stores the result, unless reconciliation has stored a better one. A result in doubt or unfinished is not
   * stored: it is true only for now, and the key leads to the order's own record, which will have the end.
   * The caller gets the result even if the disk fails here: a retry is answered from memory, or after a
   * restart from that record.
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
