import { type Drift, driftText } from '../../core/orders/index.js'
import { userView } from '../operations/common/user.js'
import type { PageParts } from '../pages/index.js'
import type { Service } from '../service.js'

/** Returns the facts about the service that its pages show. */
export function pagePartsOf(service: Service): PageParts {
  const { approvals, clock, drift, identity, risk } = service
  return {
    now: () => clock.now(),
    csrfToken: (session) => identity.sessions.csrfToken(session),
    surroundings: (username) => {
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
        drift: inWords(drift.latest()),
        killSwitch: risk.killSwitch.on,
        pending: approvals.count(username),
      }
    },
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
