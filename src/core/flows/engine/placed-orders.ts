import type { OrderCall } from '../../orders/index.js'
import type { CallResult, OrdersPort } from '../ports.js'
import { RecentKeys } from '../recent-keys.js'

/** The orders that are remembered, of all workflows together. */
const REMEMBERED_ORDERS = 10_000

/** Calls whose result names orders that somebody else may have placed. */
const CHANGES_ONLY: ReadonlySet<OrderCall> = new Set(['modifyorder', 'cancelorder', 'cancelallorder'])

/** Remembers the newest orders that runs have placed, so that a workflow does not start on its own orders. */
export class PlacedOrders {
  readonly #orders = new RecentKeys(REMEMBERED_ORDERS)

  /** Returns whether a run of the workflow has placed the order since the process began. */
  has(workflowId: number, orderId: string): boolean {
    return this.#orders.has(keyOf(workflowId, orderId))
  }

  /** Returns the port for the orders of a workflow, which are remembered. */
  portOf(workflowId: number, orders: OrdersPort): OrdersPort {
    return {
      send: async (call, body, context) => {
        const result = await orders.send(call, body, context)
        if (!CHANGES_ONLY.has(call)) this.#note(workflowId, result)
        return result
      },
    }
  }

  #note(workflowId: number, { orderIds = [] }: CallResult): void {
    for (const orderId of orderIds) this.#orders.add(keyOf(workflowId, orderId))
  }
}

function keyOf(workflowId: number, orderId: string): string {
  return `${workflowId}:${orderId}`
}
