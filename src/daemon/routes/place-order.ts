import { Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import { type Answer, type OrderDesk, placeOrderBody } from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { sendAnswer } from '../http/reply.js'
import { principalOf, readApiBody } from '../middleware/api-key.js'

export interface PlaceOrderParts {
  identity: Identity
  desk: OrderDesk
  /** Takes note of how long it took; never awaited. */
  recordLatency(sample: { symbol: string; answer: Answer; totalMs: number }): void
  /** A reading in milliseconds, for durations. */
  monotonic(): number
}

const MAX_KEY_LENGTH = 255

/** `POST /api/v1/placeorder` (specification, "Order placement"). */
export function placeOrderRoutes({
  identity,
  desk,
  recordLatency,
  monotonic,
}: PlaceOrderParts): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/', async (c) => {
    const startedAt = monotonic()
    const { apikey, ...payload } = parseWith(placeOrderBody, await readApiBody(c))
    const principal = await principalOf(identity, apikey)
    const idempotencyKey = keyOf(c.req.header('idempotency-key'))
    const context = {
      userId: principal.username,
      source: 'api' as const,
      ...(idempotencyKey && { idempotencyKey }),
    }
    if (c.req.header('x-dry-run') !== undefined) return sendAnswer(c, await desk.preview(payload, context))
    const answer = await desk.place(payload, context)
    recordLatency({ symbol: payload.symbol, answer, totalMs: monotonic() - startedAt })
    return sendAnswer(c, answer)
  })
}

function keyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  if (header.length > 0 && header.length <= MAX_KEY_LENGTH) return header
  throw new ServiceError('validation', `Idempotency-Key: Length must be between 1 and ${MAX_KEY_LENGTH}.`)
}
