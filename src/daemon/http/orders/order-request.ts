import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { allows, type Identity, type Principal } from '../../../core/identity/index.js'
import type { PlaceContext } from '../../../core/orders/index.js'
import { type OrderOperationName, orderOperation } from '../../../core/orders/index.js'
import type { Clock } from '../../../core/time/index.js'
import type { TradingMode } from '../../../core/trading/index.js'
import { bearerOf, callerOfToken } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'
import { oneKey } from './client-order-id.js'
import { deadlineOf } from './deadline.js'

const MAX_KEY_LENGTH = 255

/** How a request arrived. */
interface Arrival {
  clock: Pick<Clock, 'monotonic'>
  /** The reading of the clock when it arrived. */
  startedAt: number
  /** The key that its body has instead of a header. */
  clientOrderId: string | undefined
  /** Returns why nothing more is sent for it; absent for a request that its caller's key cannot stop. */
  lostRight: PlaceContext['lostRight']
}

/**
 * Returns who places an order by the API, the caller's own idempotency key, its deadline and the mode that it asks for.
 * @param signedIn the person who is signed in and sends the request, if there is one
 * @throws ServiceError `validation`, or `request_expired` when the deadline has passed
 */
export function orderContext(
  c: Context<AppEnv>,
  principal: Principal,
  signedIn: Principal | undefined,
  { clientOrderId, clock, lostRight, startedAt }: Arrival,
): PlaceContext {
  const key = oneKey(idempotencyKeyOf(c), clientOrderId)
  const deadline = deadlineOf(c, clock)
  const onlyMode = onlyModeOf(c)
  return {
    userId: principal.username,
    source: 'api',
    deadline,
    startedAt,
    requestId: c.get('requestId'),
    ...(lostRight && { lostRight }),
    ...(signedIn && { signedIn: true }),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(onlyMode !== undefined && { onlyMode }),
  }
}

/**
 * Returns the person who sends a change that may lower risk: the owner of the API key, whose session, or token with the
 * scope `orders`, is the bearer of the request. A bearer alone opens none of these endpoints, and a cookie is none.
 */
export function signedInOf(
  c: Context<AppEnv>,
  operation: OrderOperationName,
  { username }: Principal,
  identity: Identity,
): Principal | undefined {
  const bearer = orderOperation(operation)?.lowersRisk === undefined ? undefined : bearerOf(c)
  const person = bearer === undefined ? undefined : callerOfToken(bearer, identity)?.principal
  return person?.username === username && allows(person, 'orders') ? person : undefined
}

/** Returns the caller's own key for its request. @throws ServiceError `validation` */
export function idempotencyKeyOf(c: Context<AppEnv>): string | undefined {
  const key = c.req.header('idempotency-key')
  if (key !== undefined && (key.length === 0 || key.length > MAX_KEY_LENGTH)) {
    throw new ServiceError('validation', `Idempotency-Key: Length must be between 1 and ${MAX_KEY_LENGTH}.`)
  }
  return key
}

/** Returns the only mode in which the caller wants its request executed. @throws ServiceError `validation` */
export function onlyModeOf(c: Context<AppEnv>): TradingMode | undefined {
  const mode = c.req.header('x-only-mode')
  if (mode === undefined || mode === 'live' || mode === 'analyze') return mode
  throw new ServiceError('validation', 'X-Only-Mode: Must be one of: live, analyze.')
}

export function isDryRun(c: Context<AppEnv>): boolean {
  return c.req.header('x-dry-run') !== undefined
}
