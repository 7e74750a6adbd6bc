import type { Context } from 'hono'
import type { AppEnv } from '../env.js'

/** Proxy headers in the order in which the specification trusts them. */
const PROXY_HEADERS = ['cf-connecting-ip', 'true-client-ip', 'x-real-ip', 'x-forwarded-for', 'x-client-ip']

/** The address to hold a caller by: the peer, or what a controlled proxy says when that is switched on. */
export function clientAddress(c: Context<AppEnv>, trustProxyHeaders: boolean): string {
  if (trustProxyHeaders) {
    for (const header of PROXY_HEADERS) {
      const value = c.req.header(header)?.split(',')[0]?.trim()
      if (value) return value
    }
  }
  return c.env.incoming?.socket.remoteAddress ?? '127.0.0.1'
}

/** Whether the caller's connection is encrypted: ours, or the one of a controlled proxy. */
export function isOverTls(c: Context<AppEnv>, trustProxyHeaders: boolean): boolean {
  const forwarded = trustProxyHeaders ? c.req.header('x-forwarded-proto') : undefined
  return forwarded === 'https' || new URL(c.req.url).protocol === 'https:'
}
