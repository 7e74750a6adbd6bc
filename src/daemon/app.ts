import { Hono } from 'hono'
import { ServiceError } from '../core/errors/index.js'
import type { Daemon } from './daemon.js'
import { describeBroker, describeStatus, describeUser } from './describe.js'
import type { AppEnv } from './env.js'
import { lotSizes } from './flows/lot-sizes.js'
import { errorResponse } from './http/errors.js'
import { isOnLoopback, requireOwnHost } from './http/own-host.js'
import { RememberingRouter } from './http/router.js'
import { signInToBroker, syncFromBroker, syncFromDump, useBroker } from './instrument-loading.js'
import { lastPrices } from './last-prices.js'
import { type Check, requestBasics } from './middleware/basics.js'
import { MovingWindowLimiter, rateLimit } from './middleware/rate-limit.js'
import { requireScope, requireScopes, sessionGuard, sessionOfCookie } from './middleware/session.js'
import { ModeSwitch } from './mode.js'
import { accountRoutes, type RequestLog } from './routes/account.js'
import { actionCenterRoutes } from './routes/action-center.js'
import { apiKeyRoutes } from './routes/api-key.js'
import { authRoutes, setupRoutes } from './routes/auth.js'
import { bookRoutes } from './routes/books.js'
import { brokerRoutes } from './routes/broker.js'
import { calendarRoutes } from './routes/calendar.js'
import { chartRoutes } from './routes/chart.js'
import { docsRoutes } from './routes/docs.js'
import { flowFileRoutes } from './routes/flow-files.js'
import { flowWebhookRoutes } from './routes/flow-webhook.js'
import { flowRoutes } from './routes/flows.js'
import { gttRoutes } from './routes/gtt.js'
import { healthRoutes } from './routes/health.js'
import { journalRoutes } from './routes/journal.js'
import { DATA_PATHS, GREEKS_PATHS, marketRoutes } from './routes/market.js'
import { notifyRoutes } from './routes/notify.js'
import { optionRoutes } from './routes/options.js'
import { orderChangeRoutes } from './routes/order-changes.js'
import type { OrderRoutesParts } from './routes/order-door.js'
import { orderEntryRoutes } from './routes/order-entry.js'
import { placeOrderRoutes } from './routes/place-order.js'
import { riskRoutes } from './routes/risk.js'
import { sandboxRoutes } from './routes/sandbox.js'
import { searchRoutes } from './routes/search.js'
import { settingsRoutes } from './routes/settings.js'
import { symbolRoutes } from './routes/symbols.js'
import { websocketRoutes } from './routes/websocket.js'
import { VERSION } from './version.js'

