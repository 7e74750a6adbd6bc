import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from '../../process/env.js'

/** The JSON of bodies that are sent more than once. It lives as long as they do. */
const BYTES = new WeakMap<object, Uint8Array<ArrayBuffer> | 'on demand'>()

/** Marks a body that may be sent again and that nobody changes: its JSON is made once. */
export function repeatable<T extends object>(body: T): T {
  if (!BYTES.has(body)) BYTES.set(body, 'on demand')
  return body
}

/** Returns a body together with its JSON, which the caller has already. */
export function withBytes<T extends object>(body: T, bytes: Uint8Array<ArrayBuffer>): T {
  BYTES.set(body, bytes)
  return body
}

/** Sends a body as JSON. */
export function sendJson(c: Context<AppEnv>, body: object, status: ContentfulStatusCode): Response {
  const kept = BYTES.get(body)
  if (kept === undefined) return c.json(body, status)
  const bytes = kept === 'on demand' ? Buffer.from(JSON.stringify(body)) : kept
  BYTES.set(body, bytes)
  return c.body(bytes, status, { 'Content-Type': 'application/json' })
}
