import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import type { AppEnv } from '../process/env.js'

/** The result of a form, shown once on the page that the browser gets next. */
export const noticeSchema = z.object({
  tone: z.enum(['good', 'warning', 'bad']),
  text: z.string(),
})
export type Notice = z.output<typeof noticeSchema>

const COOKIE = 'svc_notice'
const LIFETIME_SECONDS = 60
/** Browsers refuse a cookie of more than 4096 bytes. */
const MAX_TEXT = 700

/** Keeps a notice for the next page. It is a cookie and no part of the address, so that no link can make one up. */
export function keepNotice(c: Context<AppEnv>, { tone, text }: Notice): void {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
  const value = Buffer.from(JSON.stringify({ tone, text: short })).toString('base64url')
  setCookie(c, COOKIE, value, { httpOnly: true, sameSite: 'Lax', path: '/', maxAge: LIFETIME_SECONDS })
}

/** Returns the notice for this page, and forgets it. Undefined without one, or when it cannot be read. */
export function takeNotice(c: Context<AppEnv>): Notice | undefined {
  const cookie = getCookie(c, COOKIE)
  if (cookie === undefined) return undefined
  deleteCookie(c, COOKIE, { path: '/' })
  return readNotice(Buffer.from(cookie, 'base64url').toString())
}

function readNotice(text: string): Notice | undefined {
  try {
    return noticeSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
