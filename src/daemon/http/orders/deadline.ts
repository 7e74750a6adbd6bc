import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { requireInTime } from '../../../core/orders/index.js'
import type { Clock } from '../../../core/time/index.js'
import type { AppEnv } from '../../process/env.js'
import { DaemonRequest } from '../request.js'

const DEFAULT_SECONDS = 30
const MAX_SECONDS = 3600

/**
 * Returns the caller's deadline, by {@link Clock.monotonic}: `X-Request-Timeout` seconds after the request
 * was received, 30 without the header.
 * @throws ServiceError `validation`, or `request_expired` when the deadline has passed
 */
export function deadlineOf(c: Context<AppEnv>, clock: Pick<Clock, 'monotonic'>): number {
  const { incoming } = c.env
  const stamp = incoming instanceof DaemonRequest ? incoming.receivedAt : undefined
  const receivedAt = stamp ?? clock.monotonic()
  const deadline = receivedAt + secondsOf(c.req.header('x-request-timeout')) * 1000
  requireInTime(clock, deadline)
  return deadline
}

function secondsOf(header: string | undefined): number {
  if (header === undefined) return DEFAULT_SECONDS
  const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(header) ? Number(header) : 0
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds
  throw new ServiceError('validation', `X-Request-Timeout: Must be a number of seconds up to ${MAX_SECONDS}.`)
}
