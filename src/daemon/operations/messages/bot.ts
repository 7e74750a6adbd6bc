import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { MAX_TEXT, type Messages } from '../../../core/notifications/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { count, instant, ok, text } from '../common/answers.js'
import { fingerprint } from '../common/fingerprint.js'

/** A text, or null or an empty text to remove it. */
export const removable = (maxLength: number, rule: RegExp, error: string) =>
  fields
    .text(maxLength)
    .nullable()
    .refine((text) => text === null || text === '' || rule.test(text), error)
    .optional()

const HTTPS = /^https:\/\/[^\s/]\S*$/

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

export const telegramConfig = ok({
  data: z.strictObject({
    bot_token: text.nullable().meta({ description: 'The id of the bot, never the whole token.' }),
    is_active: z.boolean(),
    bot_username: text.nullable(),
    max_message_length: count,
    rate_limit_per_minute: count,
    broadcast_enabled: z.boolean(),
    polling_mode: z.boolean(),
    webhook_url: text.nullable(),
    created_at: instant,
    updated_at: instant,
  }),
})

/** Starts the bot and delivers what waited for it. @returns a text about the mode */
export async function startBot({ queue, telegram }: Messages): Promise<string> {
  const message = await telegram.start()
  queue.wake('telegram')
  return message
}

export async function stopBot({ telegram }: Messages): Promise<string> {
  await telegram.stop()
  return 'Bot stopped successfully'
}

/** Returns the settings of the bot. Of the token only the id of the bot, which is public. */
export function telegramView({ settings, telegram }: Messages) {
  const now = settings.get()
  const token = settings.secret('telegramToken')
  return {
    bot_token: token === undefined ? null : `${token.split(':')[0]}...`,
    is_active: telegram.isRunning,
    bot_username: now.telegramUsername,
    max_message_length: MAX_TEXT,
    rate_limit_per_minute: now.telegramRatePerMinute,
    broadcast_enabled: now.telegramBroadcast,
    polling_mode: now.telegramPolling,
    webhook_url: now.telegramWebhookUrl,
    created_at: new Date(now.createdAt).toISOString(),
    updated_at: new Date(now.updatedAt).toISOString(),
  }
}

/**
 * Changes settings of the bot; one that runs starts anew with them.
 * @throws ServiceError `validation` for webhook mode without an address, `refused` if Telegram refuses the token or the
 *   webhook: then nothing changes
 */
export async function changeTelegram(
  { queue, settings, telegram }: Messages,
  body: z.output<typeof telegramConfigPayload>,
): Promise<void> {
  const { broadcast_enabled, polling_mode, rate_limit_per_minute, token, webhook_url } = body
  const now = settings.get()
  const webhookUrl = webhook_url === '' ? null : webhook_url
  const isPolling = polling_mode ?? now.telegramPolling
  if (!isPolling && (webhookUrl === undefined ? now.telegramWebhookUrl : webhookUrl) === null) {
    const errors = { webhook_url: ['Is needed while polling_mode is off.'] }
    throw new ServiceError('validation', 'webhook_url: Is needed while polling_mode is off.', { errors })
  }
  await telegram.change({
    telegramToken: token === '' ? null : token,
    telegramWebhookUrl: webhookUrl,
    telegramPolling: polling_mode,
    telegramBroadcast: broadcast_enabled,
    telegramRatePerMinute: rate_limit_per_minute,
  })
  queue.wake('telegram')
}

/** @throws ServiceError `conflict` while the bot does not run */
export function requireRunning(telegram: Pick<Messages['telegram'], 'isRunning'>): void {
  if (!telegram.isRunning)
    throw new ServiceError('conflict', 'Telegram bot is stopped. Start the bot to send notifications.')
}

export function telegramValues({ service: { messages } }: ActRequest<RunningService>) {
  const { created_at, updated_at, bot_token, ...settings } = telegramView(messages)
  const token = messages.settings.secret('telegramToken')
  return { ...settings, bot: bot_token, bot_fingerprint: token === undefined ? null : fingerprint(token) }
}
