import type { Clock } from '../../time/index.js'
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
    clock: withoutWaits(ports.clock),
    http: { send: async () => ({ statusCode: 200, data: { dry_run: true } }) },
    notifier: { telegram: async () => undefined, whatsapp: async () => undefined },
  }
}

/** Returns the same clock, with waits that end at once. */
function withoutWaits(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    since: (instant, ahead) => clock.since(instant, ahead),
    ago: (ms) => clock.ago(ms),
    setTimeout: (fn, delayMs) => clock.setTimeout(fn, delayMs),
    setInterval: (fn, intervalMs) => clock.setInterval(fn, intervalMs),
    clear: (timer) => clock.clear(timer),
    sleep: async (_delayMs, signal) => signal?.throwIfAborted(),
  }
}
