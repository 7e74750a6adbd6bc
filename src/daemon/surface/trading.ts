import { OrderHistory } from '../../core/orders/index.js'
import { approvalPlan, listedValue } from '../approval-plan.js'
import { orderNotes } from '../audit/order-notes.js'
import type { Daemon } from '../daemon.js'
import { describeDesk } from '../describe.js'
import type { Handlers } from '../http/handlers.js'
import { lastPrices } from '../last-prices.js'
import { positionsNow } from '../positions-now.js'
import { actionCenterHandlers } from '../routes/control/action-center.js'
import { riskHandlers } from '../routes/control/risk.js'
import { settingsHandlers } from '../routes/control/settings.js'
import { analyzerLogHandlers } from '../routes/logs/analyzer.js'
import { orderLogHandlers } from '../routes/logs/order-logs.js'
import { calendarHandlers } from '../routes/market/calendar.js'
import { chartHandlers } from '../routes/market/chart.js'
import { instrumentListHandlers } from '../routes/market/instrument-list.js'
import { marketHandlers } from '../routes/market/market.js'
import { optionHandlers } from '../routes/market/options.js'
import { searchHandlers } from '../routes/market/search.js'
import { symbolHandlers } from '../routes/market/symbols.js'
import { tickerHandlers } from '../routes/market/ticker.js'
import { accountHandlers, accountViewHandlers, type RequestLog } from '../routes/orders/account.js'
import { historyHandlers } from '../routes/orders/history.js'
import { journalHandlers } from '../routes/orders/journal.js'
import { orderHandlers } from '../routes/orders/orders.js'
import type { Service } from '../service.js'
import type { ReadRequest } from './mount.js'

/**
 * Returns the handlers for orders and the account, and for the approvals, limits and modes that govern them.
 */
export function tradingHandlers({ proxies, service }: Daemon) {
  const { approvals, bus, identity, journal, margins, orders, reconciler, risk } = service
  const setAnalyzeMode = (on: boolean, by: string) => service.modeSwitch.set(on, by)
  return {
    ...orderHandlers({
      identity,
      orders,
      clock: service.clock,
      noteOrder: orderNotes({ ...service, proxies }),
    }),
    ...accountViewHandlers(service),
    ...accountHandlers({
      identity,
      account: service.account,
      desk: (username) => describeDesk(service, username),
      orders,
      margins,
      connectedBroker: () => {
        service.brokers.client()
        return service.brokers.brokerId
      },
      analyzer: () => analyzerState(service),
      setAnalyzeMode,
      log: (entry) => logRequest(service, entry),
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

/** Returns the handlers for prices, instruments and the calendar. */
export function marketDataHandlers({ service }: Daemon) {
  return {
    ...marketHandlers(service),
    ...tickerHandlers(service),
    ...symbolHandlers(service),
    ...instrumentListHandlers(service),
    ...searchHandlers(service),
    ...optionHandlers(service.optionSources),
    ...calendarHandlers(service),
    ...chartHandlers(service),
  } satisfies Partial<Handlers>
}

async function analyzerState({ mode, orderLogs }: Service) {
  return {
    mode: mode(),
    analyze_mode: mode() === 'analyze',
    total_logs: await orderLogs.total('analyze'),
  }
}

function logRequest({ mode, orderLogs }: Service, entry: RequestLog): void {
  orderLogs.record({
    mode: entry.log === 'orders' ? 'live' : mode(),
    api_type: entry.operation,
    user_id: entry.userId,
    request_data: { ...entry.request },
    response_data: { ...entry.response },
  })
}

/** Adds a request that only read to the log of the current mode. */
export function recordReadRequest({ mode, orderLogs }: Service, read: ReadRequest): void {
  orderLogs.recordRead({
    mode: mode(),
    api_type: read.operation,
    user_id: read.userId,
    request_data: read.request,
    response_data: read.response,
  })
}
