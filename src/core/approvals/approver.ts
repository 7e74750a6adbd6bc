import {
  crashPoint,
  messageOf,
  publicMessageOf,
  type Refusal,
  ServiceError,
  type Veto,
} from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import { orderOperation } from '../orders/operations/order-operations.js'
import type { Tx } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { bookkeepingOf, checkedResult, outcomeOf, resultOfThrown } from './execution.js'
import { OtherOrders, requireAsShown } from './expectation.js'
import type { Expiry } from './expiry.js'
import { readPayload } from './payload.js'
import { driftRefusal } from './prices/drift.js'
import type {
  ApprovalExecutor,
  ApprovalOutcome,
  ApprovalResult,
  ApprovalSettings,
  ApproveAllOutcome,
  ApprovedRequest,
  ExecutionRef,
  Expectation,
  ExpectationOfAll,
  LastPrice,
  QueuedOrder,
  SentReport,
} from './schema.js'
import type { ApprovalStore, PendingOrderRow } from './store.js'

/** How long the prices that an approval has read count while it waits for other orders of its positions. */
const PRICE_HOLDS_MS = 1_000

/** The refusal while the service stops: a row that is not claimed yet stays pending until the next start. */
const STOPPING: Refusal = {
  code: 'unavailable',
  message: 'The service is stopping. The order stays pending.',
}

/** The result for a user whose API key is gone (specification, "Action Center"). */
const WITHOUT_KEY: ApprovalResult = {
  outcome: 'failed',
  code: 'forbidden',
  message: 'Authentication failed',
  detail: 'The user of the order has no API key. Create one: svc apikey rotate',
}

interface ApproverParts {
  store: ApprovalStore
  expiry: Expiry
  clock: Clock
  settings: ApprovalSettings
  lastPrice: LastPrice
  /** Returns whether a user has an API key. An order of a user without one is never executed. */
  hasApiKey(userId: string): boolean
  log: Logger
  /** Called for each row this approver has claimed, before it is executed. */
  claimed: (userId: string) => void
  /** Aborted when the service stops. The approver then claims no further row. */
  stopping: AbortSignal
}

/**
 * Takes one pending row from approval to its outcome: it runs the current checks, claims the row, executes
 * the request and records the result. The claim is durable before anything is sent. Only the caller that wins
 * the claim sends.
 */
export class Approver {
  readonly #parts: ApproverParts
  readonly #executor: ApprovalExecutor

  constructor(parts: ApproverParts, executor: ApprovalExecutor) {
    this.#parts = parts
    this.#executor = executor
  }

