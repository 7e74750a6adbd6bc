import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'
import { PERMANENT } from './hours.js'

type SecurityData = RouteAnswer<'GET /security/api/data'>

export const BAN_COLUMNS = [
  { key: 'ip_address', title: 'ADDRESS' },
  { key: 'ban_reason', title: 'REASON' },
  { key: 'ban_count', title: 'BANS', kind: 'quantity', leaves: 1 },
  { key: 'banned_at', title: 'SINCE', kind: 'time', leaves: 2 },
  { key: 'expires_at', title: 'UNTIL', kind: 'time' },
  { key: 'created_by', title: 'BY', leaves: 3 },
] as const satisfies readonly Column[]

/** Returns the bans as a list shows them; to a person, one without an end is permanent. */
export function banRows({ banned_ips: bans }: Pick<SecurityData, 'banned_ips'>, isHuman: boolean) {
  return bans.map(({ banned_at_iso: bannedAt, expires_at_iso: expiresAt, ...row }) => ({
    ...row,
    banned_at: bannedAt,
    expires_at: isHuman && row.is_permanent ? PERMANENT : expiresAt,
  }))
}

export const SUSPECT_COLUMNS = [
  { key: 'ip_address', title: 'ADDRESS' },
  { key: 'offence' },
  { key: 'count', kind: 'quantity' },
  { key: 'first_at', title: 'FIRST', kind: 'time', leaves: 1 },
  { key: 'last_at', title: 'LAST', kind: 'time' },
] as const satisfies readonly Column[]

/** Returns the addresses that are on their way to a ban: those with 404s, then those with invalid API keys. */
export function suspectRows({
  suspicious_ips: scanners,
  api_abuse_ips: guessers,
}: Pick<SecurityData, 'suspicious_ips' | 'api_abuse_ips'>) {
  return [
    ...scanners.map((row) => ({
      ip_address: row.ip_address,
      offence: '404' as const,
      count: row.error_count,
      first_at: row.first_error_at_iso,
      last_at: row.last_error_at_iso,
    })),
    ...guessers.map((row) => ({
      ip_address: row.ip_address,
      offence: 'invalid key' as const,
      count: row.attempt_count,
      first_at: row.first_attempt_at_iso,
      last_at: row.last_attempt_at_iso,
    })),
  ]
}
