import { BROKER_ERROR_CODES, type BrokerClient, BrokerError, httpStatusOf } from '../../brokers/broker.js'
import { crashPoint, messageOf, PublicError, publicMessageOf, ServiceError } from '../../errors/index.js'
import { type RiskGate, refusalCode } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { ExchangeTimer } from '../broker-time.js'
import { type Deadline, requireInTime } from '../deadline.js'
import type { JournalEntry, JournalRow, OrderJournal, StateDetail } from '../journal/journal.js'
import { answerFor, NOT_SENT, UNKNOWN_OUTCOME } from '../journal/result.js'
import type { LiveExecution, OrderPorts, QueuePort } from '../ports.js'
import { failure, type OrderResult, success } from '../result.js'
import type { GttRequest, OrderRequest } from '../schema.js'

/** How an answer names what was placed. */
interface Wording {
  id: 'orderid' | 'trigger_id'
  fallback: string
}
/** How an order is to be sent. */
interface Sending {
  /** False for one that only reduces what is held: it leaves although trading is stopped. */
  gated: boolean
  /** It does not leave after this. */
  deadline?: Deadline
}
/** How a request to the broker ended for certain. */
export interface KnownEnd {
  state: 'accepted' | 'rejected'
  detail: StateDetail
}

const ORDER: Wording = { id: 'orderid', fallback: 'Failed to place order' }
const GTT: Wording = { id: 'trigger_id', fallback: 'Failed to place GTT' }

/**
 * The answer to what a broker, or the service before it, refused for certain; undefined when the request may
 * have been carried out.
 */
