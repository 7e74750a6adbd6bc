import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'
import { STREAM_PRICE_OPERATIONS } from './prices.js'
import { SUBSCRIPTION_OPERATIONS } from './subscriptions.js'

const stream = signedIn('Stream', 'api')

const streamConfig = ok({ websocket_url: text, is_secure: z.boolean(), original_url: text })
const streamKey = ok({ api_key: text })

/** The market stream for signed-in pages: its address, their subscriptions and its state. */
export const STREAM_OPERATIONS = {
  'GET /api/websocket/config': stream('Returns the address of the market stream.', {
    scopes: ['read', 'settings'],
    answer: streamConfig,
    run: ({ daemon: { wsUrl } }, _input, { isOverTls }) => ({
      status: 'success',
      websocket_url: isOverTls ? wsUrl.replace(/^ws:/, 'wss:') : wsUrl,
      is_secure: isOverTls,
      original_url: wsUrl,
    }),
  }),
  'GET /api/websocket/apikey': stream('Returns the API key for the market stream.', {
    scopes: ['admin'],
    fresh: true,
    answer: streamKey,
    errors: ['not_found'],
    run: ({ identity }, _input, { username }) => {
      const key = identity.apiKeys.reveal(username)
      if (key === undefined) {
        throw new ServiceError('not_found', 'No API key found. Please generate an API key first.')
      }
      return { status: 'success', api_key: key }
    },
  }),
  ...SUBSCRIPTION_OPERATIONS,
  ...STREAM_PRICE_OPERATIONS,
}
