import type { Hono } from 'hono'
import type { Daemon } from '../daemon.js'
import type { AppEnv } from '../env.js'
import type { ExecuteOrderParts } from '../http/execute-order.js'
import type { ModeSwitch } from '../mode.js'
import { accountRoutes, type RequestLog } from '../routes/account.js'
import { accountViewRoutes } from '../routes/account-views.js'
import { calendarRoutes } from '../routes/calendar.js'
import { chartRoutes } from '../routes/chart.js'
import { gttRoutes } from '../routes/gtt.js'
import { DATA_PATHS, GREEKS_PATHS, marketRoutes } from '../routes/market.js'
import { notifyRoutes } from '../routes/notify.js'
import { optionRoutes } from '../routes/options.js'
import { orderChangeRoutes } from '../routes/order-changes.js'
import type { OrderRoutesParts } from '../routes/order-endpoint.js'
import { orderEntryRoutes } from '../routes/order-entry.js'
import { placeOrderRoutes } from '../routes/place-order.js'
import { symbolRoutes } from '../routes/symbols.js'
import type { Service } from '../service.js'
import { limitsOf } from './limits.js'

/** `/api/v1`: what bots call with an API key. A route belongs to one group of limits, so the groups come in order. */
export function mountApi(app: Hono<AppEnv>, daemon: Daemon, modeSwitch: ModeSwitch): void {
  mountOrders(app, daemon)
  mountMarket(app, daemon)
  // Those above have had their own limit.
  app.use('/api/v1/*', limitsOf(daemon)(daemon.service.config.API_RATE_LIMIT))
  mountAccount(app, daemon, modeSwitch)
}

function mountOrders(app: Hono<AppEnv>, daemon: Daemon): void {
  const { service } = daemon
  const { config, identity } = service
  const limit = limitsOf(daemon)
  const stage = orderStage(service)
  app.use('/api/v1/placeorder', limit(config.ORDER_RATE_LIMIT))
  app.route('/api/v1/placeorder', placeOrderRoutes({ identity, orders: service.orders.single, stage }))
  const orderParts: OrderRoutesParts = {
    identity,
    orders: service.orders,
    limits: {
      order: limit(config.ORDER_RATE_LIMIT),
      smart: limit(config.SMART_ORDER_RATE_LIMIT),
      api: limit(config.API_RATE_LIMIT),
    },
    stage,
  }
  for (const routes of [orderEntryRoutes, orderChangeRoutes, gttRoutes])
    app.route('/api/v1', routes(orderParts))
}

function orderStage({ brokers, clock, latency, mode }: Service): ExecuteOrderParts {
  return {
    monotonic: () => clock.monotonic(),
    recordLatency: (sample) => latency.record(sample),
    brokerId: () => (mode() === 'analyze' ? 'sandbox' : brokers.brokerId),
  }
}

function mountMarket(app: Hono<AppEnv>, daemon: Daemon): void {
  const { service } = daemon
  const { clock, config, identity } = service
  const limit = limitsOf(daemon)
  const limitData = limit(config.DATA_RATE_LIMIT)
  for (const path of DATA_PATHS) app.use(`/api/v1/${path}`, limitData)
  const limitGreeks = limit(config.GREEKS_RATE_LIMIT)
  for (const path of GREEKS_PATHS) app.use(`/api/v1/${path}`, limitGreeks)
  app.route('/api/v1', marketRoutes({ identity, market: service.market, listed: service.listed }))
  app.route('/api/v1', symbolRoutes({ identity, instruments: service.instruments, clock }))
  app.route('/api/v1', optionRoutes({ identity, options: service.optionSources }))
  app.route('/api/v1/chart', chartRoutes({ identity, preferences: service.chart }))
  app.use('/api/v1/telegram/*', limit(config.TELEGRAM_RATE_LIMIT))
  app.use('/api/v1/whatsapp/*', limit(config.WHATSAPP_RATE_LIMIT))
  app.route('/api/v1', notifyRoutes({ identity, telegram: service.telegram }))
}

function mountAccount(app: Hono<AppEnv>, { service }: Daemon, modeSwitch: ModeSwitch): void {
  const { clock, identity } = service
  app.route('/api/v1', calendarRoutes({ identity, calendar: service.calendar, clock }))
  const analyzer = async () => ({
    mode: service.mode(),
    analyze_mode: service.mode() === 'analyze',
    total_logs: await service.orderLogs.total('analyze'),
  })
  const logRequest = ({ apiType, userId, request, response, log: where }: RequestLog) =>
    service.orderLogs.record({
      mode: where === 'orders' ? 'live' : service.mode(),
      api_type: apiType,
      user_id: userId,
      request_data: request,
      response_data: response,
    })
  app.route(
    '/api/v1',
    accountViewRoutes({
      identity,
      account: service.account,
      connectedBroker: () => {
        service.brokers.client()
        return service.brokers.brokerId
      },
      analyzer,
      log: logRequest,
    }),
  )
  app.route(
    '/api/v1',
    accountRoutes({
      identity,
      account: service.account,
      margins: service.margins,
      analyzer,
      setAnalyzeMode: (on, by) => modeSwitch.set(on, by),
      log: logRequest,
    }),
  )
}
