import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { AppEnv } from '../../process/env.js'

/**
 * Refuses a request from a page of another site. Such a page must not sign a browser in, or set the service
 * up, without the user's knowledge. A browser names the site with `Sec-Fetch-Site` only over TLS and on
 * loopback, and the page with `Origin` always.
 * @throws ServiceError `forbidden`
 */
export function refuseCrossSite(c: Context<AppEnv>): void {
  const site = c.req.header('sec-fetch-site')
  const isOfThisSite = site === undefined ? isOwnOrigin(c) : site === 'same-origin' || site === 'none'
  if (!isOfThisSite) {
    throw new ServiceError('forbidden', 'Access Denied', { extra: { error: 'Access Denied' } })
  }
}

function isOwnOrigin(c: Context<AppEnv>): boolean {
  const origin = c.req.header('origin')
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === c.req.header('host'))
}
