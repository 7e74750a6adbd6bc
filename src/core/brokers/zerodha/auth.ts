import { createHash } from 'node:crypto'
import { z } from 'zod'
import { nextRollover } from '../../time/index.js'
import type { BrokerAuth, BrokerContext, BrokerSession } from '../broker.js'
import { credentialsOf, KiteApi } from './api.js'
import { notSent } from './errors.js'
import { profile, session as sessionData } from './wire.js'

/** The IST time at which Kite ends access tokens, on the day after they were issued. */
const TOKEN_EXPIRY = '06:00'

/**
 * Signs in with an access token that the user already has, or with the request token of the redirect, which
 * is exchanged for one. Both are verified by reading the profile.
 */
export const auth: BrokerAuth = {
  async login(fields, context) {
    const apiKey = fields.api_key?.trim() ?? ''
    if (!apiKey) throw notSent('validation', 'api_key is required.')
    const accessToken = fields.access_token?.trim() || (await exchange(apiKey, fields, context))
    const api = new KiteApi(context, { apiKey, accessToken })
    const user = await api.get('/user/profile', profile)
    const issuedAt = context.clock.now()
    return {
      accessToken: `${apiKey}:${accessToken}`,
      userId: user.user_id,
      issuedAt,
      expiresAt: nextRollover(issuedAt, TOKEN_EXPIRY),
    } satisfies BrokerSession
  },

  async logout(session, context) {
    const { apiKey, accessToken } = credentialsOf(session)
    const api = new KiteApi(context, { apiKey, accessToken })
    await api.send('DELETE', '/session/token', z.unknown(), {
      query: { api_key: apiKey, access_token: accessToken },
    })
  },
}

/** Exchanges a request token for an access token. A request token works once and only for a few minutes. */
async function exchange(
  apiKey: string,
  fields: Readonly<Record<string, string>>,
  context: BrokerContext,
): Promise<string> {
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
