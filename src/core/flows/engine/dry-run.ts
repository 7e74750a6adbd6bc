import type { CallResult, FlowPorts, OrdersPort } from '../ports.js'

/** Plans orders instead of sending them, and remembers the planned orders. */
export interface OrderPlanner extends OrdersPort {
  /** Returns the result of `orderstatus` for a planned order; undefined for any other id. */
  orderStatus(orderid: string): CallResult | undefined
}

/**
 * Returns the ports of a run that changes nothing. Prices, account views and the calendar are real. Orders
 * are planned and not sent, requests and messages are dropped, and waits end at once.
 */
export function dryRunPorts(ports: FlowPorts, orders: OrderPlanner): FlowPorts {
  return {
    ...ports,
    orders,
    reads: {
      ask: async (call, body, account) => {
        const planned = call === 'orderstatus' ? orders.orderStatus(String(body.orderid)) : undefined
        return planned ?? ports.reads.ask(call, body, account)
      },
    },
    skipsWaits: true,
    http: { send: async () => ({ statusCode: 200, data: { dry_run: true } }) },
    notifier: { telegram: async () => undefined, whatsapp: async () => undefined },
  }
}
