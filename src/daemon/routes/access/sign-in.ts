import type { Context } from 'hono'
import { deleteCookie, getCookie } from 'hono/cookie'
import { accountRules } from '../../../core/identity/index.js'
import { parseWith } from '../../../core/validation/index.js'
import type { UserDescription } from '../../describe.js'
import { readJsonOrForm } from '../../http/body/body.js'
import type { TrustedProxies } from '../../http/client.js'
import { refuseCrossSite } from '../../http/door/cross-site.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { callerOf, type SessionGuardOptions, tokenOf } from '../../middleware/session.js'
import { loginCodePayload, loginPayload } from '../../operations/access/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { answerSignedIn, senderOf, setSecretCookie } from './signed-in.js'

export interface SignInParts extends SessionGuardOptions {
  proxies: TrustedProxies
  /** Returns a user's mode, broker and order mode, for "who am I". */
  describe(username: string): UserDescription
  /** Connects the broker with its stored session if it is not connected; returns its id when that succeeded. */
  resumeBroker(): Promise<string | undefined>
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

/** The only path to which browsers send the cookie of a pending sign-in. */
const CODE_PATH = '/auth/login/totp'

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
    'POST /auth/login/totp': httpHandler((c) => signInWithCode(c, parts)),
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

async function signIn(c: Context<AppEnv>, parts: SignInParts) {
  const { identity, cookieName, proxies, resumeBroker } = parts
  refuseCrossSite(c)
  const { username, password } = parseWith(loginPayload, await readJsonOrForm(c))
  const result = await identity.signIn({ username, password, resumeBroker, ...senderOf(c, proxies) })
  if (!result.totpRequired) return answerSignedIn(c, parts, result)
  const { pendingToken } = result
  const expires = new Date(result.expiresAt)
  const cookie = { name: pendingCookieOf(cookieName), value: pendingToken, path: CODE_PATH, expires }
  setSecretCookie(c, proxies, cookie)
  return c.json({ ...CODE_WANTED, login_token: pendingToken, expires_at: expires.toISOString() })
}

/** Completes a sign-in. A browser names it by its cookie, any other client by the token of the first answer. */
async function signInWithCode(c: Context<AppEnv>, parts: SignInParts) {
  const { identity, proxies, resumeBroker } = parts
  refuseCrossSite(c)
  const cookieName = pendingCookieOf(parts.cookieName)
  const { totp_code: code, login_token: given } = parseWith(loginCodePayload, await readJsonOrForm(c))
  const token = given ?? getCookie(c, cookieName) ?? ''
  const signedIn = await identity.signInWithCode({ token, code, resumeBroker, ...senderOf(c, proxies) })
  deleteCookie(c, cookieName, { path: CODE_PATH })
  return answerSignedIn(c, parts, signedIn)
}

/** The name of the cookie that holds a pending sign-in, which is not a session. */
const pendingCookieOf = (cookieName: string) => `${cookieName}_login`
