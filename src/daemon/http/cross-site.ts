import type { Context } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { AppEnv } from '../process/env.js'

/**
 * Refuses a request from a page of another site. Such a page must not sign a browser in, or set the service
 * up, without the user's knowledge.
 * @throws ServiceError `forbidden`
 */
export function refuseCrossSite(c: Context<AppEnv>): void {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ServiceError('forbidden', 'Access Denied')
  }
}
