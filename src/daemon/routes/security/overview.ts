import type { Ban, BanRules, IpSecurity, Offences } from '../../../core/security/index.js'
import { utcDayFirst } from '../../../core/time/index.js'

const SUSPICIOUS = 5
/** The part of the threshold at which an address is near it. */
const NEAR = 0.75

/** Returns the bans, the addresses under suspicion and the settings. */
export function securityData(security: IpSecurity, rules: BanRules) {
  const { missingPaths, invalidKeys } = security.offences()
  return {
    banned_ips: security.bans.active().map(banRow),
    suspicious_ips: missingPaths.map(missingPathsRow),
    api_abuse_ips: invalidKeys.map(invalidKeysRow),
    security_settings: settingsRow(rules),
  }
}

export function securityStats(security: IpSecurity, { security404Threshold }: BanRules) {
  const bans = security.bans.active()
  const permanent = bans.filter(({ expiresAt }) => expiresAt === null).length
  const counts = security.offences().missingPaths.map(({ count }) => count)
  return {
    total_bans: bans.length,
    permanent_bans: permanent,
    temporary_bans: bans.length - permanent,
    suspicious_ips: counts.filter((count) => count >= SUSPICIOUS).length,
    near_threshold: counts.filter((count) => count >= security404Threshold * NEAR).length,
  }
}

export function settingsRow(rules: BanRules) {
  return {
    auto_ban_enabled: rules.securityAutoBanEnabled,
    '404_threshold': rules.security404Threshold,
    '404_ban_duration': rules.security404BanDuration,
    api_threshold: rules.securityApiThreshold,
    api_ban_duration: rules.securityApiBanDuration,
    repeat_offender_limit: rules.securityRepeatOffenderLimit,
  }
}

function banRow({ address, reason, count, bannedAt, expiresAt, source }: Ban) {
  return {
    ip_address: address,
    ban_reason: reason,
    banned_at: utcDayFirst(bannedAt),
    banned_at_iso: iso(bannedAt),
    expires_at: expiresAt === null ? 'Permanent' : utcDayFirst(expiresAt),
    expires_at_iso: expiresAt === null ? null : iso(expiresAt),
    is_permanent: expiresAt === null,
    ban_count: count,
    created_by: source,
  }
}

function missingPathsRow({ address, count, firstAt, lastAt, details }: Offences) {
  return {
    ip_address: address,
    error_count: count,
    first_error_at: utcDayFirst(firstAt),
    first_error_at_iso: iso(firstAt),
    last_error_at: utcDayFirst(lastAt),
    last_error_at_iso: iso(lastAt),
    paths_attempted: JSON.stringify(details),
  }
}

function invalidKeysRow({ address, count, firstAt, lastAt, details }: Offences) {
  return {
    ip_address: address,
    attempt_count: count,
    first_attempt_at: utcDayFirst(firstAt),
    first_attempt_at_iso: iso(firstAt),
    last_attempt_at: utcDayFirst(lastAt),
    last_attempt_at_iso: iso(lastAt),
    api_keys_tried: JSON.stringify(details),
  }
}

const iso = (at: number): string => new Date(at).toISOString()
