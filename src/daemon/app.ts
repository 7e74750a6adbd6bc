import { type Context, Hono } from 'hono'
import { ServiceError } from '../core/errors/index.js'
import { AuditSeam } from './audit/seam.js'
import type { Daemon } from './daemon.js'
import { callOf } from './http/client.js'
import { requireAllowedHost } from './http/door/allowed-hosts.js'
import { countMissingPaths } from './http/door/missing-paths.js'
import { errorResponse } from './http/response/errors.js'
import { CachingRouter, pathOf } from './http/router.js'
import { unavailablePage } from './http/unavailable-pages.js'
import { InvalidKey } from './middleware/api-key.js'
import { type Check, requestBasics } from './middleware/basics.js'
import { cors } from './middleware/cors.js'
import { sessionGuard } from './middleware/session.js'
import { METHODS } from './operations/facts.js'
import type { AppEnv } from './process/env.js'
import { allowAssistantPages, assistantHandlers } from './surface/assistants.js'
import { dataCallsOf } from './surface/data-calls.js'
import { handlersOf } from './surface/handlers.js'
import { limitsOf } from './surface/limits.js'
import { mountOperations, type ReadRequest } from './surface/mount.js'
import { pagePartsOf } from './surface/pages.js'
import { recordReadRequest } from './surface/trading.js'

/** Prefixes of routes for signed-in callers. Other callers cannot find out which paths exist there. */
const GUARDED = [
  '/apikey',
  '/settings',
  '/action-center',
  '/orders',
  '/risk',
  '/broker',
  '/sandbox',
  '/pnltracker',
  '/logs',
  '/analyzer',
  '/status',
  '/api/websocket',
  '/search',
  '/latency',
  '/traffic',
  '/flow/api',
  '/auth',
  '/security',
  '/audit',
  '/admin',
]

/** The HTTP surface: middleware, then every row of the table of operations. */
export function createApp(daemon: Daemon): Hono<AppEnv> {
  const { service } = daemon
  const { config, log } = service
  const errorParts = { log, proxies: daemon.proxies }

  const app = new Hono<AppEnv>({ getPath: pathOf, router: new CachingRouter() })
  app.use(
    '*',
    requestBasics(
      () => daemon.newRequestId(),
      [requireAllowedHost(daemon.allowedHosts), requireReady(daemon)],
    ),
  )
  app.onError((error, c) => {
    if (error instanceof InvalidKey) daemon.door.addInvalidKey(callOf(c), error.apikey)
    return errorResponse(c, error, errorParts)
  })
  app.notFound((c) => {
    const allowed = methodsOf(app, c.req.path)
    if (allowed.length > 0) {
      c.header('Allow', allowed.join(', '))
      return errorResponse(
        c,
        new ServiceError('method_not_allowed', `Use ${allowed.join(' or ')} here`),
        errorParts,
      )
    }
    const { path } = c.req
    const text = unavailablePage(path) ?? 'Not found'
    return errorResponse(c, new ServiceError('not_found', text, { extra: { path } }), errorParts)
  })
  // Only where the API key is the credential: a page must never act with the cookie of its visitor.
  if (config.CORS_ENABLED) app.use('/api/v1/*', cors(config))
  const guardOptions = { identity: service.identity, cookieName: config.SESSION_COOKIE_NAME }
  const guard = sessionGuard(guardOptions)
  const limits = limitsOf(daemon)
  const { identity } = service
  const recordRead = (read: ReadRequest) => recordReadRequest(service, read)
  const dataCalls = dataCallsOf(service)
  const audit = new AuditSeam(daemon)
  const pages = pagePartsOf(service)
  const mounted = { service: daemon.running, identity, guard, limits, pages, recordRead, dataCalls, audit }
  allowAssistantPages(app, daemon)
  const handlers = handlersOf(daemon, guardOptions)
  mountOperations(app, { ...handlers, ...assistantHandlers(daemon, handlers, mounted) }, mounted)
  // After all routes, so these requests have no route. The 404 is rate-limited, and below these prefixes only
  // signed-in callers get it.
  app.use('/api/v1/*', limits('api'))
  const isKnownPath = (c: Context<AppEnv>) =>
    unavailablePage(c.req.path) !== undefined || methodsOf(app, c.req.path).length > 0
  const isGuarded = (path: string) => GUARDED.some((prefix) => path.startsWith(`${prefix}/`))
  app.use('*', countMissingPaths(daemon, { ...guardOptions, isKnownPath, isGuarded }))
  for (const prefix of GUARDED) app.use(`${prefix}/*`, guard)
  return app
}

/** Refuses every request but health checks before recovery has finished and after the stop has begun. */
function requireReady(daemon: Daemon): Check {
  return (c) => {
    if (!daemon.ready() && !c.req.path.startsWith('/health/') && c.req.path !== '/version') {
      throw new ServiceError('unavailable', 'The service is starting or stopping.', { retryAfterSeconds: 1 })
    }
  }
}

/** Returns the methods a path has routes for, to distinguish a wrong method (405) from a wrong path (404). */
function methodsOf(app: Hono<AppEnv>, path: string): string[] {
  return METHODS.filter((method) => {
    const [matches] = app.router.match(method, path)
    return matches.some(([[, route]]) => route.method === method)
  })
}
