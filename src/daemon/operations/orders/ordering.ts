import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { OrderOperationName } from '../../../core/orders/index.js'
import { changesOne, openRequest, requireOnlyMode } from '../../../core/orders/index.js'
import { noteOrder } from '../../audit/order-notes.js'
import type { RunningService } from '../../daemon.js'
import { parseKeyed } from '../../http/api-route.js'
import { keepAnswer, noteAsked } from '../../http/asked-request.js'
import type { HttpHandler } from '../../http/handlers.js'
import { withoutClientId } from '../../http/orders/client-order-id.js'
import { lostRightFor } from '../../http/orders/lost-right.js'
import { isDryRun, orderContext, signedInOf } from '../../http/orders/order-request.js'
import { noteCaller } from '../../http/request.js'
import { sendAnswer } from '../../http/response/reply.js'
import { principalOf, readOrderBody } from '../../middleware/api-key.js'
import { answerTo } from '../../orders/answer.js'
import type { AppEnv, AskedOrder } from '../../process/env.js'
import { http } from '../running.js'

const NO_DRY_RUN = 'X-Dry-Run: Only requests that place orders support a dry run, and of these no GTT order.'

/**
 * Returns the function of an order operation: it checks the fields, then the key, calls the order path once and
 * replies.
 */
export function ordering(operation: OrderOperationName): HttpHandler {
  return http('orders', (service, c) => answerOrder(c, operation, service))
}

async function answerOrder(
  c: Context<AppEnv>,
  operation: OrderOperationName,
  service: RunningService,
): Promise<Response> {
  const { clock, identity, orders } = service
  const startedAt = clock.monotonic()
  const { body, clientOrderId } = withoutClientId(operation, await readOrderBody(c))
  const asked: AskedOrder = {
    request: Object(body),
    callerKey: clientOrderId ?? c.req.header('idempotency-key'),
    mode: service.mode(),
    target: targetOf(operation, Object(body)),
  }
  noteAsked(c, asked)
  let apikey = ''
  const { preview, run } = openRequest(operation, (schema) => {
    const parsed = parseKeyed(schema, body)
    apikey = parsed.apikey
    return parsed.payload
  })
  const principal = await principalOf(identity, apikey)
  noteCaller(c, principal.username)
  noteAsked(c, { ...asked, userId: principal.username })
  const isDry = isDryRun(c)
  // Other operations have no preview: with the header they would execute all the same.
  if (isDry && !preview) throw new ServiceError('validation', NO_DRY_RUN)
  const person = signedInOf(c, operation, principal, identity)
  const lostRight = lostRightFor(operation, identity, principal)
  const context = orderContext(c, principal, person, { clientOrderId, clock, lostRight, startedAt })
  if (isDry) requireOnlyMode(context, service.mode())
  if (isDry && preview) return sendAnswer(c, answerTo(await preview(orders, context)))
  const answer = answerTo(await run(orders, context))
  keepAnswer(c, { requests: service.requests, proxies: service.daemon.proxies }, answer)
  noteOrder(service, c, { operation, principal: person ?? principal, answer })
  return sendAnswer(c, answer)
}

/** Returns the order or GTT that a request wants to change; undefined if it names none, or is no such request. */
function targetOf(
  operation: OrderOperationName,
  body: Readonly<Record<string, unknown>>,
): string | undefined {
  const named = changesOne(operation) ? (body.orderid ?? body.trigger_id) : undefined
  return typeof named === 'string' || typeof named === 'number' ? String(named) : undefined
}
