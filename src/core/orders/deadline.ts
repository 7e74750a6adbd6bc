import { ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'
import type { Caller, Objection } from './ports.js'

/** The time on {@link Clock.monotonic} at which the caller stops waiting. Orders of workflows have none. */
type Deadline = number | undefined

const EXPIRED: Objection = {
  code: 'request_expired',
  message: 'The deadline of the request (X-Request-Timeout) passed before it was executed; nothing was sent.',
}

/** Returns the refusal of an order whose deadline has passed; undefined before that. */
export function expired(clock: Pick<Clock, 'monotonic'>, deadline: Deadline): Objection | undefined {
  return deadline !== undefined && clock.monotonic() > deadline ? EXPIRED : undefined
}

/** Refuses an order whose deadline has passed. @throws ServiceError `request_expired` */
export function requireInTime(clock: Pick<Clock, 'monotonic'>, deadline: Deadline): void {
  refuseFor(expired(clock, deadline))
}

/** Returns why nothing more is sent for a caller: it has lost its right, or has stopped waiting. */
export function objectionTo(
  clock: Pick<Clock, 'monotonic'>,
  caller: Caller | undefined,
): Objection | undefined {
  return caller?.lostRight?.() ?? expired(clock, caller?.deadline)
}

/** Refuses an order whose caller has lost its right or stopped waiting. @throws ServiceError */
export function requireCaller(clock: Pick<Clock, 'monotonic'>, caller: Caller | undefined): void {
  refuseFor(objectionTo(clock, caller))
}

/** Refuses a change whose caller has lost its right. @throws ServiceError */
export function requireRight({ lostRight }: Caller): void {
  refuseFor(lostRight?.())
}

function refuseFor(objection: Objection | undefined): void {
  if (objection) throw new ServiceError(objection.code, objection.message)
}
