import { z } from 'zod'
import { nextRollover } from '../../time/index.js'
import type { BrokerAuth, BrokerContext } from '../broker.js'
import { addressAt } from '../kit/http/addresses.js'
import { notSent } from '../kit/http/outcomes.js'
import { requiredField } from '../kit/sign-in/fields.js'
import { UpstoxApi, withoutVersion } from './api.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'
import { profile, token } from './wire.js'

/** The IST time at which Upstox ends every access token, on the next day or, before it, on the same. */
const TOKEN_EXPIRY = '03:30'

/** The page on which the person signs in. */
const DIALOG = '/v2/login/authorization/dialog'

type Fields = Readonly<Record<string, string>>

/**
 * Signs in with the code that Upstox's redirect brings, which is exchanged for an access token, or with an access token that the
 * user already has. Both are verified by reading the profile. Upstox renews no token, and allows no unattended sign-in: a person
 * signs in each day.
 */
export const auth: BrokerAuth = {
  begin(fields, context, { redirectUrl, state }) {
    const endpoint = withoutVersion(context.endpoints.login ?? DEFAULT_ENDPOINTS.login)
    const address = new URL(addressAt(endpoint, DIALOG))
    address.searchParams.set('response_type', 'code')
    address.searchParams.set('client_id', requiredField(fields, 'api_key'))
    address.searchParams.set('redirect_uri', registered(redirectUrl))
    address.searchParams.set('state', state)
    return { address: address.href }
  },

  async complete(fields, context) {
    const apiKey = requiredField(fields, 'api_key')
    const accessToken = fields.access_token?.trim() || (await exchange(apiKey, fields, context))
    const api = new UpstoxApi(context, accessToken)
    const user = await api.get('/v2/user/profile', profile)
    const issuedAt = context.clock.now()
    return {
      accessToken,
      userId: user.user_id,
      issuedAt,
      expiresAt: nextRollover(issuedAt, TOKEN_EXPIRY),
    }
  },

  async logout({ accessToken }, context) {
    await new UpstoxApi(context, accessToken).send('DELETE', '/v2/logout', z.unknown())
  },

  callback: { fields: ['code'], success: {} },
}

/** Upstox compares the address with the one that the app has registered. */
function registered(redirectUrl: string | undefined): string {
  if (redirectUrl !== undefined) return redirectUrl
  throw notSent('validation', 'Set REDIRECT_URL to the redirect URL that your app has registered at Upstox.')
}

/** Exchanges a code for an access token. A code works once. */
async function exchange(apiKey: string, fields: Fields, context: BrokerContext): Promise<string> {
  const secret = fields.api_secret?.trim() ?? ''
  const code = fields.code?.trim() ?? ''
  if (!secret || !code) throw notSent('validation', 'Pass either access_token, or api_secret and code.')
  const redirectUrl = registered(context.redirectUrl)
  const api = new UpstoxApi(context, undefined, [secret, code])
  const issued = await api.exchange('/v2/login/authorization/token', token, {
    code,
    client_id: apiKey,
    client_secret: secret,
    redirect_uri: redirectUrl,
    grant_type: 'authorization_code',
  })
  return issued.access_token
}
