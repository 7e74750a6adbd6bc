import { OrderHistory } from '../../core/orders/index.js'
import { approvalPlan, listedValue } from '../approval-plan.js'
import { orderNotes } from '../audit/order-notes.js'
import type { Daemon } from '../daemon.js'
import type { Handlers } from '../http/handlers.js'
import { lastPrices } from '../last-prices.js'
import { positionsNow } from '../positions-now.js'
import { actionCenterHandlers } from '../routes/control/action-center.js'
import { riskHandlers } from '../routes/control/risk.js'
import { settingsHandlers } from '../routes/control/settings.js'
import { analyzerLogHandlers } from '../routes/logs/analyzer.js'
import { orderLogHandlers } from '../routes/logs/order-logs.js'
import { historyHandlers } from '../routes/orders/history.js'
import { journalHandlers } from '../routes/orders/journal.js'
import { orderHandlers } from '../routes/orders/orders.js'
import type { Service } from '../service.js'
import type { LoggedCall } from './mount.js'

/**
 * Returns the handlers for orders and the account, and for the approvals, limits and modes that govern them.
 */
export function tradingHandlers({ proxies, service }: Daemon) {
  const { approvals, bus, identity, journal, orders, reconciler, risk } = service
  const setAnalyzeMode = (on: boolean, by: string) => service.modeSwitch.set(on, by)
  return {
    ...orderHandlers({
      identity,
      orders,
      clock: service.clock,
      noteOrder: orderNotes({ ...service, proxies }),
    }),
    ...actionCenterHandlers({
      approvals,
      clock: service.clock,
      lastPrices: (refs) => lastPrices(service, refs),
      positionsNow: (user, orders) => positionsNow(service, user, orders),
      priceAtHand: (ref) => service.hub.last(ref)?.ltp,
      worth: (order, priceNow) => listedValue(service, order, priceNow),
      plan: (user, wanted) => approvalPlan(service, user, wanted),
    }),
    ...settingsHandlers({ analyzeMode: () => service.mode() === 'analyze', setAnalyzeMode }),
    ...journalHandlers({ journal, reconciler, brokerId: () => service.brokers.brokerId }),
    ...historyHandlers({
      histories: { live: new OrderHistory(service.databases.svc, journal), analyze: service.sandbox.history },
      mode: () => service.mode(),
      contractValue: ({ symbol, exchange }) =>
        service.instruments.directory.find(symbol, exchange)?.contractValue,
    }),
    ...orderLogHandlers(service),
    ...analyzerLogHandlers(service),
    ...riskHandlers({
      risk,
      reservedRuns: () => service.strategyRuns.reserved(),
      announce: (engaged, reason, by) => bus.publish('kill_switch', { engaged, reason, by }),
    }),
  } satisfies Partial<Handlers>
}

/** Adds a request to the log that its operation names. Requests that only read never displace those of orders. */
export function logCall({ mode, orderLogs }: Service, { log, operation, ...call }: LoggedCall): void {
  const entry = {
    mode: log.into === 'orders' ? ('live' as const) : mode(),
    api_type: log.as,
    user_id: call.userId,
    request_data: call.request,
    response_data: call.response,
  }
  if (operation.changes)
    orderLogs.record({ ...entry, request_data: { ...call.request }, response_data: { ...call.response } })
  else orderLogs.recordRead(entry)
}
