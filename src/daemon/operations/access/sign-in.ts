import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import type { SignedIn } from '../../../core/identity/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { noteAct } from '../../audit/note.js'
import { resumeBroker } from '../../broker/instrument-loading.js'
import type { RunningService } from '../../daemon.js'
import { refuseCrossSite } from '../../http/admission/cross-site.js'
import { readJsonOrForm } from '../../http/body/body.js'
import { senderOf } from '../../http/caller.js'
import { isOverTls, type TrustedProxies } from '../../http/client.js'
import { sessionOfCookie, sessionOptions } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'
import { instant, message, ok, text } from '../common/answers.js'
import { http, open } from '../running.js'

const anyone = open('Access')

/** The errors of both steps of a sign-in. */
const SIGN_IN_ERRORS = [
  'validation',
  'unauthenticated',
  'forbidden',
  'too_large',
  'unsupported_media',
  'rate_limited',
  'unavailable',
] as const

const CODE_WANTED = {
  status: 'totp_required',
  message: 'Enter the 6-digit code from your authenticator app.',
}

/** The only path to which browsers send the cookie of a pending sign-in. */
const CODE_PATH = '/auth/login/totp'

const loginPayload = z.strictObject({
  username: fields.text(80),
  password: fields.text(1024),
})
const loginCodePayload = z.strictObject({
  totp_code: fields.text(32),
  /** The token of the first step, for a client without its cookie. */
  login_token: fields.text(128).optional(),
})

const newSession = ok({
  token: text,
  csrf_token: text,
  username: text,
  expires_at: instant,
  message: text.optional(),
  broker: text.optional().meta({ description: 'The broker, if the sign-in connected it again.' }),
})
const signedIn = z.union([
  newSession,
  z
    .strictObject({
      status: z.literal('totp_required'),
      message,
      login_token: text.meta({ description: 'For POST /auth/login/totp; also in a cookie.' }),
      expires_at: instant,
    })
    .meta({ description: 'The password is correct; a code is also required.' }),
])

/** Signing in. The caller has no session, so a page of another site must not send it. */
export const SIGN_IN_OPERATIONS = {
  'POST /auth/login': anyone('Signs in; returns a token and sets the session cookie, or asks for a code.', {
    limit: 'login',
    body: loginPayload,
    example: { username: 'asha', password: 'correct horse 4' },
    answer: signedIn,
    errors: SIGN_IN_ERRORS,
    audit: { act: 'session.begin' },
    run: http('a cookie', signIn),
  }),
  'POST /auth/login/totp': anyone('Completes a sign-in with a code of the authenticator app.', {
    limit: 'login',
    body: loginCodePayload,
    example: { totp_code: '123456', login_token: 'Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4iL0oP7rT2uY' },
    answer: newSession,
    errors: SIGN_IN_ERRORS,
    audit: { act: 'session.begin' },
    run: http('a cookie', signInWithCode),
  }),
}

async function signIn(service: RunningService, c: Context<AppEnv>): Promise<Response> {
  const { config, daemon, identity } = service
  refuseCrossSite(c)
  const { username, password } = parseWith(loginPayload, await readJsonOrForm(c))
  const sender = senderOf(c, daemon.proxies)
  const resume = () => resumeBroker(service)
  const result = await identity.signIn({ username, password, resumeBroker: resume, ...sender })
  if (!result.totpRequired) return answerSignedIn(service, c, result)
  const { pendingToken } = result
  const expires = new Date(result.expiresAt)
  const name = pendingCookieName(config.SESSION_COOKIE_NAME)
  setSecretCookie(c, daemon.proxies, { name, value: pendingToken, path: CODE_PATH, expires })
  return c.json({ ...CODE_WANTED, login_token: pendingToken, expires_at: expires.toISOString() })
}

/** Completes a sign-in. A browser names it by its cookie, any other client by the token of the first answer. */
async function signInWithCode(service: RunningService, c: Context<AppEnv>): Promise<Response> {
  const { config, daemon, identity } = service
  refuseCrossSite(c)
  const cookieName = pendingCookieName(config.SESSION_COOKIE_NAME)
  const { totp_code: code, login_token: given } = parseWith(loginCodePayload, await readJsonOrForm(c))
  const token = given ?? getCookie(c, cookieName) ?? ''
  const sender = senderOf(c, daemon.proxies)
  const resume = () => resumeBroker(service)
  const result = await identity.signInWithCode({ token, code, resumeBroker: resume, ...sender })
  deleteCookie(c, cookieName, { path: CODE_PATH })
  return answerSignedIn(service, c, result)
}

/** The name of the cookie that holds a pending sign-in, which is not a session. */
const pendingCookieName = (cookieName: string) => `${cookieName}_login`

/** Sets a cookie that scripts cannot read and other sites cannot send. */
function setSecretCookie(
  c: Context<AppEnv>,
  proxies: TrustedProxies,
  cookie: { name: string; value: string; path: string; expires: Date },
): void {
  const { name, value, path, expires } = cookie
  const secure = isOverTls(c, proxies)
  setCookie(c, name, value, { httpOnly: true, sameSite: 'Lax', path, expires, secure })
}

/** Answers a sign-in with the new session. The session whose cookie the browser had before ends. */
async function answerSignedIn(
  service: RunningService,
  c: Context<AppEnv>,
  { session, token, csrfToken, resumedBroker }: SignedIn,
): Promise<Response> {
  const { config, daemon, identity } = service
  const former = sessionOfCookie(c, sessionOptions(service))
  // The former session is invalid even if its end could not be stored: the housekeeping repeats that.
  if (former) await identity.sessions.revoke(former.username, former.id, 'logout').catch(() => undefined)
  noteAct(c, { username: session.username, target: session.id })
  const expires = new Date(session.expiresAt)
  const name = config.SESSION_COOKIE_NAME
  setSecretCookie(c, daemon.proxies, { name, value: token, path: '/', expires })
  return c.json({
    status: 'success',
    token,
    csrf_token: csrfToken,
    username: session.username,
    expires_at: expires.toISOString(),
    ...(resumedBroker !== undefined && { message: 'Broker session resumed', broker: resumedBroker }),
  })
}
