import type { Context } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { Principal } from '../../core/identity/index.js'
import type { PlaceContext } from '../../core/orders/index.js'
import type { AppEnv } from '../env.js'

const MAX_KEY_LENGTH = 255

/** Who places an order by the API, under which key of their own. @throws ServiceError `validation` */
export function orderContext(c: Context<AppEnv>, principal: Principal): PlaceContext {
  const key = c.req.header('idempotency-key')
  if (key !== undefined && (key.length === 0 || key.length > MAX_KEY_LENGTH)) {
    throw new ServiceError('validation', `Idempotency-Key: Length must be between 1 and ${MAX_KEY_LENGTH}.`)
  }
  return { userId: principal.username, source: 'api', ...(key !== undefined && { idempotencyKey: key }) }
}

export function isDryRun(c: Context<AppEnv>): boolean {
  return c.req.header('x-dry-run') !== undefined
}
