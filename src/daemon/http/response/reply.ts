import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ErrorCode } from '../../../core/errors/index.js'
import type { OrderAnswer } from '../../orders/answer.js'
import type { AppEnv } from '../../process/env.js'
import { noteRefusal } from '../request.js'
import { CODE_HEADER } from './errors.js'

/** Sends the answer to an order request, with its reference and error code in headers. */
export function sendAnswer(c: Context<AppEnv>, { body, code, orderRef, status }: OrderAnswer): Response {
  if (orderRef) c.header('X-Order-Ref', orderRef)
  if (code !== 'ok') {
    c.header(CODE_HEADER, code)
    if ('message' in body && typeof body.message === 'string') noteRefusal(c, body.message)
  }
  // Hono's type lists only the known codes; a broker may answer with any number.
  return c.json(body, status as ContentfulStatusCode)
}

/** An answer that is not JSON, and sends itself. */
export abstract class Download {
  abstract send(c: Context<AppEnv>): Response | Promise<Response>
}

/** The type of a page. */
export const HTML = { 'Content-Type': 'text/html; charset=UTF-8' } as const

/** A text or bytes that are made already, with the headers that say what they are. */
export class MadeFile extends Download {
  constructor(
    private readonly content: string | Uint8Array<ArrayBuffer>,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    super()
  }

  send(c: Context<AppEnv>): Response {
    return c.body(this.content, 200, { ...this.headers })
  }
}

/** An answer with another status than that of a success. */
export class Reply {
  constructor(
    readonly status: ContentfulStatusCode,
    readonly body: object,
    readonly code?: ErrorCode,
  ) {}
}
