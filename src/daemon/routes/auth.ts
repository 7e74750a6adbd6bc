import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import { type Identity, SCOPES, type Scope } from '../../core/identity/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson, readJsonOrForm } from '../http/body.js'
import { clientAddress, isOverTls } from '../http/client.js'
import { isLocalHost, isLoopback } from '../http/own-host.js'
import { callerOf, requireScope, sessionGuard, tokenOf, unauthenticated } from '../middleware/session.js'
import { SETUP_TOKEN_FILE, type SetupToken } from '../setup-token.js'

export interface AuthParts {
  identity: Identity
  cookieName: string
  trustProxyHeaders: boolean
  /** Mode, broker and order mode of a user, for "who am I". */
  describe(username: string): Record<string, unknown>
  issueTicket(principal: AppEnv['Variables']['principal']): string
  limitLogin: MiddlewareHandler<AppEnv>
}

export const setupBody = z.strictObject({
  username: fields.text(80),
  email: fields.text(120),
  password: fields.text(1024),
  confirm_password: fields.text(1024).optional(),
})
export const loginBody = z.strictObject({ username: fields.text(80), password: fields.text(1024) })
export const tokenBody = z.strictObject({
  name: fields.text(80),
  scopes: z
    .array(fields.oneOf(Object.keys(SCOPES) as [Scope, ...Scope[]]))
    .min(1, 'At least one scope is required.'),
  expires: fields.text(20).optional(),
})

/** Set-up, sign-in and what a signed-in user sees of their own credentials. */
export function authRoutes(parts: AuthParts): Hono<AppEnv> {
  const { identity } = parts
  const guard = sessionGuard(parts)
  const device = (c: Context<AppEnv>) => ({
    ipAddress: clientAddress(c, parts.trustProxyHeaders),
    deviceInfo: c.req.header('user-agent'),
  })

  const loggedOut = (c: Context<AppEnv>) => {
    deleteCookie(c, parts.cookieName, { path: '/' })
    return c.json({ status: 'success', message: 'Logged out successfully' })
  }

  return new Hono<AppEnv>()
    .get('/check-setup', (c) => c.json({ status: 'success', needs_setup: identity.users.needsSetup }))
    .post('/login', parts.limitLogin, async (c) => {
      refuseCrossSite(c)
      const result = await identity.signIn({ ...parseWith(loginBody, await readJsonOrForm(c)), ...device(c) })
      if (result.totpRequired) {
        return c.json({
          status: 'totp_required',
          message: 'Enter the 6-digit code from your authenticator app.',
        })
      }
      const expires = new Date(result.session.expiresAt)
      const secure = isOverTls(c, parts.trustProxyHeaders)
      setCookie(c, parts.cookieName, result.token, {
        httpOnly: true,
        sameSite: 'Lax',
        path: '/',
        expires,
        secure,
      })
      return c.json({
        status: 'success',
        token: result.token,
        csrf_token: result.csrfToken,
        username: result.session.username,
        expires_at: expires.toISOString(),
      })
    })
    .get('/session-status', (c) => {
      const caller = callerOf(c, parts)
      if (!caller) {
        return c.json({
          status: 'success',
          message: 'Not authenticated',
          authenticated: false,
          logged_in: false,
        })
      }
      const user = caller.principal.username
      return c.json({
        status: 'success',
        authenticated: true,
        logged_in: true,
        user,
        ...parts.describe(user),
        active_sessions: identity.sessions.list(user).length,
      })
    })
    .post('/logout', async (c, next) => {
      // Ended before, but not stored: who asks again has no session any more, and is owed the rest all the same.
      if (!(await identity.sessions.settleEndOf(tokenOf(c, parts)))) return next()
      return loggedOut(c)
    })
    .use('*', guard)
    .post('/logout', async (c) => {
      const session = c.get('session')
      if (session) await identity.sessions.revoke(session.username, session.id, 'logout')
      return loggedOut(c)
    })
    .get('/csrf-token', (c) => {
      const session = c.get('session')
      if (!session) throw unauthenticated()
      return c.json({ csrf_token: identity.sessions.csrfToken(session) })
    })
    .get('/whoami', (c) => {
      const { username, credential, scopes } = c.get('principal')
      const expiresAt = c.get('session')?.expiresAt
      return c.json({
        status: 'success',
        data: {
          username,
          kind: credential === 'session' ? 'session' : 'token',
          scopes,
          expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
          ...parts.describe(username),
        },
      })
    })
    .post('/ws-ticket', (c) => c.json({ status: 'success', ticket: parts.issueTicket(c.get('principal')) }))
    .get('/active-sessions', requireScope('read'), (c) => {
      const sessions = identity.sessions.list(c.get('principal').username)
      return c.json({
        status: 'success',
        count: sessions.length,
        current_session_id: c.get('session')?.id ?? null,
        sessions,
      })
    })
    .delete('/active-sessions/:id', requireScope('admin'), async (c) => {
      const ended = await identity.sessions.revoke(c.get('principal').username, c.req.param('id'))
      if (!ended) throw new ServiceError('not_found', 'Session not found')
      return c.json({ status: 'success', message: 'Session revoked' })
    })
    .get('/tokens', requireScope('admin'), (c) =>
      c.json({ status: 'success', data: identity.tokens.list(c.get('principal').username).map(tokenView) }),
    )
    .post('/tokens', requireScope('admin'), async (c) => {
      const wanted = parseWith(tokenBody, await readJson(c))
      const { token, ...created } = await identity.tokens.create(c.get('principal').username, wanted)
      return c.json({ status: 'success', token, data: tokenView(created) }, 201)
    })
    .delete('/tokens/:id', requireScope('admin'), async (c) => {
      const revoked = await identity.tokens.revoke(c.get('principal').username, Number(c.req.param('id')))
      if (!revoked) throw new ServiceError('not_found', 'Token not found')
      return c.json({ status: 'success', message: 'Token revoked' })
    })
}

