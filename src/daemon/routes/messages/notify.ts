import { ServiceError } from '../../../core/errors/index.js'
import { type Messages, PRIORITY } from '../../../core/notifications/index.js'
import type { Handlers } from '../../http/handlers.js'

type NotifyParts = Pick<Messages, 'contacts' | 'queue' | 'telegram'>

const STOPPED = 'Telegram bot is stopped. Start the bot to send notifications.'
const QUEUED = 'Notification queued for delivery'
const REPLIES = { waiting: QUEUED, sent: 'Notification sent successfully' } as const

/** Returns the handler for messages to a user by Telegram. */
export function notifyHandlers({ contacts, queue, telegram }: NotifyParts) {
  return {
    'POST /api/v1/telegram/notify': async ({ body }) => {
      const { message: text, priority, username, wait_for_delivery: wait } = body
      // The state of the bot is checked before the fields.
      requireRunning(telegram)
      if (!username || !text) throw missing({ username, message: text })
      const contact = contacts.find(username, 'telegram')
      if (!contact) throw new ServiceError('not_found', 'User not found or not linked to Telegram')
      const message = {
        channel: 'telegram',
        address: contact.address,
        userId: username,
        event: 'notify',
        body: text,
        priority: priorityOf(priority),
      } as const
      if (!wait) {
        await queue.add(message)
        return { status: 'success', message: QUEUED }
      }
      const { result } = await queue.deliver(message)
      if (result === 'dead') {
        throw new ServiceError('broker_protocol', 'Failed to send notification', {
          reason: 'message_refused',
        })
      }
      return { status: 'success', message: REPLIES[result] }
    },
  } satisfies Partial<Handlers>
}

/** @throws ServiceError `conflict` while the bot does not run */
export function requireRunning(telegram: Pick<Messages['telegram'], 'isRunning'>): void {
  if (!telegram.isRunning) throw new ServiceError('conflict', STOPPED)
}

/** A priority that is no number from 1 to 10 counts as the usual one. */
function priorityOf(given: unknown): number {
  const number = typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN
  return Number.isInteger(number) && number >= 1 && number <= 10 ? number : PRIORITY.usual
}

function missing(given: Readonly<Record<string, string | undefined>>): ServiceError {
  const empty = Object.keys(given).filter((field) => !given[field])
  const errors = Object.fromEntries(empty.map((field) => [field, ['Missing data for required field.']]))
  return new ServiceError('validation', 'Username and message are required', { errors })
}
