import { createHash } from 'node:crypto'
import { and, eq, lt } from 'drizzle-orm'
import { ServiceError } from '../../errors/index.js'

import {
  allBut,
  type Database,
  insertInto,
  RowsStatement,
  type StatementRows,
  type Tx,
} from '../../storage/index.js'
import { idempotencyKeys } from '../../storage/tables/svc/orders.js'
import { type Clock, DAY_MS, HOUR_MS } from '../../time/index.js'
import type { PlaceContext } from '../ports.js'
import { isInDoubt, type OrderResult } from '../result.js'

/** The time for which the result of an idempotency key is kept, for orders and for webhook calls. */
export const KEY_LIFETIME_MS = DAY_MS

const PURGE_INTERVAL_MS = HOUR_MS

/** A key past its lifetime may be used again. */
const STORE_KEY = insertInto(idempotencyKeys, allBut(idempotencyKeys), { key: ['userId', 'key'] })

/** Stores a result, unless reconciliation has stored a better one. */
const STORE_RESULT = new RowsStatement<
  Pick<KeyUse, 'userId' | 'key'> & { body: string }
>(`update idempotency_keys set body = n.value ->> 'body' from json_each(?) n
  where idempotency_keys.user_id = n.value ->> 'userId' and idempotency_keys.key = n.value ->> 'key'
    and idempotency_keys.body is null`)

/** A key of a user, with the request it is used for. */
interface KeyUse {
  userId: string
  key: string
  /** SHA-256 of the normalised request. */
  requestHash: string
  /**
   * True for a key that its caller never repeats: the result is returned before it is stored. A repeat after a crash would
   * get it from the record of the order.
   */
  isUsedOnce?: boolean
}

export type StoredKey = typeof idempotencyKeys.$inferSelect

/** The right to execute under a key. `stored` is false until the request has been started. */
export interface KeyClaim {
  readonly stored: boolean
  /** Returns the rows to store together with the order's intent, so that the key leads to that order after a crash. */
  rows(mode: string, orderRef: string): StatementRows[]
  /** Stores the key in the transaction of a queued request, with its answer. */
  writeIn(tx: Tx, mode: string, orderRef: string | null, result?: OrderResult): Promise<void>
  /** @param alongside rows to store in the same transaction */
  write(
    mode: string,
    orderRef: string | null,
    result?: OrderResult,
    alongside?: readonly StatementRows[],
  ): Promise<void>
}

/** Returns how a request uses the key of its caller. No run of a workflow is repeated, so nobody repeats its keys. */
export function keyUse({ source, userId }: PlaceContext, key: string, requestHash: string): KeyUse {
  return { userId, key, requestHash, isUsedOnce: source === 'flow' }
}

/**
 * Returns the hash by which two requests under one key are compared. That of a single order leaves its operation out. An
 * instruction that is written with its default is the same as one that is absent.
 */
export function requestHash(operation: string, payload: object): string {
  const compared = operation === 'placeorder' ? payload : [operation, payload]
  const text = JSON.stringify(compared)
  return createHash('sha256')
    .update(DEFAULT_INSTRUCTION.test(text) ? JSON.stringify(compared, withoutDefaults) : text)
    .digest('hex')
}

/** An instruction of an order that asks for what happens without it, as JSON. */
const DEFAULT_INSTRUCTION = /"validity":"DAY"|"amo":false/

function withoutDefaults(name: string, value: unknown): unknown {
  const isDefault = (name === 'validity' && value === 'DAY') || (name === 'amo' && value === false)
  return isDefault ? undefined : value
}

/**
 * Executes one request per key of a caller, for 24 hours. A repeat gets the first result; another request
 * under the same key is a conflict. A request that was refused before it was started stores no key.
 */
export class Idempotency {
  readonly #running = new Map<string, { requestHash: string; result: Promise<OrderResult> }>()
  /** Results that are not stored yet. They are few: no request is started while the disk fails. */
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

  /**
   * Returns the result that is kept under a key, and executes nothing; undefined if there is none.
   * @param resultOf returns the result for a key that was stored without one
   * @throws ServiceError `conflict` if the key was used for another request
   */
  async kept(
    use: KeyUse,
    resultOf: (stored: StoredKey) => Promise<OrderResult>,
  ): Promise<OrderResult | undefined> {
    const running = this.#running.get(idOf(use))
    const stored = running ?? (await this.#find(use))
    if (!stored) return undefined
    requireSameRequest(stored.requestHash, use)
    if ('result' in stored) return stored.result
    return stored.body === null
      ? (this.#unstored.get(idOf(use)) ?? resultOf(stored))
      : JSON.parse(stored.body)
  }

  async #runOnce(
    use: KeyUse,
    execute: (claim: KeyClaim) => Promise<OrderResult>,
    resume: (stored: StoredKey) => Promise<OrderResult>,
  ): Promise<OrderResult> {
    const stored = await this.#find(use)
    if (stored) {
      requireSameRequest(stored.requestHash, use)
      if (stored.body !== null) return JSON.parse(stored.body)
      return this.#complete(use, this.#unstored.get(idOf(use)) ?? (await resume(stored)))
    }
    const claim = this.#claim(use)
    const result = await execute(claim)
    if (!claim.stored) return result
    const completed = this.#complete(use, result)
    return use.isUsedOnce ? result : completed
  }

  /** Stores the final result of the key of an order, once reconciliation knows it. */
  async completeFor(orderRef: string, result: OrderResult): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .update(idempotencyKeys)
        .set({ body: JSON.stringify(result) })
        .where(eq(idempotencyKeys.orderRef, orderRef))
    })
  }

  /** Deletes keys past their lifetime. */
  async purge(): Promise<void> {
    const before = this.clock.ago(KEY_LIFETIME_MS)
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
    return row && this.clock.since(row.createdAt) < KEY_LIFETIME_MS ? row : undefined
  }

  #claim(use: KeyUse): KeyClaim & { stored: boolean } {
    const rows = (mode: string, orderRef: string | null, result?: OrderResult) => {
      claim.stored = result === undefined
      const body = result ? JSON.stringify(result) : null
      return STORE_KEY.rows([{ mode, orderRef, body, createdAt: this.clock.now(), ...use }])
    }
    const claim: KeyClaim & { stored: boolean } = {
      stored: false,
      rows: (mode, orderRef) => [rows(mode, orderRef)],
      writeIn: (tx, mode, orderRef, result) => tx.batch(rows(mode, orderRef, result)),
      write: (mode, orderRef, result, alongside = []) => {
        const key = rows(mode, orderRef, result)
        return alongside.length === 0 ? this.db.batch(key) : this.db.script(() => [key, ...alongside])
      },
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
    const id = idOf(use)
    this.#unstored.set(id, result)
    const { key, userId } = use
    const stored = STORE_RESULT.rows([{ userId, key, body: JSON.stringify(result) }])
    await this.db
      .script(() => [stored])
      .then(
        () => this.#unstored.delete(id),
        () => undefined,
      )
    return result
  }
}

function idOf({ userId, key }: KeyUse): string {
  return JSON.stringify([userId, key])
}

/** The refusal of a request whose key belongs to another one. It says nothing about the order that it asks for. */
export const KEY_REUSED = 'This Idempotency-Key was used for another request.'

function requireSameRequest(requestHash: string, use: KeyUse): void {
  if (requestHash !== use.requestHash) {
    throw new ServiceError('conflict', KEY_REUSED)
  }
}
