import { Hono } from 'hono'
import { ServiceError } from '../core/errors/index.js'
import type { Daemon } from './daemon.js'
import { describeBroker, describeStatus, describeUser } from './describe.js'
import type { AppEnv } from './env.js'
import { errorResponse } from './http/errors.js'
import { isOnLoopback, requireOwnHost } from './http/own-host.js'
import { signInToBroker, syncFromBroker, syncFromDump, useBroker } from './instrument-loading.js'
import { lastPrices } from './last-prices.js'
import { requestBasics } from './middleware/basics.js'
import { MovingWindowLimiter, rateLimit } from './middleware/rate-limit.js'
import { requireScope, requireScopes, sessionGuard } from './middleware/session.js'
import { ModeSwitch } from './mode.js'
import { actionCenterRoutes } from './routes/action-center.js'
import { apiKeyRoutes } from './routes/api-key.js'
import { authRoutes, setupRoutes } from './routes/auth.js'
import { bookRoutes } from './routes/books.js'
import { brokerRoutes } from './routes/broker.js'
import { healthRoutes } from './routes/health.js'
import { journalRoutes } from './routes/journal.js'
import { placeOrderRoutes } from './routes/place-order.js'
import { riskRoutes } from './routes/risk.js'
import { sandboxRoutes } from './routes/sandbox.js'
import { settingsRoutes } from './routes/settings.js'
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

  const app = new Hono<AppEnv>({ strict: false })
  app.use(
    '*',
    requestBasics(() => daemon.newRequestId()),
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
  if (isOnLoopback(config)) app.use('*', requireOwnHost())
  app.use('*', async (c, next) => {
    // Health, and nothing else, is answered before recovery is over and after the stop has begun.
    if (!daemon.ready() && !c.req.path.startsWith('/health/') && c.req.path !== '/version') {
      throw new ServiceError('unavailable', 'The service is starting or stopping.', { retryAfterSeconds: 1 })
    }
    await next()
  })

  app.get('/version', (c) => c.json({ status: 'success', name: 'svc', version: VERSION }))
  app.route(
    '/health',
    healthRoutes({ version: VERSION, ready: () => daemon.ready(), checks: () => daemon.checks() }),
  )

  app.use('/api/v1/placeorder', limit(config.ORDER_RATE_LIMIT))
  app.route(
    '/api/v1/placeorder',
    placeOrderRoutes({
      identity,
      desk: service.desk,
      monotonic: () => clock.monotonic(),
      recordLatency: ({ symbol, answer, totalMs }) =>
        service.latency.record({
          orderType: 'PLACE',
          orderId: answer.body.orderid === undefined ? undefined : String(answer.body.orderid),
          broker: service.mode() === 'analyze' ? 'sandbox' : service.brokers.brokerId,
          symbol,
          totalMs,
          httpStatus: answer.status,
          error: answer.code === 'ok' ? undefined : answer.body.message,
        }),
    }),
  )
  app.use('/api/v1/*', limit(config.API_RATE_LIMIT))
  app.route(
    '/api/v1',
    bookRoutes({
      identity,
      books: service.books,
      brokerId: () => service.brokers.brokerId,
      analyzer: async () => ({
        mode: service.mode(),
        analyze_mode: service.mode() === 'analyze',
        total_logs: await service.orderLogs.count('analyze', {}),
      }),
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
  ]) {
    app.use(`${prefix}/*`, guard)
    if (prefix !== '/action-center') app.use(`${prefix}/*`, limitSession)
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
  app.route('/sandbox', sandboxRoutes({ sandbox: service.sandbox }))
  app.get('/status', requireScope('read'), async (c) =>
    c.json({ status: 'success', data: await describeStatus(daemon, c.get('principal').username) }),
  )
  return app
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** The methods a path has routes for: tells a wrong method (405) from a wrong path (404). */
function methodsOf(app: Hono<AppEnv>, path: string): string[] {
  return METHODS.filter((method) => {
    const [matches] = app.router.match(method, path)
    return matches.some(([[, route]]) => route.method === method)
  })
}
