import type { Context } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { AppEnv } from '../env.js'

/**
 * A page of another site must not sign a browser in (or set the service up) behind its user's back.
 * @throws ServiceError `forbidden`
 */
export function refuseCrossSite(c: Context<AppEnv>): void {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ServiceError('forbidden', 'Access Denied')
  }
}
