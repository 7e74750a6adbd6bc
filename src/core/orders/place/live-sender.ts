import { BROKER_ERROR_CODES, type BrokerClient, BrokerError, httpStatusOf } from '../../brokers/broker.js'
import { crashPoint, messageOf, PublicError, publicMessageOf, ServiceError } from '../../errors/index.js'
import { type RiskGate, refusalCode } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { BrokerTimer } from '../broker-time.js'
import { requireInTime } from '../deadline.js'
import { endOfError, endOfStop, NOT_SENT, type OrderEnd } from '../end.js'
import type { JournalEntry, OrderJournal, StateDetail } from '../journal/journal.js'
import { endOf } from '../journal/result.js'
import type { LiveExecution, OrderPorts, QueuePort } from '../ports.js'
import type { ClaimedOrder } from './claimed-order.js'

/** How a request to the broker ended for certain. */
export interface KnownEnd {
  state: 'accepted' | 'rejected'
  detail: StateDetail
}

/**
 * A broker's refusal, or that of the service before it, where it is certain; undefined when the request may have been
 * carried out.
 */
export function certainRefusal(error: unknown, fallback: string): ServiceError | undefined {
  if (error instanceof BrokerError && error.sent !== 'maybe') {
    const message = error.message || fallback
    return new ServiceError(BROKER_ERROR_CODES[error.kind], message, { httpStatus: httpStatusOf(error) })
  }
  return error instanceof ServiceError ? error : undefined
}

/**
 * Sends journalled orders to the broker. The intent is durable before this is called, that it leaves is durable
 * before it does, and the result is durable before this returns. Nothing here is ever sent twice: whoever moves an
 * order from `claimed` to `sending` sends it, and an outcome that is not known stays in doubt until the broker's own
 * book settles it.
 */
export class LiveSender {
  constructor(
    private readonly journal: OrderJournal,
    private readonly broker: LiveExecution,
    private readonly ports: Pick<OrderPorts, 'log' | 'mode'>,
    private readonly risk: Pick<RiskGate, 'refusesNow'>,
    private readonly queue: Pick<QueuePort, 'shouldQueue'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    /** Hears of every order whose outcome is unknown, or is known (`end`) and could not be recorded. */
    private readonly onDoubt: (orderRef: string, end?: KnownEnd) => void,
  ) {}

  /**
   * Sends an order whose state `claimed` is durable. Never throws.
   * @param release gives back the place of an order that certainly never left; one whose end is not on disk keeps it,
   *   since a crash would put it in doubt
   */
  async send(claimed: ClaimedOrder, release: () => void): Promise<OrderEnd> {
    const { orderRef } = claimed.entry
    try {
      await this.broker.orderSlot()
      // Only now: an order that a crash finds waiting for its slot has certainly not been sent.
      const taken = await this.journal.move(orderRef, 'sending')
      if (!taken) {
        release()
        return endOfStop(orderRef)
      }
    } catch (error) {
      release()
      return this.#notSent(claimed.entry, error)
    }
    crashPoint('orders.sending.afterCommit')
    const timer = claimed.caller?.brokerTimer ?? new BrokerTimer(this.clock)
    let orderId: string
    try {
      this.#requireSame(claimed.entry)
      this.#requireAllowed(claimed)
      requireInTime(this.clock, claimed.caller?.deadline)
      const client = this.broker.client()
      orderId = await timer.send(() => placeAt(client, claimed))
    } catch (error) {
      return this.#failed(claimed, error, release)
    }
    crashPoint('orders.sent.beforeRecord')
    const end: OrderEnd = { outcome: 'placed', orderRef, orderId }
    await this.#record(orderRef, 'accepted', { orderId, end })
    crashPoint('orders.answer.afterCommit')
    return end
  }

  /** The mode and the broker of the decision must still be those of now. */
  #requireSame(entry: JournalEntry): void {
    const changed =
      this.ports.mode() !== entry.mode ? 'mode' : this.broker.brokerId !== entry.broker ? 'broker' : undefined
    if (!changed) return
    throw new ServiceError(
      'conflict',
      `The ${changed} was changed before the order was sent; it was not sent.`,
    )
  }

  /** The last look at kill switch, rules and order mode: nothing can come between it and the sending. */
  #requireAllowed({ entry: { operation, source, userId }, gated, order }: ClaimedOrder): void {
    const refusal = gated ? this.risk.refusesNow(order) : undefined
    if (refusal) throw new ServiceError(refusalCode(refusal), refusal.message)
    if (source !== 'approval' && this.queue.shouldQueue(userId, operation)) {
      throw new ServiceError(
        'conflict',
        'Orders need approval since before this one was sent; it was not sent.',
      )
    }
  }

  /** The order was never about to leave. */
  async #notSent({ orderRef }: JournalEntry, error: unknown): Promise<OrderEnd> {
    const refusal = certainRefusal(error, NOT_SENT) ?? new ServiceError('internal', NOT_SENT)
    const end = endOfError('not_sent', orderRef, refusal)
    const reason = this.#reason(orderRef, error, NOT_SENT)
    await this.#record(orderRef, 'rejected', { endCause: 'not_sent', reason, end })
    return end
  }

  async #failed(
    { entry: { orderRef }, gtt }: ClaimedOrder,
    error: unknown,
    release: () => void,
  ): Promise<OrderEnd> {
    const fallback = gtt ? 'Failed to place GTT' : 'Failed to place order'
    const message = this.#reason(orderRef, error, fallback)
    const refusal = certainRefusal(error, fallback)
    if (!refusal) return this.#recordDoubt(orderRef, message)
    const arrived = error instanceof BrokerError && error.sent === 'yes'
    const end = endOfError(arrived ? 'refused' : 'not_sent', orderRef, refusal)
    const detail: StateDetail = arrived
      ? { endCause: 'refused' }
      : { endCause: 'not_sent', detail: `Never reached the broker: ${message}` }
    const recorded = await this.#record(orderRef, 'rejected', { reason: message, end, ...detail })
    if (recorded && !arrived) release()
    return end
  }

  /** A text for the caller. The text of any other error goes to the log alone. */
  #reason(orderRef: string, error: unknown, otherwise: string): string {
    if (!(error instanceof PublicError)) {
      this.ports.log.error('order_fault', { order_ref: orderRef, error: messageOf(error) })
    }
    return publicMessageOf(error, otherwise)
  }

  /** Marks the order as in doubt, unless the broker's own update has proved its end already. */
  async #recordDoubt(orderRef: string, reason: string): Promise<OrderEnd> {
    if (await this.#record(orderRef, 'unknown', { reason })) {
      this.onDoubt(orderRef)
      return { outcome: 'in_doubt', orderRef }
    }
    const row = await this.journal.find(orderRef).catch(() => undefined)
    return row ? endOf(row) : { outcome: 'in_doubt', orderRef }
  }

  /**
   * Records a result. When the disk fails now, the intent is durable already and the broker's answer stands:
   * the caller gets it, and reconciliation writes it down when the disk is back.
   */
  async #record(
    orderRef: string,
    state: KnownEnd['state'] | 'unknown',
    detail: StateDetail,
  ): Promise<boolean> {
    try {
      return (await this.journal.move(orderRef, state, detail)) !== undefined
    } catch (error) {
      const { orderId: orderid } = detail
      const fields = { order_ref: orderRef, state, orderid, error: messageOf(error) }
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
