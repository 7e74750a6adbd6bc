import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import { isOverTls, type TrustedProxies } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { type StreamHealthParts, streamHealthHandlers } from './websocket-health.js'
import { type SubscriptionParts, subscriptionHandlers } from './websocket-subscriptions.js'

interface WebsocketParts extends StreamHealthParts, SubscriptionParts {
  identity: Pick<Identity, 'apiKeys'>
  proxies: TrustedProxies
}

/** Returns the handlers that give a page what it needs to open the market stream, and the stream's state. */
export function websocketHandlers(parts: WebsocketParts) {
  return {
    'GET /api/websocket/config': httpHandler((c) => {
      const isSecure = isOverTls(c, parts.proxies)
      const url = parts.url()
      return c.json({
        status: 'success',
        websocket_url: isSecure ? url.replace(/^ws:/, 'wss:') : url,
        is_secure: isSecure,
        original_url: url,
      })
    }),
    'GET /api/websocket/apikey': (_input, { username }) => {
      const key = parts.identity.apiKeys.reveal(username)
      if (key === undefined) {
        throw new ServiceError('not_found', 'No API key found. Please generate an API key first.')
      }
      return { status: 'success', api_key: key }
    },
    ...subscriptionHandlers(parts),
    ...streamHealthHandlers(parts),
  } satisfies Partial<Handlers>
}
