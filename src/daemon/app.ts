import { Hono } from 'hono'
import { ServiceError } from '../core/errors/index.js'
import type { Daemon } from './daemon.js'
import type { AppEnv } from './env.js'
import { errorResponse } from './http/errors.js'
import { requireOwnHost } from './http/own-host.js'
import { pathOf, RememberingRouter } from './http/router.js'
import { type Check, requestBasics } from './middleware/basics.js'
import { ModeSwitch } from './mode.js'
import { docsRoutes } from './routes/docs.js'
import { healthRoutes } from './routes/health.js'
import { mountApi } from './surface/api.js'
import { mountFlow } from './surface/flow.js'
import { mountDoor, mountSession } from './surface/session.js'
import { VERSION } from './version.js'

/** The HTTP surface: middleware, then one small app for each prefix. Routes parse, call the core and reply. */
export function createApp(daemon: Daemon): Hono<AppEnv> {
  const { service } = daemon
  const { config, log } = service

  const app = new Hono<AppEnv>({ getPath: pathOf, router: new RememberingRouter() })
  app.use(
    '*',
    requestBasics(() => daemon.newRequestId(), [requireOwnHost(daemon.ownHosts), requireReady(daemon)]),
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
    healthRoutes({
      version: VERSION,
      ready: () => daemon.ready() && daemon.missingFile() === undefined,
      checks: () => daemon.checks(),
    }),
  )

  app.route('/', docsRoutes({ version: VERSION, cookieName: config.SESSION_COOKIE_NAME }))

  const modeSwitch = new ModeSwitch(service)
  const guardOptions = { identity: service.identity, cookieName: config.SESSION_COOKIE_NAME }
  mountApi(app, daemon, modeSwitch)
  mountDoor(app, daemon, guardOptions)
  mountSession(app, daemon, guardOptions, modeSwitch)
  mountFlow(app, daemon, guardOptions)
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

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** The methods a path has routes for: tells a wrong method (405) from a wrong path (404). */
function methodsOf(app: Hono<AppEnv>, path: string): string[] {
  return METHODS.filter((method) => {
    const [matches] = app.router.match(method, path)
    return matches.some(([[, route]]) => route.method === method)
  })
}
