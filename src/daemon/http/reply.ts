import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { OrderResult } from '../../core/orders/index.js'
import type { AppEnv } from '../process/env.js'
import { CODE_HEADER } from './errors.js'

/** Sends the result of an order request, with its reference and error code in headers. */
export function sendAnswer(c: Context<AppEnv>, answer: OrderResult): Response {
  if (answer.orderRef) c.header('X-Order-Ref', answer.orderRef)
  if (answer.code !== 'ok') c.header(CODE_HEADER, answer.code)
  return c.json(answer.body, answer.status as ContentfulStatusCode)
}
