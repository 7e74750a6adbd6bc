import { type ErrorCode, ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'

/** The time on {@link Clock.monotonic} at which the caller stops waiting. Orders of workflows have none. */
type Deadline = number | undefined

const EXPIRED: { code: ErrorCode; message: string } = {
  code: 'request_expired',
  message: 'The deadline of the request (X-Request-Timeout) passed before it was executed; nothing was sent.',
}

/** Returns the refusal of an order whose deadline has passed; undefined before that. */
export function expired(
  clock: Pick<Clock, 'monotonic'>,
  deadline: Deadline,
): { code: ErrorCode; message: string } | undefined {
  return deadline !== undefined && clock.monotonic() > deadline ? EXPIRED : undefined
}

/** Refuses an order whose deadline has passed. @throws ServiceError `request_expired` */
export function requireInTime(clock: Pick<Clock, 'monotonic'>, deadline: Deadline): void {
  const late = expired(clock, deadline)
  if (late) throw new ServiceError(late.code, late.message)
}
