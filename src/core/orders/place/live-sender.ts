import { type BrokerClient, BrokerError, serviceErrorFor } from '../../brokers/broker.js'
import { crashPoint, messageOf, PublicError, publicMessageOf, ServiceError } from '../../errors/index.js'
import { type RiskGate, refusalCode } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { heldInSemiAuto } from '../approval/semi-auto.js'
import { BrokerTimer } from '../broker-time.js'
import { requireCaller } from '../deadline.js'
import { endOfError, endOfStop, NOT_SENT, type OrderEnd } from '../end.js'
import type { OrderJournal, StateDetail } from '../journal/journal.js'
import { endOf } from '../journal/result.js'
import { needsApproval, switchedSince } from '../pipeline/last-check.js'
import type { LiveExecution, OrderPorts, QueuePort } from '../ports.js'
import { lackOf, type OrderRequest } from '../schema.js'
import type { ClaimedOrder } from './claimed-order.js'
import { timingOf } from './timing.js'

/** The certain end of a request to the broker. */
export interface KnownEnd {
  state: 'accepted' | 'rejected'
  detail: StateDetail
}

/**
 * Returns the certain refusal by the broker or by this service; undefined when the broker may have executed
 * the request.
 */
export function certainRefusal(error: unknown, fallback: string): ServiceError | undefined {
  if (error instanceof BrokerError && error.sent !== 'maybe') {
    return serviceErrorFor(error, error.message || fallback)
  }
  return error instanceof ServiceError ? error : undefined
}

/**
 * Sends journalled orders to the broker. The intent is durable before this call, the state `sending` is
 * durable before the order leaves, and the result is durable before this call returns. It never sends an
 * order twice: only the caller that moves an order from `claimed` to `sending` sends it. An unknown outcome
 * stays in doubt until the broker's book settles it.
 */
export class LiveSender {
  constructor(
    private readonly journal: OrderJournal,
    private readonly broker: LiveExecution,
    private readonly ports: Pick<OrderPorts, 'log' | 'mode' | 'timed'>,
    private readonly risk: Pick<RiskGate, 'refusesNow'>,
    private readonly queue: Pick<QueuePort, 'shouldQueue'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    /** Called for every order whose outcome is unknown, or is known (`end`) but could not be recorded. */
    private readonly onDoubt: (orderRef: string, end?: KnownEnd) => void,
  ) {}

  /**
   * Sends an order whose state `claimed` is durable. Never throws.
   * @param release gives back the place in the day's count of an order that was certainly not sent. An order
   *   whose end is not on disk keeps its place, since a crash would put it in doubt
   */
  async send(claimed: ClaimedOrder, release: () => void): Promise<OrderEnd> {
    const timer = new BrokerTimer(this.clock, claimed.caller?.startedAt)
    const end = await this.#send(claimed, timer, release)
    this.#time(claimed, end, timer)
    return end
  }

