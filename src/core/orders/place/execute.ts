import { messageOf, publicMessageOf, ServiceError } from '../../errors/index.js'
import { type RiskGate, type RiskRefusal, refusalCode } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { type Deadline, expired } from '../deadline.js'
import type { JournalEntry, OrderJournal, StateDetail } from '../journal/journal.js'
import type { OrderPorts, SandboxExecution } from '../ports.js'
import { failure, type OrderResult, success } from '../result.js'
import { type OrderRequest, type PlaceOrderPayload, toOrderRequest } from '../schema.js'
import type { LiveSender } from './live-sender.js'

/** One order of a batch, journalled as `claimed`. */
export interface ClaimedOrder {
  entry: JournalEntry<PlaceOrderPayload>
  /** False for orders that only reduce what is held: they pass when trading is stopped. */
  gated: boolean
  /** It is not sent after this. */
  deadline?: Deadline
}

export interface OrderExecutionParts {
  clock: Pick<Clock, 'monotonic'>
  journal: OrderJournal
  risk: RiskGate
  sandbox: SandboxExecution
  sender: LiveSender
  ports: Pick<OrderPorts, 'log'>
}

/** A refusal of the gate, as an answer. */
export function refusedBy(refusal: RiskRefusal, orderRef?: string): OrderResult {
  return failure(refusalCode(refusal), 403, refusal.message, { rule: refusal.rule }, orderRef)
}

/**
 * Takes one journalled order through gate and execution: the part of the order path every larger request shares.
 */
export class OrderExecution {
  constructor(private readonly parts: OrderExecutionParts) {}

  /** Never throws: what happens to one order must not hide what became of the others. */
  async place(claimed: ClaimedOrder): Promise<OrderResult> {
    const { deadline, entry, gated } = claimed
    const order = toOrderRequest(entry.payload)
    try {
      const refusal = gated ? await this.#refusal(entry, order) : undefined
      if (refusal) return refusal
      if (entry.mode === 'analyze') return await this.#simulate(claimed, order)
      return await this.parts.sender.send(entry, order, { gated, deadline })
    } catch (error) {
      this.parts.risk.release(order)
      // Thrown before the sending: the sender answers for everything after. The row is closed at recovery.
      const { orderRef } = entry
      this.parts.ports.log.error('order_not_sent', { order_ref: orderRef, error: messageOf(error) })
      const known =
        error instanceof ServiceError ? error : new ServiceError('internal', publicMessageOf(error))
      return failure(known.code, known.httpStatus, known.message, {}, orderRef)
    }
  }

  async #refusal(entry: ClaimedOrder['entry'], order: OrderRequest): Promise<OrderResult | undefined> {
    const refusal = await this.parts.risk.admit(entry.userId, entry.mode, order)
    if (!refusal) return undefined
    const answer = refusedBy(refusal, entry.orderRef)
    await this.#note(entry.orderRef, 'rejected', { endCause: 'not_sent', reason: refusal.message, answer })
    return answer
  }

  async #simulate({ deadline, entry, gated }: ClaimedOrder, order: OrderRequest): Promise<OrderResult> {
    const { clock, risk, sandbox } = this.parts
    const { orderRef, userId } = entry
    const veto = () => (gated ? risk.stopped() : undefined) ?? expired(clock, deadline)
    const outcome = await sandbox.place(userId, order, { orderId: orderRef, veto })
    if (outcome.ok) {
      const answer = success({ orderid: outcome.orderId }, orderRef)
      await this.#note(orderRef, 'accepted', { orderId: orderRef, answer })
      return answer
    }
    // Without an id it is not even in the book.
    if (outcome.orderId === undefined) risk.release(order)
    const extra = outcome.orderId === undefined ? {} : { orderid: outcome.orderId }
    const answer = failure(outcome.code ?? 'refused', outcome.httpStatus, outcome.message, extra, orderRef)
    await this.#note(orderRef, 'rejected', { reason: outcome.message, answer })
    return answer
  }

  /** The order has its end already; a row that cannot be written now is closed at recovery. */
  async #note(orderRef: string, state: 'accepted' | 'rejected', detail: StateDetail): Promise<void> {
    try {
      await this.parts.journal.move(orderRef, state, detail)
    } catch (error) {
      this.parts.ports.log.error('order_result_not_recorded', {
        order_ref: orderRef,
        state,
        error: messageOf(error),
      })
    }
  }
}
