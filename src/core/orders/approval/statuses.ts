import type { OrderEnd } from '../end.js'
import { isOrderRef } from '../order-ref.js'
import type { LiveOrders, SandboxExecution } from '../ports.js'
import type { OrderStatus } from '../schema.js'
import type { StatusOf } from './result.js'

/** Reads the statuses of orders just placed. */
export class PlacedStatuses {
  constructor(
    private readonly broker: LiveOrders,
    private readonly sandbox: Pick<SandboxExecution, 'statusOf'>,
  ) {}

  /**
   * Returns the statuses of the orders of a request, with one read of the book. The approval does not depend on them: without
   * a status an order counts as open.
   */
  async of(userId: string, ref: string, ends: readonly OrderEnd[]): Promise<StatusOf> {
    const placed = ends.flatMap((end) => (end.outcome === 'placed' ? [end.orderId] : []))
    const statuses = new Map<string, OrderStatus>()
    try {
      if (placed.length > 0 && isLiveRef(ref, ends)) {
        for (const { orderId, status } of await this.broker.client().orders.list())
          statuses.set(orderId, status)
      } else {
        for (const orderId of placed) {
          const status = await this.sandbox.statusOf(userId, orderId)
          if (status) statuses.set(orderId, status)
        }
      }
    } catch {
      // The book cannot be read now.
    }
    return (orderId) => statuses.get(orderId)
  }
}

/** Returns whether orders went to a broker: the sandbox's ids look different. */
function isLiveRef(ref: string, [first]: readonly OrderEnd[]): boolean {
  return isOrderRef(ref) || isOrderRef(first?.orderRef ?? '')
}
