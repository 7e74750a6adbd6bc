import { type ErrorCode, ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'

/** When an order's caller stops waiting, on {@link Clock.monotonic}. Orders of workflows have no deadline. */
export type Deadline = number | undefined

const EXPIRED: { code: ErrorCode; message: string } = {
  code: 'request_expired',
  message: 'The request waited past its deadline (X-Request-Timeout); nothing was sent for it.',
}

/** Returns why an order must not be sent any more, when its caller has stopped waiting. */
export function expired(
  clock: Pick<Clock, 'monotonic'>,
  deadline: Deadline,
): { code: ErrorCode; message: string } | undefined {
  return deadline !== undefined && clock.monotonic() > deadline ? EXPIRED : undefined
}

/** @throws ServiceError `request_expired` */
export function requireInTime(clock: Pick<Clock, 'monotonic'>, deadline: Deadline): void {
  const late = expired(clock, deadline)
  if (late) throw new ServiceError(late.code, late.message)
}