export interface SetupParts extends Pick<AuthParts, 'identity' | 'limitLogin' | 'trustProxyHeaders'> {
  setupToken: SetupToken | undefined
}

/** First-run set-up: creates the one account and shows its API key once. */
export function setupRoutes(parts: SetupParts): Hono<AppEnv> {
  const { setupToken } = parts
  return new Hono<AppEnv>().post('/', parts.limitLogin, async (c) => {
    refuseCrossSite(c)
    if (
      !isFromHere(c, parts.trustProxyHeaders) &&
      !setupToken?.matches(c.req.header('x-setup-token') ?? '')
    ) {
      throw new ServiceError(
        'forbidden',
        `Setup from another machine needs the text of ${SETUP_TOKEN_FILE}, in the home of the service, as X-Setup-Token.`,
      )
    }
    const { confirm_password: _, ...account } = parseWith(setupBody, await readJsonOrForm(c))
    const { username, apiKey } = await parts.identity.users.setup(account)
    setupToken?.spend()
    const message = 'Setup complete. Keep the API key: it is shown only now.'
    return c.json({ status: 'success', message, username, apikey: apiKey }, 201)
  })
}

/** Whether the caller is on this machine, and not a proxy's guest from elsewhere. */
function isFromHere(c: Context<AppEnv>, trustProxyHeaders: boolean): boolean {
  const forwarded = !trustProxyHeaders && c.req.header('x-forwarded-for') !== undefined
  const local = isLoopback(clientAddress(c, trustProxyHeaders)) && isLocalHost(c.req.header('host'))
  return local && !forwarded
}

/** A page of another site must not sign a browser in (or set the service up) behind its user's back. */
function refuseCrossSite(c: Context<AppEnv>): void {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ServiceError('forbidden', 'Access Denied')
  }
}

function tokenView(token: {
  id: number
  name: string
  scopes: readonly Scope[]
  createdAt: number
  expiresAt: number | null
  lastUsedAt: number | null
  revokedAt: number | null
}) {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    created_at: iso(token.createdAt),
    expires_at: iso(token.expiresAt),
    last_used_at: iso(token.lastUsedAt),
    revoked_at: iso(token.revokedAt),
  }
}
