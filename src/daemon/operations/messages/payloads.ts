import { z } from 'zod'
import { CHANNELS, MAX_TEXT, MESSAGE_STATES } from '../../../core/notifications/schema.js'
import { fields } from '../../../core/validation/index.js'

const message = fields
  .text(Number.POSITIVE_INFINITY)
  .max(MAX_TEXT, `Message must not exceed ${MAX_TEXT} characters`)
  .optional()
const phone = z.union([z.string().max(64), z.int()], { error: 'Invalid phone number' })

export const telegramPayload = z.strictObject({
  username: fields.text(80).optional(),
  message,
  /** A number from 1 to 10; a message with a higher one goes first. Any other value counts as 5. */
  priority: z
    .unknown()
    .optional()
    .meta({ type: ['integer', 'string'] }),
  wait_for_delivery: fields.boolean().default(false),
})

export const whatsappPayload = z.strictObject({
  self: fields.boolean().optional(),
  phones: z.array(phone, { error: "'phones' must be a list" }).optional(),
  phone: phone.optional(),
  username: fields.text(80).optional(),
  message,
  image_path: fields.text(4096).optional(),
  document_path: fields.text(4096).optional(),
  caption: fields.text(MAX_TEXT).optional(),
  filename: fields.text().optional(),
  wait_for_delivery: fields.boolean().default(true),
})

/** A text, or null or an empty text to remove it. */
const removable = (maxLength: number, rule: RegExp, error: string) =>
  fields
    .text(maxLength)
    .nullable()
    .refine((text) => text === null || text === '' || rule.test(text), error)
    .optional()

const HTTPS = /^https:\/\/[^\s/]+\S*$/

export const telegramConfigPayload = z.strictObject({
  token: removable(150, /^\d{5,20}:[\w-]{20,100}$/, 'Must be the token of a Telegram bot.'),
  webhook_url: removable(500, HTTPS, 'Must be an address that begins with https://.'),
  polling_mode: fields.boolean().optional(),
  broadcast_enabled: fields.boolean().optional(),
  rate_limit_per_minute: z
    .unknown()
    .transform((value, ctx): number | undefined => {
      if (value === undefined) return undefined
      const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value
      if (typeof number === 'number' && Number.isInteger(number)) {
        if (number >= 1 && number <= 120) return number
        ctx.addIssue({ code: 'custom', message: 'rate_limit_per_minute must be between 1 and 120' })
      } else {
        ctx.addIssue({ code: 'custom', message: 'rate_limit_per_minute must be an integer' })
      }
      return z.NEVER
    })
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: 120 }),
})

export const usersQuery = z.object({
  broker: fields.text(50).optional(),
  notifications_enabled: fields.boolean().optional(),
})

export const broadcastPayload = z.strictObject({
  message,
  /** Which users get it: those with this broker, and with messages on or off. */
  filters: z
    .strictObject({ broker: fields.text(50).optional(), notifications_enabled: fields.boolean().optional() })
    .optional(),
})

/** A number out of range counts as the nearest one in it. */
export const statsQuery = z.object({
  days: fields
    .integer()
    .transform((days) => Math.min(Math.max(days, 1), 365))
    .default(7),
})

const telegramId = z
  .union([z.int(), z.string().regex(/^-?\d{1,20}$/)], { error: notAnId })
  .transform(String)
  .optional()

function notAnId({ input }: { input?: unknown }): string {
  return input === null ? 'Field may not be null.' : 'Not a valid integer.'
}

export const telegramPreferencesQuery = z.object({ telegram_id: telegramId })

const timeOfDay = fields.text(5).regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time like 18:00.')
const timezone = fields.text(64).refine(isTimeZone, 'Must be a time zone like Asia/Kolkata.')

const summary = {
  daily_summary: fields.boolean().optional(),
  summary_time: timeOfDay.optional(),
  language: fields.oneOf(['en']).optional(),
  timezone: timezone.optional(),
}

export const telegramPreferencesPayload = z.strictObject({
  telegram_id: telegramId,
  order_notifications: fields.boolean().optional(),
  trade_notifications: fields.boolean().optional(),
  pnl_notifications: fields.boolean().optional(),
  ...summary,
})

/** The choice of a user on one channel: the events, and the daily summary. */
export const contactPreferencesPayload = z.strictObject({
  enabled: fields.boolean().optional(),
  orders: fields.boolean().optional(),
  failures: fields.boolean().optional(),
  trades: fields.boolean().optional(),
  approvals: fields.boolean().optional(),
  system: fields.boolean().optional(),
  pnl: fields.boolean().optional(),
  ...summary,
})

export const contactPayload = z.strictObject({ address: fields.text(255) })

export const whatsappChannelPayload = z.strictObject({
  token: removable(1000, /^[\w.|-]{20,1000}$/, 'Must be an access token of the WhatsApp Cloud API.'),
  phone_number_id: removable(32, /^\d{5,32}$/, 'Must be the id of a phone number, in digits.'),
  app_secret: removable(100, /^[0-9a-f]{16,100}$/i, 'Must be the secret of the app.'),
  verify_token: removable(100, /^[\w-]{8,100}$/, 'Must be 8 to 100 letters, digits, underscores or dashes.'),
  template: removable(512, /^[a-z0-9_]{1,512}$/, 'Must be the name of a template.'),
  template_language: fields
    .text(16)
    .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'Must be a language like en or en_US.')
    .optional(),
})

export const testPayload = z.strictObject({ channel: fields.oneOf(CHANNELS) })

export const messageQueueQuery = z.object({
  channel: fields.oneOf(CHANNELS).optional(),
  state: fields.oneOf(MESSAGE_STATES).optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(50),
  before: fields.integer().optional(),
})

export const retryPayload = z.strictObject({ id: fields.integer().optional() })

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
