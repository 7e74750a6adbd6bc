import type { Context } from 'hono'
import type { AppEnv } from '../process/env.js'

/**
 * Returns whether the caller is a browser that shows a page. A script accepts JSON or anything, sends
 * `X-Requested-With`, or signs in with a header; it gets JSON.
 */
export function wantsPage(c: Context<AppEnv>): boolean {
  const accepts = c.req.header('accept') ?? ''
  return (
    accepts.includes('text/html') &&
    c.req.header('x-requested-with') === undefined &&
    c.req.header('authorization') === undefined
  )
}

/** Returns whether the request is a form that a page of the service submits. */
export function isSubmittedForm(c: Context<AppEnv>): boolean {
  const type = c.req.header('content-type') ?? ''
  return type.startsWith('application/x-www-form-urlencoded') && wantsPage(c)
}

/**
 * Returns the text if it is a path of this service, with or without a query. A link of another site must not
 * lead a visitor elsewhere through this service.
 */
export function ownPath(text: string | undefined): string | undefined {
  if (text === undefined || !text.startsWith('/') || !URL.canParse(text, HERE)) return undefined
  const { host, hash, pathname, search } = new URL(text, HERE)
  return host === HOST && !pathname.startsWith('//') ? pathname + search + hash : undefined
}

const HOST = 'this.service.invalid'
const HERE = `http://${HOST}`
