import { z } from 'zod'
import { count, instant, message, text } from '../common/answers.js'

/** Answers of the bans (docs/access.md). The times without `_iso` are texts in UTC for people. */

export const done = z.strictObject({ success: z.literal(true), message })

export const banned = z.strictObject({
  success: z.literal(true),
  message,
  network: text
    .optional()
    .meta({ description: 'The network that is banned, if it is more than the address.' }),
})

const settings = z.strictObject({
  auto_ban_enabled: z.boolean(),
  '404_threshold': count,
  '404_ban_duration': count.meta({ description: 'Hours; 0 is permanent.' }),
  api_threshold: count,
  api_ban_duration: count.meta({ description: 'Hours; 0 is permanent.' }),
  repeat_offender_limit: count,
})

export const changedSettings = z.strictObject({ success: z.literal(true), message, settings })

export const data = z.strictObject({
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
  security_settings: settings,
})

export const stats = z.strictObject({
  total_bans: count,
  permanent_bans: count,
  temporary_bans: count,
  suspicious_ips: count.meta({ description: 'Addresses with at least 5 requests for missing paths.' }),
  near_threshold: count.meta({ description: 'Addresses that reached three quarters of the 404 threshold.' }),
})
