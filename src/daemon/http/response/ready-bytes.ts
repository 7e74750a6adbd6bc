import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { nextTurn } from '../../../core/time/index.js'
import type { AppEnv } from '../../process/env.js'

/** A JSON text, in one piece or in many: one turn of the event loop copies a piece, never a long text. */
export type JsonPieces = readonly [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]]

/** The JSON of bodies that are sent more than once. It lives as long as they do. */
const PIECES = new WeakMap<object, JsonPieces | 'on demand'>()

/** Marks a body that may be sent again and that nobody changes: its JSON is made once. */
export function repeatable<T extends object>(body: T): T {
  if (!PIECES.has(body)) PIECES.set(body, 'on demand')
  return body
}

/** Returns a body together with its JSON, which the caller has already. */
export function withJson<T extends object>(body: T, pieces: JsonPieces): T {
  PIECES.set(body, pieces)
  return body
}

/** Sends a body as JSON. */
export function sendJson(c: Context<AppEnv>, body: object, status: ContentfulStatusCode): Response {
  const kept = PIECES.get(body)
  if (kept === undefined) return c.json(body, status)
  const pieces: JsonPieces = kept === 'on demand' ? [Buffer.from(JSON.stringify(body))] : kept
  PIECES.set(body, pieces)
  const [whole, ...others] = pieces
  if (others.length === 0) return c.body(whole, status, { 'Content-Type': 'application/json' })
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(bytes) }
  return c.body(streamOf(pieces), status, headers)
}

function streamOf(pieces: JsonPieces): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await nextTurn()
        const piece = pieces[next++]
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
}
