import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import type { TelegramBot } from '../../core/notifications/index.js'
import { fields } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { apiRoute } from '../http/api-route.js'

export interface NotifyRoutesParts {
  identity: Identity
  telegram: Pick<TelegramBot, 'isRunning' | 'isLinked' | 'queue' | 'sendOrQueue'>
}

const MAX_MESSAGE = 4096

const apikey = fields.apiKeyField()
const message = fields
  .text(Number.POSITIVE_INFINITY)
  .max(MAX_MESSAGE, `Message must not exceed ${MAX_MESSAGE} characters`)
  .optional()
const phone = z.union([z.string().max(64), z.int()], { error: 'Invalid phone number' })
export const telegramBody = z.strictObject({
  apikey,
  username: fields.text(80).optional(),
  message,
  /** From 1 to 10, by contract without effect; whatever else it says stands for the default. */
  priority: z
    .unknown()
    .optional()
    .meta({ type: ['integer', 'string'] }),
  wait_for_delivery: fields.boolean().default(false),
})
export const whatsappBody = z.strictObject({
  apikey,
  self: fields.boolean().optional(),
  phones: z.array(phone, { error: "'phones' must be a list" }).optional(),
  phone: phone.optional(),
  username: fields.text(80).optional(),
  message,
  image_path: fields.text(4096).optional(),
  document_path: fields.text(4096).optional(),
  caption: fields.text(MAX_MESSAGE).optional(),
  filename: fields.text().optional(),
  wait_for_delivery: fields.boolean().default(true),
})

const STOPPED = 'Telegram bot is stopped. Start the bot to send notifications.'
export const NOT_PAIRED =
  'WhatsApp is not paired or not connected. Pair the device first from the /whatsapp page in svc before sending.'
const REPLIES = {
  queued: 'Notification queued for delivery',
  sent: 'Notification sent successfully',
} as const

/** Messages to users (contract, api-orders section 11). No WhatsApp device can be paired: that door says so. */
export function notifyRoutes({ identity, telegram }: NotifyRoutesParts): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .post(
      '/telegram/notify',
      apiRoute(identity, telegramBody, async ({ username, message, wait_for_delivery: wait }) => {
        // By contract before the fields are looked at.
        if (!telegram.isRunning) throw new ServiceError('conflict', STOPPED)
        if (!username || !message) throw missing({ username, message })
        if (!telegram.isLinked(username)) {
          throw new ServiceError('not_found', 'User not found or not linked to Telegram')
        }
        if (wait) return { message: REPLIES[await telegram.sendOrQueue(username, message)] }
        telegram.queue(username, message)
        return { message: REPLIES.queued }
      }),
    )
    .post(
      '/whatsapp/notify',
      apiRoute(identity, whatsappBody, () => {
        throw new ServiceError('conflict', NOT_PAIRED)
      }),
    )
}

function missing(given: Readonly<Record<string, string | undefined>>): ServiceError {
  const empty = Object.keys(given).filter((field) => !given[field])
  const errors = Object.fromEntries(empty.map((field) => [field, ['Missing data for required field.']]))
  return new ServiceError('validation', 'Username and message are required', { errors })
}
