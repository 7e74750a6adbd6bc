import type { Context, MiddlewareHandler } from 'hono'
import { isObject } from '../../../core/validation/index.js'
import type { Daemon } from '../../daemon.js'
import {
  bearerOf,
  callerOfToken,
  type SessionGuardOptions,
  sessionOfCookie,
} from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'
import { readJson } from '../body/body.js'
import { callOf } from '../client.js'

/** The longest body that is searched for an API key. */
const MAX_BODY_BYTES = 65_536

interface Options extends SessionGuardOptions {
  /** Returns whether a path has a route, under any method. */
  isKnownPath(c: Context<AppEnv>): boolean
  /** Returns whether only sessions and tokens are accepted below a path, so that a key proves nothing there. */
  isGuarded(path: string): boolean
}

/**
 * Counts requests that no route answers against the address of the caller, unless the caller has a valid
 * credential: a mistyped address in a bot of the owner must not ban the owner.
 */
export function countMissingPaths({ clientBans }: Daemon, options: Options): MiddlewareHandler<AppEnv> {
  return async function countMissingPaths(c, next) {
    if (!options.isKnownPath(c) && !isSignedIn(c, options) && !(await hasApiKey(c, options))) {
      clientBans.addMissingPath(callOf(c), c.req.path)
    }
    await next()
  }
}

function isSignedIn(c: Context<AppEnv>, options: SessionGuardOptions): boolean {
  const bearer = bearerOf(c)
  const caller = bearer === undefined ? sessionOfCookie(c, options) : callerOfToken(bearer, options.identity)
  return caller !== undefined
}

async function hasApiKey(
  c: Context<AppEnv>,
  { identity: { apiKeys }, isGuarded }: Options,
): Promise<boolean> {
  if (isGuarded(c.req.path)) return false
  const apiKey = c.req.header('x-api-key') ?? (await keyInBody(c))
  return apiKey !== undefined && (await apiKeys.verify(apiKey).catch(() => undefined)) !== undefined
}

async function keyInBody(c: Context<AppEnv>): Promise<string | undefined> {
  if (c.req.method !== 'POST') return c.req.query('apikey')
  const body: unknown = await readJson(c, MAX_BODY_BYTES).catch(() => undefined)
  return isObject(body) && typeof body.apikey === 'string' ? body.apikey : undefined
}
