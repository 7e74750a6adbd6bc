import { type ErrorCode, ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'

/** Until when the caller of an order waits, as a reading of {@link Clock.monotonic}. Approvals and workflows have none. */
export type Deadline = number | undefined

const EXPIRED: { code: ErrorCode; message: string } = {
  code: 'request_expired',
  message: 'The request waited past its deadline (X-Request-Timeout); nothing was sent for it.',
}

/** Why an order must not be sent any more, once its caller has stopped waiting. */
export function expired(
  clock: Pick<Clock, 'monotonic'>,
  deadline: Deadline,
): { code: ErrorCode; message: string } | undefined {
  return deadline !== undefined && clock.monotonic() > deadline ? EXPIRED : undefined
}

/** @throws ServiceError `request_expired` (503) */
export function requireInTime(clock: Pick<Clock, 'monotonic'>, deadline: Deadline): void {
  const late = expired(clock, deadline)
  if (late) throw new ServiceError(late.code, late.message)
}
