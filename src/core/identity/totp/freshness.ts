import type { Session } from '../schema.js'

const FRESH_MS = 60_000

/**
 * Returns whether the session's user has entered a valid code within the last 60 seconds. A clock that was set
 * back makes a code stale, never fresh.
 */
export function isTotpFresh({ totpVerifiedAt }: Pick<Session, 'totpVerifiedAt'>, now: number): boolean {
  if (totpVerifiedAt === null) return false
  const age = now - totpVerifiedAt
  return age >= 0 && age <= FRESH_MS
}
