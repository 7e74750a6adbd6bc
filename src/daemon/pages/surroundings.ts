import { type Drift, driftText } from '../../core/orders/index.js'
import { userView } from '../operations/common/user.js'
import type { Service } from '../service.js'
import type { Surroundings } from './page.js'

/** Returns what every page of a user shows of the service. */
export function surroundingsFor(service: Service, username: string): Surroundings {
  const { analyze_mode, broker, broker_connected, order_mode } = userView(service, username)
  return {
    username,
    analyzeMode: analyze_mode,
    orderMode: order_mode,
    broker,
    brokerConnected: broker_connected,
    brokerSession: service.brokers.sessionStatus().state,
    feed: service.feedWatch.state(),
    ordersLeft: ordersLeft(service.brokers),
    drift: inWords(service.drift.latest()),
    killSwitch: service.risk.killSwitch.on,
    pending: service.approvals.count(username),
  }
}

function inWords(drift: Drift | undefined): string | undefined {
  return drift && (driftText(drift.orders.length, drift.positions) || undefined)
}

function ordersLeft(brokers: Service['brokers']) {
  if (!brokers.available()) return undefined
  const longest = brokers.budgets().orderStats().windows.at(-1)
  return longest && { left: longest.limit - longest.used, limit: longest.limit }
}
