import type { Context, MiddlewareHandler } from 'hono'
import { CODE_HEADER } from '../http/response/errors.js'
import type { AppEnv } from '../process/env.js'
import type { Service } from '../service.js'
import { signInFor } from './addresses.js'
import { renderPage } from './components/shell.js'
import { formPolicy, PAGE_POLICY } from './look/policy.js'
import { ownPath, wantsPage } from './negotiate.js'
import { takeNotice } from './notice.js'
import type { Elsewhere, PageContent, PageRequest } from './page.js'
import { surroundingsFor } from './surroundings.js'
import { errorView } from './views/error.js'

/** The view of any page. The answer of the same route guarantees the type of its input. */
export type AnyView = (answer: never, request: PageRequest) => PageContent | Elsewhere

/** The page of a refused request. */
export type RefusedView = (answer: unknown, request: PageRequest) => PageContent

/**
 * Shows a browser the answer of a route as a page. The route runs as it does for a script, with the same guard,
 * limits and refusals, and the page is a view of its JSON.
 */
export function showingPage(
  view: AnyView,
  service: Service,
  refused: RefusedView = errorView,
): MiddlewareHandler<AppEnv> {
  const viewOf = view as (answer: unknown, request: PageRequest) => PageContent | Elsewhere
  return async function showingPage(c, next) {
    if (!wantsPage(c)) return next()
    const clean = withoutEmptyValues(c)
    if (clean !== undefined) return c.redirect(clean, 303)
    await next()
    if (isSignedOut(c)) return redirectTo(c, signInFor(ownUrl(c)))
    if (c.res.status >= 300 && c.res.status < 400) return
    const answer: unknown = await c.res.json()
    const request = requestOf(c, service)
    const content = c.res.ok ? viewOf(answer, request) : refused(answer, request)
    if ('to' in content) return redirectTo(c, content.to)
    showPage(c, content, request)
  }
}

/** Makes a page the answer of a request. */
export function showPage(c: Context<AppEnv>, content: PageContent, request: PageRequest): void {
  const { status } = c.res
  c.res = new Response(renderPage(content, request), {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })
  const { formTargets } = content
  c.res.headers.set('content-security-policy', formTargets ? formPolicy(formTargets) : PAGE_POLICY)
}

export function requestOf(c: Context<AppEnv>, service: Service): PageRequest {
  const session = c.get('session')
  return {
    path: c.req.path,
    query: c.req.query(),
    around: session && surroundingsFor(service, session.username),
    csrf: session ? service.identity.sessions.csrfToken(session) : '',
    notice: takeNotice(c),
    now: service.clock.now(),
  }
}

/** Returns whether the request is refused because it has no session. */
export function isSignedOut(c: Context<AppEnv>): boolean {
  return c.res.headers.get(CODE_HEADER) === 'unauthenticated'
}

/** A form sends its empty fields too. An empty field is no filter, so the address loses it. */
function withoutEmptyValues(c: Context<AppEnv>): string | undefined {
  const query = Object.entries(c.req.query())
  const given = query.filter(([, value]) => value.trim() !== '')
  if (given.length === query.length) return undefined
  return given.length === 0 ? c.req.path : `${c.req.path}?${new URLSearchParams(given)}`
}

/** Returns the address that the browser asked for. */
export function ownUrl(c: Context<AppEnv>): string {
  const { pathname, search } = new URL(c.req.url)
  return ownPath(pathname + search) ?? '/'
}

/** Leads the browser to another page of the service. */
export function redirectTo(c: Context<AppEnv>, path: string): void {
  c.res = c.redirect(path, 303)
}
