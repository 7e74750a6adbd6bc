import { z } from 'zod'
import { ORDER_MODES, SCOPES, type Scope } from '../../../core/identity/index.js'
import { fields } from '../../../core/validation/index.js'
import { instant } from '../common/payloads.js'

/** The steps of a password reset. */
export const RESET_STEPS = ['email', 'select_totp', 'select_email', 'totp', 'password'] as const

export const setupPayload = z.strictObject({
  username: fields.text(80),
  email: fields.text(120),
  password: fields.text(1024),
  confirm_password: fields.text(1024).optional(),
})
export const loginPayload = z.strictObject({
  username: fields.text(80),
  password: fields.text(1024),
})
export const loginCodePayload = z.strictObject({
  totp_code: fields.text(32),
  /** The token of the first step, for a client without its cookie. */
  login_token: fields.text(128).optional(),
})
export const reauthenticationPayload = z.strictObject({
  password: fields.text(1024),
  /** Needed if sign-ins need a code. */
  totp_code: fields.text(32).optional(),
})
const flag = fields.boolean().default(false)
export const twoFactorPayload = z.strictObject({
  /** An empty code gets its own refusal. */
  totp_code: fields.text(32).default(''),
  totp_enabled: flag,
  totp_required_for_login: flag,
  totp_required_for_mcp: flag,
  totp_required_for_password_reset: flag,
})
export const changePasswordPayload = z.strictObject({
  old_password: fields.text(1024).optional(),
  new_password: fields.text(1024).optional(),
  confirm_password: fields.text(1024).optional(),
})
/** The older form: `current_password` is another name of `old_password`, and the confirmation may be left out. */
export const changePayload = changePasswordPayload.extend({ current_password: fields.text(1024).optional() })
export const resetPayload = z.strictObject({
  step: fields
    .text(40)
    .optional()
    .meta({ enum: [...RESET_STEPS] }),
  email: fields.text(254).optional(),
  totp_code: fields.text(32).optional(),
  token: fields.text(128).optional(),
  password: fields.text(1024).optional(),
  confirm_password: fields.text(1024).optional(),
})
export const loginActivityQuery = z.object({
  status: fields.oneOf(['success', 'failed']).optional(),
  since: instant.optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 500, 'Must be between 1 and 500.')
    .optional(),
})
export const tokenPayload = z.strictObject({
  name: fields.text(80),
  scopes: z
    .array(fields.oneOf(Object.keys(SCOPES) as [Scope, ...Scope[]]))
    .min(1, 'At least one scope is required.'),
  expires: fields.text(20).optional(),
})

/** The scopes that can change something. */
export const WIDE_SCOPES = Object.keys(SCOPES).filter((scope) => scope !== 'read')

const NO_USER = 'User ID is required'
const NO_MODE = 'Invalid mode. Must be "auto" or "semi_auto"'
const userId = z.string(NO_USER).min(1, NO_USER)

export const userPayload = z.object({ user_id: userId })
export const orderModePayload = z.object({ user_id: userId, mode: z.enum(ORDER_MODES, NO_MODE) })
