import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import { accountRules } from '../../../core/identity/index.js'
import { parseWith } from '../../../core/validation/index.js'
import type { UserDescription } from '../../describe.js'
import { readJsonOrForm } from '../../http/body/body.js'
import {
  callOf,
  isLocalCall,
  isOverTls,
  ownAddress,
  shownAddress,
  type TrustedProxies,
} from '../../http/client.js'
import { refuseCrossSite } from '../../http/cross-site.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { callerOf, type SessionGuardOptions, tokenOf } from '../../middleware/session.js'
import { loginPayload } from '../../operations/payloads/access.js'
import type { AppEnv } from '../../process/env.js'

export interface SignInParts extends SessionGuardOptions {
  proxies: TrustedProxies
  /** Returns a user's mode, broker and order mode, for "who am I". */
  describe(username: string): UserDescription
}

const NOT_SIGNED_IN = {
  status: 'success',
  message: 'Not authenticated',
  authenticated: false,
  logged_in: false,
}
const CODE_WANTED = {
  status: 'totp_required',
  message: 'Enter the 6-digit code from your authenticator app.',
}

/** Returns the handlers that sign in, sign out and report the session. The caller may have no session. */
export function signInHandlers(parts: SignInParts) {
  const { identity } = parts
  const loggedOut = (c: Context<AppEnv>) => {
    deleteCookie(c, parts.cookieName, { path: '/' })
    return c.json({ status: 'success', message: 'Logged out successfully' })
  }
  return {
    'GET /auth/check-setup': () => {
      const { needsSetup } = identity.users
      return { status: 'success', needs_setup: needsSetup, ...(needsSetup && { rules: accountRules() }) }
    },
    'POST /auth/login': httpHandler((c) => signIn(c, parts)),
    'GET /auth/session-status': httpHandler((c) => {
      const caller = callerOf(c, parts)
      if (!caller) return c.json(NOT_SIGNED_IN)
      const user = caller.principal.username
      return c.json({
        status: 'success',
        authenticated: true,
        logged_in: true,
        user,
        ...parts.describe(user),
        active_sessions: identity.sessions.list(user).length,
      })
    }),
    'POST /auth/logout': httpHandler(
      async (c) => {
        const session = c.get('session')
        if (session) await identity.sessions.revoke(session.username, session.id, 'logout')
        return loggedOut(c)
      },
      // An earlier sign-out ended the session but failed to store that. The caller who retries has no session
      // any more, so the end is stored before the guard.
      async (c) => ((await identity.sessions.settleEndOf(tokenOf(c, parts))) ? loggedOut(c) : undefined),
    ),
  } satisfies Partial<Handlers>
}

async function signIn(c: Context<AppEnv>, { identity, cookieName, proxies }: SignInParts) {
  refuseCrossSite(c)
  const { username, password } = parseWith(loginPayload, await readJsonOrForm(c))
  const call = callOf(c)
  const result = await identity.signIn({
    username,
    password,
    ipAddress: shownAddress(call, proxies),
    deviceInfo: c.req.header('user-agent'),
    ownAddress: ownAddress(call, proxies),
    isLocal: isLocalCall(c),
  })
  if (result.totpRequired) return c.json(CODE_WANTED)
  const expires = new Date(result.session.expiresAt)
  const secure = isOverTls(c, proxies)
  setCookie(c, cookieName, result.token, { httpOnly: true, sameSite: 'Lax', path: '/', expires, secure })
  return c.json({
    status: 'success',
    token: result.token,
    csrf_token: result.csrfToken,
    username: result.session.username,
    expires_at: expires.toISOString(),
  })
}