/** The HTTP surface: middleware, then one small app for each prefix. Routes parse, call the core and reply. */
export function createApp(daemon: Daemon): Hono<AppEnv> {
  const { service, tickets } = daemon
  const { bus, clock, config, identity, log } = service
  const trustProxy = config.TRUST_PROXY_HEADERS
  const limit = (...windows: (typeof config.ORDER_RATE_LIMIT)[]) =>
    rateLimit(new MovingWindowLimiter(windows.flat(), clock), trustProxy)
  const limitLogin = limit(config.LOGIN_RATE_LIMIT_MIN, config.LOGIN_RATE_LIMIT_HOUR)
  const guardOptions = { identity, cookieName: config.SESSION_COOKIE_NAME, trustProxyHeaders: trustProxy }
  const guard = sessionGuard(guardOptions)
  const limitSession = limit(config.API_RATE_LIMIT)
  const modeSwitch = new ModeSwitch(service)

  const app = new Hono<AppEnv>({ strict: false, router: new RememberingRouter() })
  const ownHost = isOnLoopback(config) ? [requireOwnHost()] : []
  app.use(
    '*',
    requestBasics(() => daemon.newRequestId(), [...ownHost, requireReady(daemon)]),
  )
  app.onError((error, c) => errorResponse(c, error, log))
  app.notFound((c) => {
    const allowed = methodsOf(app, c.req.path)
    if (allowed.length > 0) {
      c.header('Allow', allowed.join(', '))
      return errorResponse(c, new ServiceError('method_not_allowed', `Use ${allowed.join(' or ')} here`), log)
    }
    return errorResponse(c, new ServiceError('not_found', 'Not found', { extra: { path: c.req.path } }), log)
  })
  for (const path of ['/version', '/auth/app-info']) {
    app.get(path, (c) => c.json({ status: 'success', name: 'svc', version: VERSION }))
  }
  app.route(
    '/health',
    healthRoutes({ version: VERSION, ready: () => daemon.ready(), checks: () => daemon.checks() }),
  )

  app.route('/', docsRoutes({ version: VERSION, cookieName: config.SESSION_COOKIE_NAME }))

  const recordLatency: OrderRoutesParts['recordLatency'] = ({ orderType, symbol, answer, totalMs }) => {
    const { orderid, trigger_id, message } = answer.body
    const orderId = orderid ?? trigger_id
    service.latency.record({
      orderType,
      orderId: orderId === undefined ? answer.orderRef : String(orderId),
      broker: service.mode() === 'analyze' ? 'sandbox' : service.brokers.brokerId,
      symbol,
      totalMs,
      httpStatus: answer.status,
      error: answer.code === 'ok' ? undefined : message,
    })
  }
  const monotonic = () => clock.monotonic()
  app.use('/api/v1/placeorder', limit(config.ORDER_RATE_LIMIT))
  app.route(
    '/api/v1/placeorder',
    placeOrderRoutes({
      identity,
      desk: service.desk,
      monotonic,
      recordLatency: (sample) => recordLatency({ orderType: 'PLACE', ...sample }),
    }),
  )
  const orderParts: OrderRoutesParts = {
    identity,
    orders: service.orders,
    limits: {
      order: limit(config.ORDER_RATE_LIMIT),
      smart: limit(config.SMART_ORDER_RATE_LIMIT),
      api: limit(config.API_RATE_LIMIT),
    },
    recordLatency,
    monotonic,
  }
  for (const routes of [orderEntryRoutes, orderChangeRoutes, gttRoutes])
    app.route('/api/v1', routes(orderParts))
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

  // A route belongs to one group: those above have had their own limit.
  app.use('/api/v1/*', limit(config.API_RATE_LIMIT))
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
    bookRoutes({
      identity,
      books: service.books,
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
      books: service.books,
      margins: service.margins,
      analyzer,
      setAnalyzeMode: (on, by) => modeSwitch.set(on, by),
      log: logRequest,
    }),
  )

  app.route(
    '/setup',
    setupRoutes({ identity, limitLogin, trustProxyHeaders: trustProxy, setupToken: daemon.setupToken }),
  )
  app.route(
    '/auth',
    authRoutes({
      ...guardOptions,
      limitLogin,
      describe: (username) => describeUser(service, username),
      issueTicket: (principal) => tickets.issue(principal),
    }),
  )

  for (const prefix of [
    '/apikey',
    '/settings',
    '/action-center',
    '/orders',
    '/risk',
    '/broker',
    '/sandbox',
    '/status',
    '/api/websocket',
    '/search',
    '/flow/api',
  ]) {
    app.use(`${prefix}/*`, guard)
    if (!UNLIMITED.has(prefix)) app.use(`${prefix}/*`, limitSession)
  }
  app.use('/action-center/*', requireScopes('read', 'approvals'))
  app.use('/action-center/*', (c, next) => (c.req.path.endsWith('/count') ? next() : limitSession(c, next)))
  app.route(
    '/action-center',
    actionCenterRoutes({ approvals: service.approvals, lastPrices: (refs) => lastPrices(service, refs) }),
  )
  app.route('/apikey', apiKeyRoutes({ identity }))
  app.route(
    '/settings',
    settingsRoutes({
      analyzeMode: () => service.mode() === 'analyze',
      setAnalyzeMode: (on, by) => modeSwitch.set(on, by),
    }),
  )
  app.route('/orders/journal', journalRoutes({ journal: service.journal, reconciler: service.reconciler }))
  app.route(
    '/risk',
    riskRoutes({
      risk: service.risk,
      announce: (engaged, reason, by) => bus.publish('kill_switch', { engaged, reason, by }),
    }),
  )
  app.route(
    '/broker',
    brokerRoutes({
      brokers: service.brokers,
      describe: () => describeBroker(service),
      use: (broker) => useBroker(service, broker),
      login: (credentials) => signInToBroker(service, credentials),
      syncFromBroker: () => syncFromBroker(service),
      syncFromDump: (text) => syncFromDump(service, text),
      faults: daemon.faults,
    }),
  )
  app.route(
    '/api/websocket',
    websocketRoutes({
      clock,
      hub: service.hub,
      identity,
      stream: daemon.marketStream,
      feed: () => service.feedWatch.state(),
      url: () => daemon.wsUrl,
      clients: () => daemon.marketClients(),
      uptimeMs: () => daemon.uptimeMs(),
      trustProxyHeaders: trustProxy,
    }),
  )
  app.route('/search', searchRoutes({ instruments: service.instruments, clock }))
  const apiKeyOf = (username: string) => identity.apiKeys.reveal(username)
  app.route('/flow/api', flowRoutes({ flows: service.flows, clock, apiKeyOf, baseUrl: () => daemon.url }))
  app.route(
    '/flow/api',
    flowFileRoutes({ flows: service.flows, apiKeyOf, ...lotSizes(service.instruments.directory, clock) }),
  )
  app.route(
    '/flow/webhook',
    flowWebhookRoutes({
      flows: service.flows,
      fallbackKey: (c) => {
        const session = sessionOfCookie(c, guardOptions)
        return (session && apiKeyOf(session.username)) ?? config.SVC_API_KEY
      },
    }),
  )
  app.route('/sandbox', sandboxRoutes({ sandbox: service.sandbox, clock }))
  app.get('/status', requireScope('read'), async (c) =>
    c.json({ status: 'success', data: await describeStatus(daemon, c.get('principal').username) }),
  )
  return app
}

/** Health, and nothing else, is answered before recovery is over and after the stop has begun. */
function requireReady(daemon: Daemon): Check {
  return (c) => {
    if (!daemon.ready() && !c.req.path.startsWith('/health/') && c.req.path !== '/version') {
      throw new ServiceError('unavailable', 'The service is starting or stopping.', { retryAfterSeconds: 1 })
    }
  }
}

/** Prefixes whose routes have no limit, or one of their own (specification, "Rate limits"). */
const UNLIMITED = new Set(['/action-center', '/search', '/flow/api'])

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** The methods a path has routes for: tells a wrong method (405) from a wrong path (404). */
function methodsOf(app: Hono<AppEnv>, path: string): string[] {
  return METHODS.filter((method) => {
    const [matches] = app.router.match(method, path)
    return matches.some(([[, route]]) => route.method === method)
  })
}
