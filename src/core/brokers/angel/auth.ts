import { z } from 'zod'
import { nextRollover } from '../../time/index.js'
import {
  type BrokerAuth,
  type BrokerContext,
  BrokerError,
  type BrokerErrorKind,
  type BrokerSession,
} from '../broker.js'
import { requiredField } from '../kit/sign-in/fields.js'
import { freshTotpCode } from '../kit/sign-in/totp-codes.js'
import { AngelApi, type AngelCredentials, credentialsOf, SECURE } from './api.js'
import { profile, tokens } from './wire.js'

/** The IST time at which Angel ends every session. */
const SESSION_ENDS = '00:00'

const LOGIN = '/rest/auth/angelbroking/user/v1/loginByPassword'
const RENEW = '/rest/auth/angelbroking/jwt/v1/generateTokens'

/** After these the refresh token is of no use, and the PIN may be. */
const REFUSED: ReadonlySet<BrokerErrorKind> = new Set(['auth', 'validation', 'not_found', 'rejected'])

/**
 * Signs in with the PIN and a code of the stored TOTP seed, which needs no person: a session that has ended is renewed by its
 * refresh token, or by a new sign-in. Each is verified by reading the profile.
 */
export const auth: BrokerAuth = {
  async complete(fields, context) {
    return signedIn(context, {
      apiKey: requiredField(fields, 'api_key'),
      clientCode: requiredField(fields, 'client_code').toUpperCase(),
      pin: requiredField(fields, 'pin'),
      seed: requiredField(fields, 'totp_secret'),
    })
  },

  async refresh(session, context) {
    const credentials = credentialsOf(session)
    const { pin = '', refresh_token: refreshToken = '', totp_secret: seed = '' } = session.extra ?? {}
    const hasPin = pin !== '' && seed !== ''
    if (refreshToken !== '') {
      try {
        return await renewed(context, credentials, refreshToken)
      } catch (error) {
        if (!(error instanceof BrokerError && REFUSED.has(error.kind) && hasPin)) throw error
      }
    }
    return signedIn(context, { ...credentials, pin: requiredField({ pin }, 'pin'), seed })
  },

  async logout(session, context) {
    const credentials = credentialsOf(session)
    const api = new AngelApi(context, credentials)
    const json = { clientcode: credentials.clientCode }
    await api.ask(`${SECURE}/user/v1/logout`, z.unknown(), { json, callClass: 'other' })
  },
}

async function signedIn(
  context: BrokerContext,
  { apiKey, clientCode, pin, seed }: AngelCredentials & { pin: string; seed: string },
): Promise<BrokerSession> {
  const totp = await freshTotpCode(seed, context.clock)
  const api = new AngelApi(context, { apiKey, clientCode }, [pin, seed, totp])
  const issued = await api.signIn(LOGIN, tokens, { clientcode: clientCode, password: pin, totp })
  return sessionOf(context, { apiKey, clientCode }, issued)
}

async function renewed(
  context: BrokerContext,
  credentials: AngelCredentials,
  refreshToken: string,
): Promise<BrokerSession> {
  const api = new AngelApi(context, credentials, [refreshToken])
  return sessionOf(context, credentials, await api.signIn(RENEW, tokens, { refreshToken }))
}

/** Returns the session of issued tokens, once they are proved. */
async function sessionOf(
  context: BrokerContext,
  { apiKey, clientCode }: AngelCredentials,
  { feedToken, jwtToken, refreshToken }: z.output<typeof tokens>,
): Promise<BrokerSession> {
  // Some of Angel's own clients store the token with this word.
  const jwt = jwtToken.replace(/^Bearer /i, '')
  const api = new AngelApi(context, { apiKey, clientCode, jwt, feedToken }, [refreshToken])
  const user = await api.get(`${SECURE}/user/v1/getProfile`, profile)
  const issuedAt = context.clock.now()
  return {
    accessToken: jwt,
    feedToken,
    userId: user.clientcode,
    issuedAt,
    expiresAt: nextRollover(issuedAt, SESSION_ENDS),
    extra: { api_key: apiKey, client_code: clientCode, refresh_token: refreshToken },
  }
}
