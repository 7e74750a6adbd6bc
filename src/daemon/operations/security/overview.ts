import { z } from 'zod'
import type { Ban, BanRules, IpSecurity, Offences } from '../../../core/security/index.js'
import { utcDayFirst } from '../../../core/time/index.js'
import { count, instant, text } from '../common/answers.js'

const SUSPICIOUS = 5
/** The part of the threshold at which an address is near it. */
const NEAR = 0.75

/* The times without `_iso` are texts in UTC for people. */

export const securitySettings = z.strictObject({
  auto_ban_enabled: z.boolean(),
  '404_threshold': count,
  '404_ban_duration': count.meta({ description: 'Hours; 0 is permanent.' }),
  api_threshold: count,
  api_ban_duration: count.meta({ description: 'Hours; 0 is permanent.' }),
  repeat_offender_limit: count,
})

export const securityData = z.strictObject({
  banned_ips: z.array(
    z.strictObject({
      ip_address: text.meta({ description: 'An IPv4 address, or the /64 network of an IPv6 address.' }),
      ban_reason: text,
      banned_at: text,
      banned_at_iso: instant,
      expires_at: text,
      expires_at_iso: instant.nullable(),
      is_permanent: z.boolean(),
      ban_count: count,
      created_by: z.enum(['manual', 'host_ban', '404_detector', 'api_key_detector']),
    }),
  ),
  suspicious_ips: z.array(
    z.strictObject({
      ip_address: text,
      error_count: count,
      first_error_at: text,
      first_error_at_iso: instant,
      last_error_at: text,
      last_error_at_iso: instant,
      paths_attempted: text.meta({ description: 'A JSON array as text: up to 50 distinct paths.' }),
    }),
  ),
  api_abuse_ips: z.array(
    z.strictObject({
      ip_address: text,
      attempt_count: count,
      first_attempt_at: text,
      first_attempt_at_iso: instant,
      last_attempt_at: text,
      last_attempt_at_iso: instant,
      api_keys_tried: text.meta({
        description: 'A JSON array as text: the first 16 digits of the SHA-256 of up to 20 distinct keys.',
      }),
    }),
  ),
  security_settings: securitySettings,
})

export const securityStats = z.strictObject({
  total_bans: count,
  permanent_bans: count,
  temporary_bans: count,
  suspicious_ips: count.meta({ description: 'Addresses with at least 5 requests for missing paths.' }),
  near_threshold: count.meta({ description: 'Addresses that reached three quarters of the 404 threshold.' }),
})

/** Returns the bans, the addresses under suspicion and the settings. */
export function securityDataView(security: IpSecurity, rules: BanRules) {
  const { missingPaths, invalidKeys } = security.offences()
  return {
    banned_ips: security.bans.active().map(banRow),
    suspicious_ips: missingPaths.map(missingPathsRow),
    api_abuse_ips: invalidKeys.map(invalidKeysRow),
    security_settings: securitySettingsView(rules),
  }
}

export function securityStatsView(security: IpSecurity, { security404Threshold }: BanRules) {
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

export function securitySettingsView(rules: BanRules) {
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
