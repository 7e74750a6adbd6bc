import type { Clock } from '../../time/index.js'
import type { Body, FlowPorts, OrdersPort } from '../ports.js'

/** Plans orders in place of sending them, and knows the orders it made up. */
export interface OrderPlanner extends OrdersPort {
  /** What `orderstatus` answers about an order it made up; undefined for any other id. */
  orderStatus(orderid: string): Body | undefined
}

/**
 * The ports of a run that changes nothing: prices, books and the calendar are real, orders are planned and not
 * sent, nothing leaves the house, and no time is spent waiting.
 */
export function dryRunPorts(ports: FlowPorts, orders: OrderPlanner): FlowPorts {
  return {
    ...ports,
    orders,
    reads: {
      ask: async (call, body, account) => {
        const planned = call === 'orderstatus' ? orders.orderStatus(String(body.orderid)) : undefined
        return planned ? { httpStatus: 200, body: planned } : ports.reads.ask(call, body, account)
      },
    },
    clock: unhurried(ports.clock),
    http: { send: async () => ({ statusCode: 200, data: { dry_run: true } }) },
    notifier: { telegram: async () => undefined, whatsapp: async () => undefined },
  }
}

/** The same clock, on which a wait is over at once. */
function unhurried(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimeout: (fn, delayMs) => clock.setTimeout(fn, delayMs),
    setInterval: (fn, intervalMs) => clock.setInterval(fn, intervalMs),
    clear: (timer) => clock.clear(timer),
    sleep: async (_delayMs, signal) => signal?.throwIfAborted(),
  }
}
