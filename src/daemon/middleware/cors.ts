import type { Context, MiddlewareHandler } from 'hono'
import type { Config } from '../../core/config/index.js'
import type { AppEnv } from '../process/env.js'

type CorsSettings = Pick<Config, Extract<keyof Config, `CORS_${string}`>>

/**
 * Lets pages of the allowed origins read the answers, errors included, and answers their preflight requests. A
 * page of another origin gets no CORS header, so its browser keeps the answer from it.
 */
export function cors(settings: CorsSettings): MiddlewareHandler<AppEnv> {
  const {
    CORS_ALLOWED_ORIGINS: allowed,
    CORS_ALLOW_CREDENTIALS: credentials,
    CORS_EXPOSED_HEADERS: exposed,
  } = settings
  return async function cors(c, next) {
    // Caches must not give the answer for one origin to a page of another.
    if (allowed !== '*') c.header('Vary', 'Origin')
    const origin = c.req.header('origin')
    if (origin === undefined || (allowed !== '*' && !allowed?.includes(origin))) return next()
    c.header('Access-Control-Allow-Origin', allowed === '*' ? '*' : origin)
    if (credentials && allowed !== '*') c.header('Access-Control-Allow-Credentials', 'true')
    if (isPreflight(c)) return answerPreflight(c, settings)
    if (exposed) c.header('Access-Control-Expose-Headers', exposed.join(', '))
    return next()
  }
}

/** Returns whether a browser asks if a page may send a request. */
function isPreflight(c: Context<AppEnv>): boolean {
  return c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined
}

function answerPreflight(c: Context<AppEnv>, settings: CorsSettings): Response {
  c.header('Access-Control-Allow-Methods', settings.CORS_ALLOWED_METHODS.join(', '))
  c.header('Access-Control-Allow-Headers', settings.CORS_ALLOWED_HEADERS.join(', '))
  c.header('Access-Control-Max-Age', String(settings.CORS_MAX_AGE))
  return c.body(null, 200)
}
