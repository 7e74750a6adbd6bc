import { Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import type { AppEnv } from '../env.js'
import { isOverTls, type TrustedProxies } from '../http/client.js'
import { requireScope, requireScopes } from '../middleware/session.js'
import { type StreamHealthParts, streamHealthRoutes } from './websocket-health.js'
import { type SubscriptionParts, subscriptionRoutes } from './websocket-subscriptions.js'

export interface WebsocketRoutesParts extends StreamHealthParts, SubscriptionParts {
  identity: Pick<Identity, 'apiKeys'>
  proxies: TrustedProxies
}

/** What a page needs to open the market stream, and the stream's state (contract, market stream section 8). */
export function websocketRoutes(parts: WebsocketRoutesParts): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'settings'))
    .get('/config', (c) => {
      const isSecure = isOverTls(c, parts.proxies)
      const url = parts.url()
      return c.json({
        status: 'success',
        websocket_url: isSecure ? url.replace(/^ws:/, 'wss:') : url,
        is_secure: isSecure,
        original_url: url,
      })
    })
    .get('/apikey', requireScope('admin'), (c) => {
      const key = parts.identity.apiKeys.reveal(c.get('principal').username)
      if (key === undefined) {
        throw new ServiceError('not_found', 'No API key found. Please generate an API key first.')
      }
      return c.json({ status: 'success', api_key: key })
    })
    .route('/', subscriptionRoutes(parts))
    .route('/', streamHealthRoutes(parts))
}
