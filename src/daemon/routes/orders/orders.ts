import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import type { OrderOperationName } from '../../../core/operations/index.js'
import { EXECUTABLE, type OrderPath } from '../../../core/orders/index.js'
import type { Clock } from '../../../core/time/index.js'
import type { NoteOrder } from '../../audit/order-notes.js'
import { parseKeyed } from '../../http/api-route.js'
import { type Handlers, type HttpHandler, httpHandler } from '../../http/handlers.js'
import { isDryRun, orderContext, signedInOf } from '../../http/orders/order-request.js'
import { noteCaller } from '../../http/request.js'
import { sendAnswer } from '../../http/response/reply.js'
import { principalOf, readOrderBody } from '../../middleware/api-key.js'
import { answerTo } from '../../orders/answer.js'
import type { AppEnv } from '../../process/env.js'

interface OrderParts {
  /** Called with each answer, for the audit trail. It must be cheap and never throw. */
  noteOrder?: NoteOrder
  identity: Identity
  orders: OrderPath
  clock: Pick<Clock, 'monotonic'>
}

/**
 * Returns the handlers of orders. Each checks the fields, then the key, calls the order path once and
 * replies.
 */
export function orderHandlers(parts: OrderParts) {
  const order = (operation: OrderOperationName): HttpHandler =>
    httpHandler((c) => answerOrder(c, operation, parts))
  return {
    'POST /api/v1/placeorder': order('placeorder'),
    'POST /api/v1/placesmartorder': order('placesmartorder'),
    'POST /api/v1/basketorder': order('basketorder'),
    'POST /api/v1/splitorder': order('splitorder'),
    'POST /api/v1/optionsorder': order('optionsorder'),
    'POST /api/v1/optionsmultiorder': order('optionsmultiorder'),
    'POST /api/v1/modifyorder': order('modifyorder'),
    'POST /api/v1/cancelorder': order('cancelorder'),
    'POST /api/v1/cancelallorder': order('cancelallorder'),
    'POST /api/v1/closeposition': order('closeposition'),
    'POST /api/v1/placegttorder': order('placegttorder'),
    'POST /api/v1/modifygttorder': order('modifygttorder'),
    'POST /api/v1/cancelgttorder': order('cancelgttorder'),
    'POST /api/v1/gttorderbook': async (_input, { username }) => ({
      status: 'success',
      ...(await parts.orders.gtts.book(username)),
    }),
  } satisfies Partial<Handlers>
}

async function answerOrder(
  c: Context<AppEnv>,
  operation: OrderOperationName,
  { clock, identity, noteOrder, orders }: OrderParts,
): Promise<Response> {
  const startedAt = clock.monotonic()
  const given = await readOrderBody(c)
  let apikey = ''
  const { preview, run } = EXECUTABLE[operation].open((schema) => {
    const parsed = parseKeyed(schema, given)
    apikey = parsed.apikey
    return parsed.payload
  })
  const principal = await principalOf(identity, apikey)
  noteCaller(c, principal.username)
  const isDry = isDryRun(c)
  // Other operations have no preview: with the header they would execute all the same.
  if (isDry && !preview)
    throw new ServiceError('validation', 'X-Dry-Run: Only placeorder supports a dry run.')
  const person = signedInOf(c, operation, principal, identity)
  const context = orderContext(c, principal, person, clock, startedAt)
  if (isDry && preview) return sendAnswer(c, answerTo(await preview(orders, context)))
  const answer = answerTo(await run(orders, context))
  noteOrder?.(c, { operation, principal: person ?? principal, answer })
  return sendAnswer(c, answer)
}
