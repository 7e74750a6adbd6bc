import type { Context } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import type { AppEnv } from '../process/env.js'

/** Headers that only programs send. */
const OF_PROGRAMS = ['x-requested-with', 'authorization', 'x-api-key']

/**
 * Returns whether the caller is a browser that shows a page. A script accepts JSON or anything, sends
 * `X-Requested-With`, or signs in with a header; it gets JSON.
 */
export function wantsPage(c: Context<AppEnv>): boolean {
  if (OF_PROGRAMS.some((name) => c.req.header(name) !== undefined)) return false
  const ranges = parseAccept(c.req.header('accept') ?? '')
  const html = qualityOf('text/html', ranges)
  // No browser names JSON when it opens a page.
  return html > 0 && html > qualityOf('application/json', ranges)
}

function qualityOf(type: string, ranges: ReturnType<typeof parseAccept>): number {
  return ranges.find((range) => range.type.toLowerCase() === type)?.q ?? 0
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