  /** A fault of the measurement must not hide the end of the order. */
  #time(claimed: ClaimedOrder, end: OrderEnd, timer: BrokerTimer): void {
    try {
      const timing = timingOf(claimed, end, timer)
      if (timing) this.ports.timed(timing)
    } catch (error) {
      const fields = { order_ref: claimed.entry.orderRef, error: messageOf(error) }
      this.ports.log.error('order_not_timed', fields)
    }
  }

  async #send(claimed: ClaimedOrder, timer: BrokerTimer, release: () => void): Promise<OrderEnd> {
    const { orderRef } = claimed.entry
    let algoId: string | undefined
    try {
      await this.#prepare(claimed)
      await this.broker.orderSlot(claimed.exits ? 'exit' : 'order')
      // Not earlier: an order that is still waiting for its slot at a crash has certainly not been sent.
      algoId = this.#algoOf(claimed.order)
      const taken = await this.journal.move(orderRef, 'sending', { account: this.broker.accountId, algoId })
      if (!taken) {
        release()
        return endOfStop(orderRef)
      }
    } catch (error) {
      release()
      return this.#notSent(claimed, error)
    }
    crashPoint('orders.sending.afterCommit')
    let orderId: string
    try {
      this.#requireSame(claimed)
      this.#requireAllowed(claimed)
      requireCaller(this.clock, claimed.caller)
      const client = this.broker.client()
      const sent = { ...claimed, order: withAlgo(claimed.order, algoId) }
      orderId = await timer.send(() => placeAt(client, sent))
    } catch (error) {
      return this.#failed(claimed, error, release)
    }
    crashPoint('orders.sent.beforeRecord')
    const end: OrderEnd = { outcome: 'placed', orderRef, orderId }
    const id = claimed.gtt ? { triggerId: orderId } : { orderId }
    await this.#record(orderRef, 'accepted', { ...id, end })
    crashPoint('orders.answer.afterCommit')
    return end
  }

  /** Returns the algorithm of the order's strategy, unless the order names its own. */
  #algoOf({ instructions, strategy }: OrderRequest): string | undefined {
    return instructions?.algoId === undefined ? this.broker.algoOf?.(strategy) : undefined
  }

  /** Lets the broker's plugin read what it needs: nothing may wait between the last check and the sending. */
  async #prepare(claimed: ClaimedOrder): Promise<void> {
    this.#requireSame(claimed)
    // A queued order was accepted for the broker of its time.
    const lack = lackOf(this.broker.manifest(), claimed.order.instructions)
    if (lack !== undefined) throw new ServiceError('unsupported', lack)
    await this.broker.client().orders.preparePlace?.(claimed.order)
  }

  /** Refuses when the mode, the broker or its account has changed since the decision. */
  #requireSame({ accountId, entry, exits }: ClaimedOrder): void {
    const decided = { mode: exits ? undefined : entry.mode, broker: entry.broker, accountId }
    const now = { mode: this.ports.mode(), broker: this.broker }
    const switched = switchedSince(decided, now, 'the order')
    if (switched) throw new ServiceError(switched.code, switched.message)
  }

  /**
   * The final check of kill switch, rules and order mode. Nothing can happen between this check and the
   * sending.
   */
  #requireAllowed({ caller, entry, exits, gated, order }: ClaimedOrder): void {
    const { operation, source, userId } = entry
    const sender = { userId, source, ...(caller?.signedIn && { signedIn: caller.signedIn }) }
    const refusal = gated ? this.risk.refusesNow(order) : undefined
    if (refusal) throw new ServiceError(refusalCode(refusal), refusal.message)
    if (!exits && source !== 'approval' && heldInSemiAuto(this.queue, sender, operation)) {
      const { code, message } = needsApproval('the order')
      throw new ServiceError(code, message)
    }
  }

  /** Records an order that was certainly not sent. */
  async #notSent(claimed: ClaimedOrder, error: unknown): Promise<OrderEnd> {
    const { orderRef } = claimed.entry
    if (this.#isCut(claimed)) return this.#leaveUnsent(orderRef)
    const refusal = certainRefusal(error, NOT_SENT) ?? new ServiceError('internal', NOT_SENT)
    const end = endOfError('not_sent', orderRef, refusal)
    const reason = this.#reason(orderRef, error, NOT_SENT)
    await this.#record(orderRef, 'rejected', { endCause: 'not_sent', reason, end })
    return end
  }

  /** Returns whether the service has closed its broker under an order that a retry may send. */
  #isCut({ stopping }: ClaimedOrder): boolean {
    return stopping?.aborted === true && !this.#isConnected()
  }

  #isConnected(): boolean {
    try {
      this.broker.client()
      return true
    } catch {
      return false
    }
  }

  /** Ends an order as a crash would have: a retry finds it unsent. */
  async #leaveUnsent(orderRef: string): Promise<OrderEnd> {
    await this.#record(orderRef, 'rejected', { endCause: 'stopped', reason: NOT_SENT })
    return endOfStop(orderRef)
  }

  async #failed(claimed: ClaimedOrder, error: unknown, release: () => void): Promise<OrderEnd> {
    const { entry, gtt } = claimed
    const { orderRef } = entry
    const fallback = gtt ? 'Failed to place GTT' : 'Failed to place order'
    const message = this.#reason(orderRef, error, fallback)
    const refusal = certainRefusal(error, fallback)
    if (!refusal) return this.#recordDoubt(orderRef, message)
    const arrived = error instanceof BrokerError && error.sent === 'yes'
    if (!arrived && this.#isCut(claimed)) {
      release()
      return this.#leaveUnsent(orderRef)
    }
    const end = endOfError(arrived ? 'refused' : 'not_sent', orderRef, refusal)
    const detail: StateDetail = arrived
      ? { endCause: 'refused' }
      : { endCause: 'not_sent', detail: `Never reached the broker: ${message}` }
    const recorded = await this.#record(orderRef, 'rejected', { reason: message, end, ...detail })
    if (recorded && !arrived) release()
    return end
  }

  /** Returns the text for the caller. The text of an unexpected error goes only to the log. */
  #reason(orderRef: string, error: unknown, otherwise: string): string {
    if (!(error instanceof PublicError)) {
      this.ports.log.error('order_fault', { order_ref: orderRef, error: messageOf(error) })
    }
    return publicMessageOf(error, otherwise)
  }

  /** Marks the order as in doubt, unless an update of the broker has already proved its end. */
  async #recordDoubt(orderRef: string, reason: string): Promise<OrderEnd> {
    if (await this.#record(orderRef, 'unknown', { reason })) {
      this.onDoubt(orderRef)
      return { outcome: 'in_doubt', orderRef }
    }
    const row = await this.journal.find(orderRef).catch(() => undefined)
    return row ? endOf(row) : { outcome: 'in_doubt', orderRef }
  }

  /**
   * Records a result. If the disk fails now, the intent is already durable and the broker's answer is valid:
   * the caller receives it, and reconciliation records it when the disk works again.
   */
  async #record(
    orderRef: string,
    state: KnownEnd['state'] | 'unknown',
    detail: StateDetail,
  ): Promise<boolean> {
    try {
      return (await this.journal.move(orderRef, state, detail)) !== undefined
    } catch (error) {
      const { orderId: orderid, triggerId: trigger_id } = detail
      const fields = { order_ref: orderRef, state, orderid, trigger_id, error: messageOf(error) }
      this.ports.log.error('order_result_not_recorded', fields)
      this.onDoubt(orderRef, state === 'unknown' ? undefined : { state, detail })
      return false
    }
  }
}

/** Places an order or a GTT at the broker, with our reference as its tag. @returns the broker's id */
async function placeAt({ orders, gtts }: BrokerClient, { entry, gtt, order }: ClaimedOrder): Promise<string> {
  const tag = entry.orderRef
  if (!gtt) return (await orders.place(order, tag)).orderId
  if (!gtts) throw new BrokerError('unsupported', 'The broker keeps no GTT orders', { sent: 'never' })
  return (await gtts.place(gtt.request, { tag, lastPrice: gtt.lastPrice })).triggerId
}

function withAlgo(order: OrderRequest, algoId: string | undefined): OrderRequest {
  return algoId === undefined ? order : { ...order, instructions: { ...order.instructions, algoId } }
}
