import type { MiddlewareHandler } from 'hono'
import { type SessionGuardOptions, sessionOfCookie } from '../middleware/session.js'
import type { AppEnv } from '../process/env.js'
import type { Service } from '../service.js'
import { signInFor } from './addresses.js'
import { wantsPage } from './negotiate.js'
import { isSignedOut, ownUrl, redirectTo, requestOf, showPage } from './showing.js'
import { missingView } from './views/missing.js'

/**
 * Shows a browser a page where no route answers. Before it, the request passes what a script's does: the guard, the
 * limits and the count of missing paths.
 */
export function showingMissing(service: Service, options: SessionGuardOptions): MiddlewareHandler<AppEnv> {
  return async function showingMissing(c, next) {
    const isPage = c.req.method === 'GET' && wantsPage(c)
    await next()
    if (!isPage) return
    if (isSignedOut(c)) return redirectTo(c, signInFor(ownUrl(c)))
    const answer: unknown = await c.res.json()
    // Not every path has a guard, which would have set it.
    c.set('session', sessionOfCookie(c, options))
    const request = requestOf(c, service)
    showPage(c, missingView(answer, request), request)
  }
}
