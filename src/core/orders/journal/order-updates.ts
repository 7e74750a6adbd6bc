import type { BrokerOrder } from '../../brokers/broker.js'
import { messageOf } from '../../errors/index.js'
import type { OrderPorts } from '../ports.js'
import type { OrderJournal } from './journal.js'
import type { OrderState } from './states.js'

/**
 * Follows the broker's order updates into the journal. They may come twice, in any order, and before the
 * answer to the order itself: the table of states drops what is old, and the order is found by our tag.
 */
export class OrderUpdates {
  /**
   * The last update under way by order: two of one order cannot overtake each other, and those of different
   * orders share their commits. A burst of fills is then recorded as fast as orders are.
   */
  readonly #tails = new Map<string, Promise<void>>()

  constructor(
    private readonly journal: OrderJournal,
    private readonly log: OrderPorts['log'],
    /** Hears of an order whose end was in doubt, or told wrongly, and that an update has settled. */
    private readonly onSettled: (orderRef: string) => Promise<void>,
  ) {}

  /** Accepts an update of a broker and returns at once. */
  apply(broker: string, update: BrokerOrder): void {
    void this.record(broker, update)
  }

  /**
   * Records what the broker says of an order, after the updates of it that came before. Never rejects.
   * @param orderRef the order's journal row, where it is known
   * @returns whether it was news to the journal
   */
  record(broker: string, update: BrokerOrder, orderRef?: string): Promise<boolean> {
    const { orderId } = update
    const before = this.#tails.get(orderId) ?? Promise.resolve()
    const recorded = before
      .then(() => this.#record(broker, update, orderRef))
      .catch((error: unknown) => {
        this.log.error('order_update_not_recorded', { orderid: orderId, error: messageOf(error) })
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
    if (!state) return false
    // Some brokers send an empty tag for a missing one.
    const tagged = known ?? (update.tag === '' ? undefined : update.tag)
    const orderRef = tagged ?? (await this.journal.findByOrderId(broker, update.orderId))?.orderRef
    if (orderRef === undefined) return false
    const from = await this.journal.move(orderRef, state, {
      orderId: update.orderId,
      ...(state === 'rejected' && { endCause: 'exchange' }),
      ...(update.rejectionReason && { reason: update.rejectionReason }),
      filled: { quantity: update.filledQuantity, price: update.averagePrice },
      detail: `filled ${update.filledQuantity} of ${update.quantity} at ${update.averagePrice}`,
    })
    // Also where a person had called it rejected and the broker now tells of fills.
    if (from === 'unknown' || from === 'rejected') await this.onSettled(orderRef)
    return from !== undefined
  }
}

/** The state an update proves; a resting order without fills proves nothing its answer will not say. */
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
