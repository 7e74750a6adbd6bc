import { createHash } from 'node:crypto'
import { z } from 'zod'
import { nextRollover } from '../../time/index.js'
import type { BrokerAuth, BrokerContext, BrokerSession } from '../broker.js'
import { notSent } from '../kit/http/outcomes.js'
import { requiredField } from '../kit/sign-in/fields.js'
import { credentialsOf, KiteApi } from './api.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'
import { profile, session as sessionData } from './wire.js'

/** The IST time at which Kite ends access tokens, on the day after they were issued. */
const TOKEN_EXPIRY = '06:00'

type Fields = Readonly<Record<string, string>>

/**
 * Signs in with the request token that Kite's redirect brings, which is exchanged for an access token, or with an access
 * token that the user already has. Both are verified by reading the profile. Kite renews tokens only for platforms, and
 * allows no unattended sign-in: a person signs in each day.
 */
export const auth: BrokerAuth = {
  begin(fields, context, { state }) {
    const address = new URL('/connect/login', context.endpoints.login ?? DEFAULT_ENDPOINTS.login)
    address.searchParams.set('v', '3')
    address.searchParams.set('api_key', requiredField(fields, 'api_key'))
    // Kite adds them to the query of the redirect, whose address the app has registered.
    address.searchParams.set('redirect_params', String(new URLSearchParams({ state })))
    return { address: address.href }
  },

  async complete(fields, context) {
    const apiKey = requiredField(fields, 'api_key')
    const accessToken = fields.access_token?.trim() || (await exchange(apiKey, fields, context))
    const api = new KiteApi(context, { apiKey, accessToken })
    const user = await api.get('/user/profile', profile)
    const issuedAt = context.clock.now()
    const secret = fields.api_secret?.trim()
    return {
      accessToken: `${apiKey}:${accessToken}`,
      userId: user.user_id,
      issuedAt,
      expiresAt: nextRollover(issuedAt, TOKEN_EXPIRY),
      // Postbacks are signed with it.
      ...(context.takesPostbacks && secret && { extra: { api_secret: secret } }),
    } satisfies BrokerSession
  },

  async logout(session, context) {
    const { apiKey, accessToken } = credentialsOf(session)
    const api = new KiteApi(context, { apiKey, accessToken })
    await api.send('DELETE', '/session/token', z.unknown(), {
      query: { api_key: apiKey, access_token: accessToken },
    })
  },

  callback: { fields: ['request_token'], success: { status: 'success' } },
}

/** Exchanges a request token for an access token. A request token works once and only for a few minutes. */
async function exchange(apiKey: string, fields: Fields, context: BrokerContext): Promise<string> {
  const secret = fields.api_secret?.trim() ?? ''
  const requestToken = fields.request_token?.trim() ?? ''
  if (!secret || !requestToken) {
    throw notSent('validation', 'Pass either access_token, or api_secret and request_token.')
  }
  const checksum = createHash('sha256').update(`${apiKey}${requestToken}${secret}`).digest('hex')
  const api = new KiteApi(context, undefined, [apiKey, requestToken, secret, checksum])
  const issued = await api.send('POST', '/session/token', sessionData, {
    form: { api_key: apiKey, request_token: requestToken, checksum },
  })
  return issued.access_token
}