  /**
   * Approves and executes one row.
   * @param veto gives a reason not to execute any more; asked before the claim
   * @param expected what the approver saw; compared in the transaction of the claim
   * @throws ServiceError `not_pending`, or the refusal of a check; this call has then not approved the row
   */
  async approve(
    row: PendingOrderRow,
    approver: string,
    veto: Veto,
    expected: Expectation,
  ): Promise<ApprovalOutcome> {
    // Expire an overdue row now instead of waiting for the timer.
    await this.#parts.expiry.expireIfOver(row)
    if (row.status !== 'pending') throw notPending()
    const payload = readPayload(row.orderData)
    if (!payload) throw new ServiceError('refused', 'Not approved: the stored request cannot be read.')
    const order: QueuedOrder = {
      id: row.id,
      userId: row.userId,
      operation: row.operation,
      payload,
      ...(row.executionRef !== null && { ofRun: { orderRef: row.executionRef, broker: row.broker } }),
    }
    if (!orderOperation(order.operation)?.queueable) {
      refuseIf(veto())
      const message = `Unknown order type: ${order.operation}`
      return this.#failAtOnce(order, approver, { outcome: 'failed', code: 'refused', message })
    }
    if (!this.#parts.hasApiKey(order.userId)) {
      refuseIf(this.#halt(veto))
      return this.#failAtOnce(order, approver, WITHOUT_KEY)
    }
    refuseIf(this.#halt(veto) ?? this.#unsupported(order))
    const request = this.#executor.open(order)
    const { clock, lastPrice, settings } = this.#parts
    const drift = () => driftRefusal(order, row, settings.maxDriftPercent, lastPrice)
    // A price that must be asked for takes long: an exit of the same position does not wait for that.
    refuseIf(await drift())
    const asked = clock.monotonic()
    // The broker's book is read after it, for the same reason.
    const { ref, report } = await request.alone(async () => {
      const isOld = clock.monotonic() - asked > PRICE_HOLDS_MS
      refuseIf((isOld ? await drift() : undefined) ?? (await request.recheck()) ?? this.#halt(veto))
      // Its time may be over since. The time is that of the timer: the clock may be set.
      await this.#parts.expiry.expireIfOver(row)
      const ref = await this.#claim(order, approver, (tx) => {
        // In one turn with the start of the request, which reads the mode and the broker as well.
        const destination = this.#executor.destination()
        requireAsShown(expected, { destination, legs: request.legs(), queuedMode: row.queuedMode })
        return request.begin(tx)
      })
      return { ref, report: await this.#send(order, request, ref) }
    })
    return this.#record(order, ref, checkedResult(order.operation, await report()))
  }

  /**
   * Approves and executes these rows, one after the other. Rows that others decide meanwhile do not count. When a row
   * fails because no broker session exists, the remaining rows stay pending; so do those after a row whose orders are not
   * those that the approver saw, because he decided about all of them together.
   */
  async approveEach(
    userId: string,
    ids: readonly number[],
    approver: string,
    veto: Veto,
    { legsOf, ...place }: ExpectationOfAll,
  ): Promise<ApproveAllOutcome> {
    const all: ApproveAllOutcome = {
      approvedCount: 0,
      executedCount: 0,
      failed: [],
      inDoubt: [],
      partly: [],
      refused: [],
    }
    for (const id of ids) {
      try {
        const row = await this.#parts.store.find(userId, id)
        if (!row) continue
        const outcome = await this.approve(row, approver, veto, { ...place, legs: legsOf?.get(id) })
        tally(all, id, outcome)
        const missing = outcome.outcome === 'failed' ? await this.#executor.withoutSession() : undefined
        if (missing !== undefined) {
          all.refused.push(...(await this.#left(userId, ids, missing)))
          break
        }
      } catch (error) {
        if (decidedElsewhere(error)) continue
        all.refused.push({ orderId: id, error: publicMessageOf(error) })
        if (!(error instanceof OtherOrders)) continue
        const later = ids.filter((one) => one > id)
        const why = `Not approved: order ${id} is no longer as it was shown. The order stays pending.`
        all.refused.push(...(await this.#left(userId, later, why)))
        break
      }
    }
    return all
  }

  /** Returns the orders among these ids that are still pending, with the reason. */
  async #left(userId: string, ids: readonly number[], why: string): Promise<ApproveAllOutcome['refused']> {
    const pending = new Set(await this.#parts.store.pendingIds(userId))
    return ids.filter((id) => pending.has(id)).map((orderId) => ({ orderId, error: why }))
  }

  /** Returns the result of an execution that a crash interrupted; undefined when it is not known now. */
  async resume(row: PendingOrderRow): Promise<ApprovalResult | undefined> {
    const { id, userId, operation, executionRef } = row
    const payload = readPayload(row.orderData)
    if (executionRef === null || !payload) return undefined
    try {
      return await this.#executor.resume(executionRef, { id, userId, operation, payload })
    } catch (fault) {
      this.#parts.log.error('approvals.resume_failed', { id, message: messageOf(fault) })
      return undefined
    }
  }

  /**
   * Refuses when the service stops or the caller has left. Called twice, because the checks between the calls
   * can be slow.
   */
  #halt(veto: Veto): Refusal | undefined {
    return this.#parts.stopping.aborted ? STOPPING : veto()
  }

  #unsupported({ operation }: QueuedOrder): Refusal | undefined {
    if (this.#executor.supports(operation)) return undefined
    const message = `Orders of type ${operation} cannot be executed yet. The order stays pending.`
    return { code: 'refused', message }
  }

  /** Claims the row. Only the caller for which this succeeds ever executes the row. */
  async #claim<R extends ExecutionRef | null>(
    order: QueuedOrder,
    approver: string,
    within: (tx: Tx) => Promise<R>,
  ): Promise<R> {
    const { store, clock, claimed } = this.#parts
    const decision = { id: order.id, userId: order.userId, by: approver, at: clock.now() }
    const claim = await store.claim(decision, within)
    if (!claim) throw notPending()
    claimed(order.userId)
    crashPoint('approvals.claim.afterCommit')
    return claim.ref
  }

  /** Approves a request that cannot be executed and records its failure in one transaction (docs/api.md, "Action Center"). */
  async #failAtOnce(order: QueuedOrder, approver: string, result: ApprovalResult): Promise<ApprovalOutcome> {
    await this.#claim(order, approver, async (tx) => {
      await this.#parts.store.finishIn(tx, order.id, bookkeepingOf(result))
      return null
    })
    return outcomeOf(result, null)
  }

  async #send(order: QueuedOrder, request: ApprovedRequest, ref: ExecutionRef): Promise<SentReport> {
    try {
      return await request.send(ref)
    } catch (fault) {
      this.#parts.log.error('approvals.execution_failed', { id: order.id, message: messageOf(fault) })
      return async () => resultOfThrown(fault)
    }
  }

  async #record(order: QueuedOrder, ref: ExecutionRef, result: ApprovalResult): Promise<ApprovalOutcome> {
    // The order is sent. If the row cannot be written now, the journal settles it, at the next start at the
    // latest.
    await this.#parts.store.finish(order.id, bookkeepingOf(result)).catch((fault: unknown) => {
      this.#parts.log.error('approvals.record_failed', { id: order.id, message: messageOf(fault) })
    })
    return outcomeOf(result, ref)
  }
}

/** Throws a refusal as a ServiceError. */
function refuseIf(refusal: Refusal | undefined): void {
  if (refusal) throw new ServiceError(refusal.code, refusal.message)
}

function notPending(): ServiceError {
  return new ServiceError('not_pending', 'Failed to approve order')
}

function tally(all: ApproveAllOutcome, orderId: number, outcome: ApprovalOutcome): void {
  all.approvedCount += 1
  switch (outcome.outcome) {
    case 'executed':
      all.executedCount += 1
      if (outcome.executionError !== null) all.partly.push({ orderId, error: outcome.executionError })
      break
    case 'failed':
      all.failed.push({ orderId, error: outcome.error })
      break
    case 'unknown':
      all.inDoubt.push({ orderId, error: outcome.error, executionRef: outcome.executionRef })
      break
  }
}

function decidedElsewhere(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'not_pending' || error.code === 'not_found')
}
