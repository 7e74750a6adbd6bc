import { z } from 'zod'
import { ORDER_MODES, SCOPES } from '../../../core/identity/index.js'
import { count, instant, message, ok, text } from '../common/answers.js'
import { deskFields } from '../common/desk.js'
import { smtp } from '../control/smtp-answers.js'

/**
 * Answers of set-up, sessions, tokens, the API key and health (docs/api.md, "Set-up, sessions, tokens,
 * keys").
 */

export const version = ok({ name: z.literal('svc'), version: text })

const verdict = z.enum(['pass', 'fail'])
export const live = z.strictObject({ status: z.literal('pass'), serviceId: text, pid: count })
export const ready = z.strictObject({
  status: verdict,
  checks: z.strictObject({
    recovery: z.enum(['done', 'pending']),
    /** Requests are accepted also while only the broker session is missing. */
    requests: z.enum(['accepted', 'refused']),
    /** `ok`, or the file that was removed or replaced or cannot be written, and why. */
    storage: z.string(),
    broker: z.enum(['connected', 'disconnected']),
    instruments: count,
  }),
})
export const healthStatus = z.strictObject({
  status: z.enum(['pass', 'warn', 'fail']),
  version: text,
  serviceId: text,
  description: text,
})

const rules = z.array(text)
export const needsSetup = ok({
  needs_setup: z.boolean(),
  rules: z
    .strictObject({ username: rules, email: rules, password: rules })
    .optional()
    .meta({ description: 'The rules of each field in words, while the account must still be created.' }),
})
export const setUp = ok({ message, username: text, apikey: text })

export const newSession = ok({
  token: text,
  csrf_token: text,
  username: text,
  expires_at: instant,
  message: text.optional(),
  broker: text.optional().meta({ description: 'The broker, if the sign-in connected it again.' }),
})
export const signedIn = z.union([
  newSession,
  z
    .strictObject({
      status: z.literal('totp_required'),
      message,
      login_token: text.meta({ description: 'For POST /auth/login/totp; also in a cookie.' }),
      expires_at: instant,
    })
    .meta({ description: 'The password is correct; a code is also required.' }),
])

export const reauthenticated = ok({
  message,
  fresh_until: instant.nullable().meta({
    description: 'The time until which this session may do dangerous acts; null if they never ask.',
  }),
})

const flag = z.boolean()
const twoFactorFlags = {
  totp_enabled: flag,
  totp_required_for_login: flag,
  totp_required_for_mcp: flag,
  totp_required_for_password_reset: flag,
}
export const twoFactor = ok(twoFactorFlags)
export const twoFactorStatus = ok({ ...twoFactorFlags, last_totp_verified_at: instant.nullable() })
const onlySession = { description: 'Only for a session; null for a personal access token.' }
export const profile = ok({
  data: z.strictObject({
    username: text,
    smtp_settings: smtp,
    qr_code: text.nullable().meta({ description: 'A PNG image in base64. Only for a session.' }),
    totp_secret: text.nullable().meta(onlySession),
    provisioning_uri: text.nullable().meta(onlySession),
  }),
})

const orderMode = z.enum(ORDER_MODES)
export const userFields = {
  order_mode: orderMode,
  analyze_mode: z.boolean(),
  broker: text,
  broker_available: z.boolean(),
  broker_connected: z.boolean(),
}
export const sessionStatus = z.union([
  ok({ message, authenticated: z.literal(false), logged_in: z.literal(false) }),
  ok({
    authenticated: z.literal(true),
    logged_in: z.literal(true),
    user: text,
    ...userFields,
    active_sessions: count,
  }),
])

const scope = z.enum(Object.keys(SCOPES))
export const csrfToken = z.strictObject({ csrf_token: text })
export const whoami = ok({
  data: z.strictObject({
    username: text,
    kind: z.enum(['session', 'token']),
    scopes: z.array(scope),
    expires_at: instant.nullable(),
    ...userFields,
    ...deskFields,
  }),
})
export const ticket = ok({ ticket: text })
const ownSessions = {
  current_session_id: text.nullable(),
  sessions: z.array(
    z.strictObject({
      session_id: text,
      device_info: text.nullable(),
      ip_address: text.nullable(),
      broker: text.nullable(),
      login_time: text,
      last_seen: text,
    }),
  ),
}
export const activeSessions = ok(ownSessions)
export const sessions = ok({ count, ...ownSessions })

export const reset = ok({
  message: message.optional(),
  method: z.literal('totp').optional(),
  token: text.optional().meta({ description: 'Of step totp: to set the password, within ten minutes.' }),
})
export const loginActivity = ok({
  attempts: z.array(
    z.strictObject({
      username: text,
      ip_address: text.nullable(),
      device_info: text.nullable(),
      status: z.enum(['success', 'failed']),
      login_type: text.nullable(),
      broker: text.nullable(),
      failure_reason: text.nullable(),
      timestamp: text.meta({ description: 'Indian time, without a zone.' }),
    }),
  ),
})

const token = z.strictObject({
  id: count,
  name: text,
  scopes: z.array(scope),
  created_at: instant,
  expires_at: instant.nullable(),
  last_used_at: instant.nullable(),
  revoked_at: instant.nullable(),
})
export const tokens = ok({ data: z.array(token) })
export const newToken = ok({ token: text.meta({ description: 'Returned only once.' }), data: token })

export const apiKey = z.strictObject({
  login_username: text,
  has_api_key: z.boolean(),
  api_key: text.nullable(),
  order_mode: orderMode,
})
export const newApiKey = z.strictObject({ message, api_key: text, key_id: count })
export const changedMode = z.strictObject({ message, mode: orderMode })
