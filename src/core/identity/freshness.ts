import { MINUTE_MS } from '../time/index.js'
import type { Session } from './schema.js'

const TOTP_FRESH_MS = MINUTE_MS

/**
 * Returns whether the session's user has entered a valid code within the last 60 seconds. A clock that was set
 * back makes a code stale, never fresh.
 */
export function isTotpFresh({ totpVerifiedAt }: Pick<Session, 'totpVerifiedAt'>, now: number): boolean {
  return totpVerifiedAt !== null && isFresh(totpVerifiedAt, now, TOTP_FRESH_MS)
}

/** Returns whether an instant is at most this long ago. An instant in the future is not fresh. */
export function isFresh(at: number, now: number, lifetimeMs: number): boolean {
  const age = now - at
  return age >= 0 && age <= lifetimeMs
}
