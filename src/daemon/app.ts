import { type Context, Hono } from 'hono'
import type { Config } from '../core/config/index.js'
import { ServiceError } from '../core/errors/index.js'
import type { Daemon } from './daemon.js'
import { requireAllowedHost } from './http/admission/allowed-hosts.js'
import { countMissingPaths } from './http/admission/missing-paths.js'
import { callOf } from './http/client.js'
import { errorResponse } from './http/response/errors.js'
import { CachingRouter, pathOf } from './http/router.js'
import type { AssistantService } from './mcp/assistants.js'
import { ASSISTANT_OPERATIONS } from './mcp/operations.js'
import { InvalidKey } from './middleware/api-key.js'
import { type Check, requestBasics } from './middleware/basics.js'
import { cors } from './middleware/cors.js'
import { sessionGuard, sessionOptions } from './middleware/session.js'
import { cached, openApiDocument } from './openapi/index.js'
import { ALL_OPERATION_LIST } from './operations/all.js'
import { METHODS } from './operations/facts.js'
import { OPERATION_LIST } from './operations/index.js'
import { type NamedOperation, operationList } from './operations/named.js'
import { pageSteps } from './pages/index.js'
import { showingMissing } from './pages/missing.js'
import type { AppEnv } from './process/env.js'
import { allowAssistantPages, assistantsOf } from './routing/assistants.js'
import { CallRecords } from './routing/call-records.js'
import { limitsOf } from './routing/limits.js'
import { mountOperations } from './routing/mount.js'
import { VERSION } from './version.js'

/** Pages that existing installations link to and that have no content, with the page that replaces them. */
const UNAVAILABLE: ReadonlyMap<string, string> = new Map([
  ['/pnltracker/legacy', '/pnl-tracker'],
  ['/test_chart', '/pnl-tracker'],
])

/** Returns the text of the 404 for such a page; undefined for any other path. */
function unavailablePage(path: string): string | undefined {
  const page = UNAVAILABLE.get(path)
  return page && `This page is registered but unavailable. Open ${page} instead.`
}

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
  const errorParts = { log, proxies: daemon.proxies, requests: service.requests }

  const app = new Hono<AppEnv>({ getPath: pathOf, router: new CachingRouter() })
  app.use(
    '*',
    requestBasics(
      () => daemon.newRequestId(),
      [requireAllowedHost(daemon.allowedHosts), requireReady(daemon)],
    ),
  )
  app.onError((error, c) => {
    if (error instanceof InvalidKey) daemon.clientBans.addInvalidKey(callOf(c), error.apikey)
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
  const guardOptions = sessionOptions(service)
  const guard = sessionGuard(guardOptions)
  const limits = limitsOf(daemon)
  const records = new CallRecords(daemon)
  const steps = {
    pages: (operation: NamedOperation) => pageSteps(operation, service),
    guard,
    limits,
    records,
  }
  daemon.attachApiReference(apiReference(config))
  allowAssistantPages(app, daemon)
  mountOperations(app, OPERATION_LIST, daemon.running, steps)
  const assistants = assistantsOf(daemon.running, records)
  const withAssistants: AssistantService = { ...daemon.running, assistants }
  mountOperations(app, operationList(ASSISTANT_OPERATIONS), withAssistants, steps)
  // After all routes, so these requests have no route.
  app.use('*', showingMissing(service, guardOptions))
  // The 404 is rate-limited, and below these prefixes only
  // signed-in callers get it.
  app.use('/api/v1/*', limits('api'))
  const isKnownPath = (c: Context<AppEnv>) =>
    unavailablePage(c.req.path) !== undefined || methodsOf(app, c.req.path).length > 0
  const isGuarded = (path: string) => GUARDED.some((prefix) => path.startsWith(`${prefix}/`))
  app.use('*', countMissingPaths(daemon, { ...guardOptions, isKnownPath, isGuarded }))
  for (const prefix of GUARDED) app.use(`${prefix}/*`, guard)
  return app
}

/** Returns what makes the OpenAPI document as JSON. It is made for the first request, so that the start does not wait for it. */
function apiReference({ SESSION_COOKIE_NAME: cookieName }: Config): () => Promise<string> {
  return cached(async () =>
    JSON.stringify(await openApiDocument(ALL_OPERATION_LIST, { version: VERSION, cookieName })),
  )
}

/** Refuses every request but health checks before recovery has finished and after the stop has begun. */
function requireReady(daemon: Daemon): Check {
  return (c) => {
    if (!daemon.ready() && !/^\/(health(\/.*)?|version)$/.test(c.req.path)) {
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
