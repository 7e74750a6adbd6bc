import { crashPoint, messageOf, ServiceError } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import { orderOperation } from '../operations/index.js'
import type { Tx } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { driftRefusal } from './drift.js'
import { bookkeepingOf, checkedResult, outcomeOf, resultOfThrown } from './execution.js'
import { readPayload } from './payload.js'
import type {
  ApprovalExecutor,
  ApprovalOutcome,
  ApprovalResult,
  ApprovalSettings,
  ExecutionRef,
  LastPrice,
  QueuedOrder,
  Refusal,
  Veto,
} from './schema.js'
import type { ApprovalStore, PendingOrderRow } from './store.js'

/** What is not claimed yet when the service stops waits for the next start. */
const STOPPING: Refusal = {
  code: 'unavailable',
  message: 'The service is stopping. The order stays pending.',
}

export interface ApproverParts {
  store: ApprovalStore
  clock: Clock
  settings: ApprovalSettings
  lastPrice: LastPrice
  log: Logger
  /** Called for each row this approver has claimed, before it is executed. */
  claimed: (userId: string) => void
  /** Aborted once the service stops: from then on nothing is claimed. */
  stopping: AbortSignal
}

/**
 * Takes one pending row from approval to its outcome: checks of now, claim, execution, record. The claim is
 * durable before anything is sent, and only whoever wins it sends.
 */
export class Approver {
  readonly #parts: ApproverParts
  readonly #executor: ApprovalExecutor

  constructor(parts: ApproverParts, executor: ApprovalExecutor) {
    this.#parts = parts
    this.#executor = executor
  }

  /**
   * @param veto why nothing may be executed any more; asked before the claim
   * @throws ServiceError `not_pending`, or the refusal of a check; the row is then not approved by us
   */
  async approve(row: PendingOrderRow, approver: string, veto: Veto): Promise<ApprovalOutcome> {
    if (row.status !== 'pending') throw notPending()
    const payload = readPayload(row.orderData)
    if (!payload) throw new ServiceError('refused', 'Not approved: the stored request cannot be read.')
    const order: QueuedOrder = { id: row.id, userId: row.userId, operation: row.operation, payload }
    if (!orderOperation(order.operation)?.queueable) {
      const late = veto()
      if (late) throw new ServiceError(late.code, late.message)
      return this.#approveUnknown(order, approver)
    }
    const refusal = await this.#refusal(order, row, veto)
    if (refusal) throw new ServiceError(refusal.code, refusal.message)
    const ref = await this.#claim(order, approver, (tx) => this.#executor.begin(tx, order))
    return this.#execute(order, ref)
  }

  /** Why everything would fail until somebody signs in to the broker; undefined when that is not the matter. */
  withoutSession(): Promise<string | undefined> {
    return this.#executor.withoutSession()
  }

  /** Asks what came of an execution that a crash cut short; undefined when nobody can tell now. */
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

  /** The reason not to execute now. Stop and veto are asked about last as well: the other checks may take their time. */
  async #refusal(order: QueuedOrder, row: PendingOrderRow, veto: Veto): Promise<Refusal | undefined> {
    const halt = () => (this.#parts.stopping.aborted ? STOPPING : veto())
    return halt() ?? (await this.#refusalOfNow(order, row)) ?? halt()
  }

  async #refusalOfNow(order: QueuedOrder, row: PendingOrderRow): Promise<Refusal | undefined> {
    if (!this.#executor.supports(order.operation)) {
      const message = `Orders of type ${order.operation} cannot be executed yet. The order stays pending.`
      return { code: 'refused', message }
    }
    const { settings, lastPrice } = this.#parts
    return (
      (await driftRefusal(order, row, settings.maxDriftPercent, lastPrice)) ??
      (await this.#executor.recheck(order.userId, order))
    )
  }

  /** Takes the row; whoever returns from here is the only one to execute it, ever. */
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

  /** A request of no known type is approved and fails at once, as specified. */
  async #approveUnknown(order: QueuedOrder, approver: string): Promise<ApprovalOutcome> {
    const message = `Unknown order type: ${order.operation}`
    const result: ApprovalResult = { outcome: 'failed', code: 'refused', httpStatus: 400, message }
    await this.#claim(order, approver, async (tx) => {
      await this.#parts.store.finishIn(tx, order.id, bookkeepingOf(result))
      return null
    })
    return outcomeOf(result, null)
  }

  async #execute(order: QueuedOrder, ref: ExecutionRef): Promise<ApprovalOutcome> {
    const result = await this.#executor
      .execute(ref, order)
      .then((answer) => checkedResult(order.operation, answer))
      .catch((fault: unknown) => {
        this.#parts.log.error('approvals.execution_failed', { id: order.id, message: messageOf(fault) })
        return resultOfThrown(fault)
      })
    // The order is out: a row that cannot be written now is settled from the journal, at the next start at latest.
    await this.#parts.store.finish(order.id, bookkeepingOf(result)).catch((fault: unknown) => {
      this.#parts.log.error('approvals.record_failed', { id: order.id, message: messageOf(fault) })
    })
    return outcomeOf(result, ref)
  }
}

function notPending(): ServiceError {
  return new ServiceError('not_pending', 'Failed to approve order')
}
