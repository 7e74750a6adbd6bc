import type { BrokerOrder } from '../../brokers/broker.js'
import { messageOf } from '../../errors/index.js'
import { isOrderRef } from '../order-ref.js'
import type { OrderPorts } from '../ports.js'
import type { OrderJournal } from './journal.js'
import type { OpenGtts } from './reconciliation/open-gtts.js'
import type { OrderState } from './states.js'

/**
 * Records the broker's order updates in the journal. Updates may repeat, change their order, and arrive
 * before the answer to the order itself. The table of states drops stale ones, and the tag identifies the
 * order.
 */
export class OrderUpdates {
  /**
   * The last running update of each order: updates of one order keep their order, and those of different
   * orders share their commits. A burst of fills is then recorded as fast as orders are.
   */
  readonly #tails = new Map<string, Promise<void>>()

  constructor(
    private readonly journal: OrderJournal,
    private readonly log: OrderPorts['log'],
    /** Called when an update has settled an order that was in doubt or recorded as rejected. */
    private readonly onSettled: (orderRef: string) => Promise<void>,
    /** Learns that a GTT has sent an order. */
    private readonly gtts: Pick<OpenGtts, 'noteOrder'>,
    /** Called with an update of an order that has no tag of ours and no row, or that of a GTT in doubt. */
    private readonly onUnknown: (update: BrokerOrder) => void,
    /** Called when only the broker's books tell what an update means, or when one could not be recorded: none is repeated. */
    private readonly onUnclear: () => void,
  ) {}

  /** Accepts an update of a broker and returns at once. */
  apply(broker: string, update: BrokerOrder): void {
    void this.record(broker, update)
  }

  /** Takes note of an update that nobody can record. */
  noteLost(): void {
    this.onUnclear()
  }

  /**
   * Records an update after all earlier updates of the same order. Never rejects.
   * @param orderRef the order's reference, when it is known
   * @returns whether the journal changed
   */
  record(broker: string, update: BrokerOrder, orderRef?: string): Promise<boolean> {
    const { orderId } = update
    const before = this.#tails.get(orderId) ?? Promise.resolve()
    const recorded = before
      .then(() => this.#record(broker, update, orderRef))
      .catch((error: unknown) => {
        this.log.error('order_update_not_recorded', { orderid: orderId, error: messageOf(error) })
        this.onUnclear()
        return false
      })
    const tail: Promise<void> = recorded.then(() => {
      if (this.#tails.get(orderId) === tail) this.#tails.delete(orderId)
    })
    this.#tails.set(orderId, tail)
    return recorded
  }

  /** Resolves when all accepted updates are applied. */
  async drained(): Promise<void> {
    await Promise.all(this.#tails.values())
  }

  async #record(broker: string, update: BrokerOrder, known: string | undefined): Promise<boolean> {
    const state = stateOf(update)
    const { tag } = update
    // Some brokers send an empty tag for a missing one, and other programs tag their orders, too.
    const tagged = known ?? (tag !== undefined && isOrderRef(tag) ? tag : undefined)
    if (known === undefined && tagged !== undefined) {
      const noted = await this.gtts.noteOrder(tagged, update)
      if (noted === 'early') this.onUnknown(update)
      if (noted === 'itself' && state) this.onUnclear()
      if (noted !== 'its') return false
    }
    if (!state && tagged !== undefined) return false
    const orderRef = tagged ?? (await this.journal.findByOrderId(broker, update.orderId))?.orderRef
    if (orderRef === undefined) this.onUnknown(update)
    if (!state || orderRef === undefined) return false
    const from = await this.journal.move(orderRef, state, {
      orderId: update.orderId,
      ...(state === 'rejected' && { endCause: 'exchange' }),
      ...(update.rejectionReason && { reason: update.rejectionReason }),
      filled: { quantity: update.filledQuantity, price: update.averagePrice },
      detail: `filled ${update.filledQuantity} of ${update.quantity} at ${update.averagePrice}`,
    })
    // Also when a person had settled it as rejected and the broker now reports fills.
    if (from === 'unknown' || from === 'rejected') await this.onSettled(orderRef)
    return from !== undefined
  }
}

/**
 * Returns the state an update proves. A pending order without fills proves nothing new: its answer says the
 * same.
 */
function stateOf(update: BrokerOrder): OrderState | undefined {
  switch (update.status) {
    case 'complete':
      return 'filled'
    case 'cancelled':
      return 'cancelled'
    case 'rejected':
      return 'rejected'
    default:
      return update.filledQuantity > 0 ? 'partial' : undefined
  }
}
