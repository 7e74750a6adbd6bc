import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { nextTurn } from '../../../core/time/index.js'
import type { AppEnv } from '../../process/env.js'
import { parseJson } from './bounded-json.js'

/** The largest body by default: far more than any order needs, far less than could do harm. */
export const MAX_BODY_BYTES = 1_048_576

/** The bytes of a long body that are decoded in one turn of the event loop. */
const PIECE_BYTES = 2 * 1_048_576

const NO_BYTES = new Uint8Array()
/** Refuses bytes that are not UTF-8: replaced by a sign, they would change the name of a strategy. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Returns the body as text, up to a size limit.
 * @throws ServiceError like {@link readBytes}, or `validation` when it is not UTF-8
 */
export async function readText(c: Context<AppEnv>, maxBytes = MAX_BODY_BYTES): Promise<string> {
  const bytes = await readBytes(c, maxBytes)
  return bytes.byteLength > PIECE_BYTES ? longText(bytes) : utf8Text(bytes)
}

/** Returns the text of a long body. It is decoded in pieces, so that others go first in between. */
async function longText(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const pieces: string[] = []
  for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES) {
    const piece = bytes.subarray(from, from + PIECE_BYTES)
    pieces.push(decoded(() => decoder.decode(piece, { stream: from + PIECE_BYTES < bytes.byteLength })))
    await nextTurn()
  }
  return pieces.join('')
}

/**
 * Returns the body as it arrived, up to a size limit.
 * @throws ServiceError `too_large` (413), `unsupported_media` (415) for a compressed body, or `validation`
 * when the sender disconnects (it gets no answer anyway)
 */
export async function readBytes(c: Context<AppEnv>, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  const declared = c.req.header('content-length')
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes)
  const encoding = c.req.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ServiceError('unsupported_media', 'Content-Encoding: The body must not be compressed')
  }
  const { incoming } = c.env
  const whole = declared === undefined ? undefined : receivedWhole(incoming)
  if (whole !== undefined) return whole
  try {
    // The HTTP parser enforces a declared size, so only a body without one is counted.
    return declared === undefined
      ? await readUndeclared(c.req.raw.body, maxBytes)
      : new Uint8Array(await c.req.arrayBuffer())
  } catch (error) {
    if (error instanceof ServiceError) throw error
    if (incoming?.destroyed && !incoming.complete) {
      throw new ServiceError('validation', 'The request ended before its body was complete', { cause: error })
    }
    throw error
  }
}

/** Returns the body if all of it has already arrived. This costs a quarter of reading it as a stream. */
function receivedWhole(incoming: AppEnv['Bindings']['incoming'] | undefined): Uint8Array | undefined {
  if (!incoming?.complete || incoming.readableDidRead || incoming.destroyed) return undefined
  const bytes: unknown = incoming.read()
  return bytes instanceof Uint8Array ? bytes : NO_BYTES
}

/** Reads a chunked body and counts its bytes: its size is known only at its end. */
async function readUndeclared(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Returns bytes as text. @throws ServiceError `validation` when they are not UTF-8 */
export function utf8Text(bytes: Uint8Array): string {
  return decoded(() => UTF8.decode(bytes))
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch (error) {
    throw new ServiceError('validation', 'The body is not valid UTF-8', { cause: error })
  }
}

/**
 * Returns a JSON body as `parse` reads it.
 * @throws ServiceError `unsupported_media` (415) for another content type, `validation` (400) for text that
 * is not JSON or is nested too deeply, `too_large` (413)
 */
export async function readJson(
  c: Context<AppEnv>,
  maxBytes = MAX_BODY_BYTES,
  parse: (text: string) => unknown = parseJson,
): Promise<unknown> {
  const type = c.req.header('content-type')
  if (
    type !== undefined &&
    type !== 'application/json' &&
    !/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type)
  ) {
    throw new ServiceError('unsupported_media', 'The body must be JSON (Content-Type: application/json)')
  }
  const text = await readText(c, maxBytes)
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('validation', 'Invalid JSON')
  }
}

/** Returns a JSON body, or `{}` when the request has none. */
export async function readOptionalJson(c: Context<AppEnv>): Promise<unknown> {
  return Number(c.req.header('content-length') ?? 0) === 0 && !c.req.header('transfer-encoding')
    ? {}
    : readJson(c)
}

/** Returns a JSON body, or the fields of a form, which the public system's log-in page sends. */
export async function readJsonOrForm(c: Context<AppEnv>): Promise<unknown> {
  const type = c.req.header('content-type') ?? ''
  if (!type.startsWith('application/x-www-form-urlencoded')) return readJson(c)
  const { csrf_token: _, ...fields } = Object.fromEntries(new URLSearchParams(await readText(c)))
  return fields
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too_large', `The body is larger than ${maxBytes} bytes`)
}
