import type { Context, MiddlewareHandler } from 'hono'
import { getCookie } from 'hono/cookie'
import type { Config } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import { allows, type Identity, type Principal, type Scope, type Session } from '../../core/identity/index.js'
import { noteCaller } from '../http/request.js'
import { HttpRefusal } from '../http/response/error-status.js'
import type { AppEnv } from '../process/env.js'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The `error` of a request whose token does not belong to its session. */
export const CSRF_FAILED = 'CSRF validation failed'

const SESSION_ENDED = 'Your session has expired. Please log in again.'

export interface SessionGuardOptions {
  identity: Identity
  cookieName: string
}

/** Returns what finds the session of a request, from the parts of the service. */
export function sessionOptions({
  config,
  identity,
}: {
  config: Pick<Config, 'SESSION_COOKIE_NAME'>
  identity: Identity
}): SessionGuardOptions {
  return { identity, cookieName: config.SESSION_COOKIE_NAME }
}

interface Caller {
  principal: Principal
  session: Session | undefined
}

/**
 * Refuses a caller who is not signed in. A session cookie is accepted, but then writes need the session's
 * CSRF token. A bearer token (a session's own, or a personal access token) needs none: no other site can make
 * a browser send it.
 */
export function sessionGuard(options: SessionGuardOptions): MiddlewareHandler<AppEnv> {
  return async function sessionGuard(c, next) {
    const caller = callerOf(c, options)
    if (!caller) throw unauthenticated()
    c.set('principal', caller.principal)
    c.set('session', caller.session)
    noteCaller(c, caller.principal.username)
    await next()
  }
}

/** Refuses a credential that has none of the given scopes. A password session has all scopes. */
export function requireScope(...anyOf: Scope[]): MiddlewareHandler<AppEnv> {
  return async function requireScope(c, next) {
    requireAnyScope(c.get('principal'), ...anyOf)
    await next()
  }
}

/** @throws ServiceError `forbidden` for a credential that has none of the given scopes */
export function requireAnyScope(principal: Principal, ...anyOf: Scope[]): void {
  if (allows(principal, ...anyOf)) return
  throw new ServiceError('forbidden', `This token lacks the scope: ${anyOf.join(' or ')}`)
}

export function callerOf(c: Context<AppEnv>, options: SessionGuardOptions): Caller | undefined {
  const bearer = bearerOf(c)
  if (bearer !== undefined) return callerOfToken(bearer, options.identity)
  const session = sessionOfCookie(c, options)
  if (!session) return undefined
  if (!SAFE_METHODS.has(c.req.method)) requireCsrf(c, session, options.identity)
  return { principal: session.principal, session }
}

/** Returns the token that a caller presents, without checking it. Empty when there is none. */
export function tokenOf(c: Context<AppEnv>, { cookieName }: Pick<SessionGuardOptions, 'cookieName'>): string {
  return bearerOf(c) ?? getCookie(c, cookieName) ?? ''
}

export function bearerOf(c: Context<AppEnv>): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
}

/** Returns the session of a caller's cookie. It identifies the caller; a write also needs the CSRF token. */
export function sessionOfCookie(c: Context<AppEnv>, options: SessionGuardOptions): Session | undefined {
  const cookie = getCookie(c, options.cookieName)
  return cookie ? options.identity.sessions.verify(cookie) : undefined
}

export function callerOfToken(token: string, identity: Identity): Caller | undefined {
  const session = identity.sessions.verify(token)
  if (session) return { principal: session.principal, session }
  const principal = identity.tokens.verify(token)
  return principal && { principal, session: undefined }
}

function requireCsrf(c: Context<AppEnv>, session: Session, identity: Identity): void {
  const token = c.req.header('x-csrf-token') ?? c.req.header('x-csrftoken') ?? ''
  if (identity.sessions.csrfMatches(session, token)) return
  throw new HttpRefusal(
    'forbidden',
    'CSRF validation failed: send the token of GET /auth/csrf-token as X-CSRF-Token',
    400,
    { extra: { error: CSRF_FAILED } },
  )
}

export function unauthenticated(): ServiceError {
  return new ServiceError('unauthenticated', SESSION_ENDED, { extra: { error: 'session_expired' } })
}