export function refusalOf(error: unknown, fallback: string): OrderResult | undefined {
  if (error instanceof BrokerError && error.sent !== 'maybe') {
    return failure(BROKER_ERROR_CODES[error.kind], httpStatusOf(error), error.message || fallback)
  }
  if (error instanceof ServiceError) return failure(error.code, error.httpStatus, error.message)
  return undefined
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
    private readonly risk: Pick<RiskGate, 'refusesNow' | 'release'>,
    private readonly queue: Pick<QueuePort, 'shouldQueue'>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    /** Hears of every order whose outcome is unknown, or is known (`end`) and could not be recorded. */
    private readonly onDoubt: (orderRef: string, end?: KnownEnd) => void,
  ) {}

  /** Sends the order of an entry whose state `claimed` is durable. */
  send(entry: JournalEntry, order: OrderRequest, { gated, deadline }: Sending): Promise<OrderResult> {
    return this.#dispatch(entry, ORDER, gated ? order : undefined, deadline, async ({ orders }) => {
      return (await orders.place(order, entry.orderRef)).orderId
    })
  }

  /** The same for a good-till-triggered order, with the order the gate saw; the broker is known to keep them. */
  sendGtt(
    entry: JournalEntry,
    gtt: GttRequest,
    order: OrderRequest,
    { lastPrice, deadline }: { lastPrice: number; deadline: Deadline },
  ): Promise<OrderResult> {
    return this.#dispatch(entry, GTT, order, deadline, async ({ gtts }) => {
      if (!gtts) throw new BrokerError('unsupported', 'The broker keeps no GTT orders', { sent: 'never' })
      return (await gtts.place(gtt, { tag: entry.orderRef, lastPrice })).triggerId
    })
  }

  /** @param gated what the gate has admitted and looks at once more, where it has a say */
  async #dispatch(
    entry: JournalEntry,
    wording: Wording,
    gated: OrderRequest | undefined,
    deadline: Deadline,
    place: (client: BrokerClient) => Promise<string>,
  ): Promise<OrderResult> {
    try {
      await this.broker.orderSlot()
      // Only now: an order that a crash finds waiting for its turn has certainly not been sent.
      const taken = await this.journal.move(entry.orderRef, 'sending')
      if (!taken) {
        this.#release(gated)
        return failure('unavailable', 503, NOT_SENT, {}, entry.orderRef)
      }
    } catch (error) {
      this.#release(gated)
      return this.#notSent(entry, error)
    }
    crashPoint('orders.sending.afterCommit')
    const exchange = new ExchangeTimer(this.clock)
    let orderId: string
    try {
      this.#requireSame(entry)
      this.#requireAllowed(entry, gated)
      requireInTime(this.clock, deadline)
      const client = this.broker.client()
      orderId = await exchange.send(() => place(client))
    } catch (error) {
      return exchange.note(await this.#failed(entry, error, wording, gated))
    }
    crashPoint('orders.sent.beforeRecord')
    const answer = success({ [wording.id]: orderId }, entry.orderRef)
    await this.#record(entry, 'accepted', { orderId, answer })
    crashPoint('orders.answer.afterCommit')
    return exchange.note(answer)
  }

  /** What was decided before the order had to wait must still hold when it leaves: its mode and its broker. */
  #requireSame(entry: JournalEntry): void {
    const changed =
      this.ports.mode() !== entry.mode ? 'mode' : this.broker.brokerId !== entry.broker ? 'broker' : undefined
    if (!changed) return
    throw new ServiceError(
      'conflict',
      `The ${changed} was changed before the order was sent; it was not sent.`,
    )
  }

  /**
   * Whoever was told that trading is stopped, that a rule is in force or that orders wait for approval from now on
   * relies on it: nothing can come between this look and the sending.
   */
  #requireAllowed({ operation, source, userId }: JournalEntry, gated: OrderRequest | undefined): void {
    const refusal = gated && this.risk.refusesNow(gated)
    if (refusal) throw new ServiceError(refusalCode(refusal), refusal.message)
    if (source !== 'approval' && this.queue.shouldQueue(userId, operation)) {
      throw new ServiceError(
        'conflict',
        'Orders need approval since before this one was sent; it was not sent.',
      )
    }
  }

  /** It never came to the sending, whatever failed. */
  async #notSent(entry: JournalEntry, error: unknown): Promise<OrderResult> {
    const refusal = refusalOf(error, NOT_SENT) ?? failure('internal', 500, NOT_SENT)
    const answer = { ...refusal, orderRef: entry.orderRef }
    await this.#record(entry, 'rejected', {
      endCause: 'not_sent',
      reason: this.#reason(entry, error, NOT_SENT),
      answer,
    })
    return answer
  }

  /** What certainly has not left does not count towards the orders of the day. */
  #release(gated: OrderRequest | undefined): void {
    if (gated) this.risk.release(gated)
  }

  async #failed(
    entry: JournalEntry,
    error: unknown,
    { fallback }: Wording,
    gated: OrderRequest | undefined,
  ): Promise<OrderResult> {
    const message = this.#reason(entry, error, fallback)
    const refusal = refusalOf(error, fallback)
    if (!refusal) {
      const row = await this.#recordDoubt(entry, message)
      if (row) return answerFor(row)
      return failure('outcome_unknown', 504, UNKNOWN_OUTCOME, { order_ref: entry.orderRef }, entry.orderRef)
    }
    const answer = { ...refusal, orderRef: entry.orderRef }
    const arrived = error instanceof BrokerError && error.sent === 'yes'
    const detail: StateDetail = arrived
      ? {}
      : { endCause: 'not_sent', detail: `Never reached the broker: ${message}` }
    const recorded = await this.#record(entry, 'rejected', { reason: message, answer, ...detail })
    // One whose end is not on disk counts like an order in doubt: a crash would make it one.
    if (recorded && !arrived) this.#release(gated)
    return answer
  }

  /** Why, in words that may be told. What only the log may know, it is told here. */
  #reason({ orderRef }: JournalEntry, error: unknown, otherwise: string): string {
    if (!(error instanceof PublicError)) {
      this.ports.log.error('order_fault', { order_ref: orderRef, error: messageOf(error) })
    }
    return publicMessageOf(error, otherwise)
  }

  /**
   * Marks the order as in doubt.
   * @returns the journal's row where the broker's own update has proved its end already
   */
  async #recordDoubt(entry: JournalEntry, reason: string): Promise<JournalRow | undefined> {
    if (await this.#record(entry, 'unknown', { reason })) {
      this.onDoubt(entry.orderRef)
      return undefined
    }
    return this.journal.find(entry.orderRef).catch(() => undefined)
  }

  /**
   * Records a result. When the disk fails now, the intent is durable already and the broker's answer stands:
   * the caller gets it, and reconciliation writes it down when the disk is back.
   */
  async #record(
    entry: JournalEntry,
    state: KnownEnd['state'] | 'unknown',
    detail: StateDetail,
  ): Promise<boolean> {
    try {
      return (await this.journal.move(entry.orderRef, state, detail)) !== undefined
    } catch (error) {
      this.ports.log.error('order_result_not_recorded', {
        order_ref: entry.orderRef,
        state,
        orderid: detail.orderId,
        error: messageOf(error),
      })
      this.onDoubt(entry.orderRef, state === 'unknown' ? undefined : { state, detail })
      return false
    }
  }
}
