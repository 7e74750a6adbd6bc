import { ServiceError } from '../../../core/errors/index.js'
import type { TelegramBot } from '../../../core/notifications/index.js'
import type { Handlers } from '../../http/handlers.js'

interface NotifyParts {
  telegram: Pick<TelegramBot, 'isRunning' | 'isLinked' | 'queue' | 'sendOrQueue'>
}

const STOPPED = 'Telegram bot is stopped. Start the bot to send notifications.'
export const NOT_PAIRED =
  'WhatsApp is not paired or not connected. Pair the device first from the /whatsapp page in svc before sending.'
const REPLIES = {
  queued: 'Notification queued for delivery',
  sent: 'Notification sent successfully',
} as const

/** Returns the handlers for messages to users. WhatsApp always refuses: no device can be paired. */
export function notifyHandlers({ telegram }: NotifyParts) {
  return {
    'POST /api/v1/telegram/notify': async ({ body: { username, message, wait_for_delivery: wait } }) => {
      // The state of the bot is checked before the fields.
      if (!telegram.isRunning) throw new ServiceError('conflict', STOPPED)
      if (!username || !message) throw missing({ username, message })
      if (!telegram.isLinked(username)) {
        throw new ServiceError('not_found', 'User not found or not linked to Telegram')
      }
      if (wait) return { status: 'success', message: REPLIES[await telegram.sendOrQueue(username, message)] }
      telegram.queue(username, message)
      return { status: 'success', message: REPLIES.queued }
    },
    'POST /api/v1/whatsapp/notify': () => {
      throw new ServiceError('conflict', NOT_PAIRED)
    },
  } satisfies Partial<Handlers>
}

function missing(given: Readonly<Record<string, string | undefined>>): ServiceError {
  const empty = Object.keys(given).filter((field) => !given[field])
  const errors = Object.fromEntries(empty.map((field) => [field, ['Missing data for required field.']]))
  return new ServiceError('validation', 'Username and message are required', { errors })
}
