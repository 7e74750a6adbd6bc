import type { Hono } from 'hono'
import type { Daemon } from '../daemon.js'
import { describeBroker, describeStatus, describeUser } from '../describe.js'
import type { AppEnv } from '../env.js'
import { signInToBroker, syncFromBroker, syncFromDump, useBroker } from '../instrument-loading.js'
import { lastPrices } from '../last-prices.js'
import { requireScope, requireScopes, type SessionGuardOptions, sessionGuard } from '../middleware/session.js'
import type { ModeSwitch } from '../mode.js'
import { actionCenterRoutes } from '../routes/action-center.js'
import { apiKeyRoutes } from '../routes/api-key.js'
import { authRoutes } from '../routes/auth.js'
import { brokerRoutes } from '../routes/broker.js'
import { journalRoutes } from '../routes/journal.js'
import { riskRoutes } from '../routes/risk.js'
import { sandboxRoutes } from '../routes/sandbox.js'
import { searchRoutes } from '../routes/search.js'
import { settingsRoutes } from '../routes/settings.js'
import { setupRoutes } from '../routes/setup.js'
import { websocketRoutes } from '../routes/websocket.js'
import { limitsOf } from './limits.js'

/** How somebody gets in: the first user's setup, and signing in. */
export function mountDoor(app: Hono<AppEnv>, daemon: Daemon, guardOptions: SessionGuardOptions): void {
  const { proxies, service, tickets } = daemon
  const { config, identity } = service
  const limitLogin = limitsOf(daemon)(config.LOGIN_RATE_LIMIT_MIN, config.LOGIN_RATE_LIMIT_HOUR)
  app.route('/setup', setupRoutes({ identity, limitLogin, setupToken: daemon.setupToken }))
  app.route(
    '/auth',
    authRoutes({
      ...guardOptions,
      proxies,
      limitLogin,
      describe: (username) => describeUser(service, username),
      issueTicket: (principal) => tickets.issue(principal),
    }),
  )
}

/** Prefixes behind the session guard. */
const GUARDED = [
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
]

/** Prefixes whose routes have no limit, or one of their own (specification, "Rate limits"). */
const UNLIMITED = new Set(['/action-center', '/search', '/flow/api'])

/** What a signed-in user does: by cookie or by token. */
export function mountSession(
  app: Hono<AppEnv>,
  daemon: Daemon,
  guardOptions: SessionGuardOptions,
  modeSwitch: ModeSwitch,
): void {
  guardPrefixes(app, daemon, guardOptions)
  mountDesk(app, daemon, modeSwitch)
  mountOperations(app, daemon)
}

function guardPrefixes(app: Hono<AppEnv>, daemon: Daemon, guardOptions: SessionGuardOptions): void {
  const guard = sessionGuard(guardOptions)
  const limitSession = limitsOf(daemon)(daemon.service.config.API_RATE_LIMIT)
  for (const prefix of GUARDED) {
    app.use(`${prefix}/*`, guard)
    if (!UNLIMITED.has(prefix)) app.use(`${prefix}/*`, limitSession)
  }
  app.use('/action-center/*', requireScopes('read', 'approvals'))
  app.use('/action-center/*', (c, next) => (c.req.path.endsWith('/count') ? next() : limitSession(c, next)))
}

/** Approvals, and what is set about orders. */
function mountDesk(app: Hono<AppEnv>, { service }: Daemon, modeSwitch: ModeSwitch): void {
  const { bus, identity } = service
  app.route(
    '/action-center',
    actionCenterRoutes({
      approvals: service.approvals,
      clock: service.clock,
      lastPrices: (refs) => lastPrices(service, refs),
    }),
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
}

/** Brokers, streams, symbols, the simulated account and how the service is. */
function mountOperations(app: Hono<AppEnv>, daemon: Daemon): void {
  const { service } = daemon
  const { clock, identity } = service
  app.route(
    '/broker',
    brokerRoutes({
      brokers: service.brokers,
      describe: () => describeBroker(service),
      use: (broker) => useBroker(service, broker),
      login: (credentials) => signInToBroker(service, credentials),
      syncFromBroker: (force) => syncFromBroker(service, force),
      syncFromDump: (text, force) => syncFromDump(service, text, force),
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
      proxies: daemon.proxies,
    }),
  )
  app.route('/search', searchRoutes({ instruments: service.instruments, clock }))
  app.route('/sandbox', sandboxRoutes({ sandbox: service.sandbox, clock, risk: service.risk }))
  app.get('/status', requireScope('read'), async (c) =>
    c.json({ status: 'success', data: await describeStatus(daemon, c.get('principal').username) }),
  )
}
