import type { Context } from 'hono'
import { setCookie } from 'hono/cookie'
import type { SignedIn } from '../../../core/identity/index.js'
import { noteAct } from '../../audit/note.js'
import {
  callerAddress,
  callOf,
  isLocalCall,
  isOverTls,
  isOwnersCall,
  ownAddress,
  type TrustedProxies,
} from '../../http/client.js'
import { type SessionGuardOptions, sessionOfCookie } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'

interface SignedInParts extends SessionGuardOptions {
  proxies: TrustedProxies
}

/** Returns the sender of a password or code, for the record of attempts and the delay after failures. */
export function senderOf(c: Context<AppEnv>, proxies: TrustedProxies) {
  const call = callOf(c)
  return {
    ipAddress: callerAddress(call, proxies),
    deviceInfo: c.req.header('user-agent'),
    ownAddress: ownAddress(call, proxies),
    isOwners: isLocalCall(c) || isOwnersCall(call, proxies),
  }
}

/** Sets a cookie that scripts cannot read and other sites cannot send. */
export function setSecretCookie(
  c: Context<AppEnv>,
  proxies: TrustedProxies,
  cookie: { name: string; value: string; path: string; expires: Date },
): void {
  const { name, value, path, expires } = cookie
  const secure = isOverTls(c, proxies)
  setCookie(c, name, value, { httpOnly: true, sameSite: 'Lax', path, expires, secure })
}

/** Answers a sign-in with the new session. The session whose cookie the browser had before ends. */
export async function answerSignedIn(
  c: Context<AppEnv>,
  parts: SignedInParts,
  { session, token, csrfToken, resumedBroker }: SignedIn,
): Promise<Response> {
  const { identity, cookieName, proxies } = parts
  const former = sessionOfCookie(c, parts)
  // The former session is invalid even if its end could not be stored: the housekeeping repeats that.
  if (former) await identity.sessions.revoke(former.username, former.id, 'logout').catch(() => undefined)
  noteAct(c, { username: session.username, target: session.id })
  const expires = new Date(session.expiresAt)
  setSecretCookie(c, proxies, { name: cookieName, value: token, path: '/', expires })
  return c.json({
    status: 'success',
    token,
    csrf_token: csrfToken,
    username: session.username,
    expires_at: expires.toISOString(),
    ...(resumedBroker !== undefined && { message: 'Broker session resumed', broker: resumedBroker }),
  })
}
