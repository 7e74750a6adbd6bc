import { type Clock, MINUTE_MS } from '../time/index.js'
import type { Session } from './schema.js'

const TOTP_FRESH_MS = MINUTE_MS

/** Returns whether the session's user has entered a valid code within the last 60 seconds. */
export function isTotpFresh(
  { codeReading }: Pick<Session, 'codeReading'>,
  clock: Pick<Clock, 'monotonic'>,
): boolean {
  return codeReading !== null && isFresh(codeReading, clock, TOTP_FRESH_MS)
}

/** Returns whether a monotonic reading is at most this old. */
export function isFresh(reading: number, clock: Pick<Clock, 'monotonic'>, lifetimeMs: number): boolean {
  return clock.monotonic() - reading <= lifetimeMs
}
