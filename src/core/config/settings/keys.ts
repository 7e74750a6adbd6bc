import { brokerKey, flag, redirectUrl, secretText } from '../kinds.js'
import { optional, required, setting } from './describe.js'

const longSecret = secretText('at least 32 characters without spaces', /^\S{32,512}$/)

/** The secrets of the home, and the keys at the broker. */
export const KEYS = {
  APP_KEY: required(longSecret, 'Key for data that is stored encrypted. Generated at first start.'),
  API_KEY_PEPPER: required(
    longSecret,
    'Added to the hashes of passwords and API keys. Generated at first start.',
  ),
  FERNET_SALT: required(
    secretText('at least 32 hexadecimal digits', /^[0-9a-f]{32,256}$/i),
    'Salt of the encryption key. Generated at first start.',
  ),
  SVC_API_KEY: optional(
    secretText('a service API key of at least 32 characters', /^\S{32,256}$/),
    'API key for work without a signed-in user. Workflow webhooks use it if they have no other key.',
  ),

  BROKER_API_KEY: optional(
    brokerKey,
    'API key at the broker: signing in uses it where the broker asks for api_key and you give none.',
  ),
  BROKER_API_SECRET: optional(
    brokerKey,
    'API secret at the broker, used in the same way for api_secret, together with BROKER_API_KEY.',
  ),
  BROKER_API_KEY_MARKET: optional(
    brokerKey,
    'API key of the market data of brokers with a pair of its own (XTS). No plugin of this version asks for it.',
  ),
  BROKER_API_SECRET_MARKET: optional(
    brokerKey,
    'API secret of the market data of such brokers. No plugin of this version asks for it.',
  ),
  REDIRECT_URL: optional(
    redirectUrl,
    'Address to which the broker sends the browser after its log-in. It names the broker that the keys above belong to: no other broker gets them.',
  ),
  BROKER_POSTBACKS: setting(
    flag,
    'false',
    'Whether a broker may post order updates to /<broker>/postback, each with its checksum. The session then keeps the API secret, sealed.',
  ),
}
