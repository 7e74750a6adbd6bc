import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { PRIORITY } from '../../../core/notifications/index.js'
import { fields } from '../../../core/validation/index.js'
import { requireRunning } from './bot.js'
import { changes, messageSent, messageText } from './message-facts.js'

const QUEUED = 'Notification queued for delivery'
const REPLIES = { waiting: QUEUED, sent: 'Notification sent successfully' } as const

const telegramPayload = z.strictObject({
  username: fields.text(80).optional(),
  message: messageText,
  /** A number from 1 to 10; a message with a higher one goes first. Any other value counts as 5. */
  priority: z
    .unknown()
    .optional()
    .meta({ type: ['integer', 'string'] }),
  wait_for_delivery: fields.boolean().default(false),
})

/** Messages to a user by Telegram. */
export const TELEGRAM_NOTIFY_OPERATIONS = {
  'POST /api/v1/telegram/notify': changes('Sends a message by Telegram.', {
    body: telegramPayload,
    example: { username: 'asha', message: 'Target hit' },
    answer: messageSent,
    errors: ['conflict', 'not_found'],
    audit: { unrecorded: 'It sends a message and changes nothing.' },
    tool: {
      name: 'send_telegram_alert',
      title: 'Send a message by Telegram',
      scope: 'read:account',
      toolset: 'utility',
      more: 'The message leaves the service. Send nothing that its receiver should not know.',
      defaults: { priority: 5 },
      without: ['wait_for_delivery'],
      hints: { outside: true },
    },
    run: async ({ messages: { queue, contacts, telegram } }, { body }) => {
      const { message: text, priority, username, wait_for_delivery: wait } = body
      // The state of the bot is checked before the fields.
      requireRunning(telegram)
      if (!username || !text) throw missingFields({ username, message: text })
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
  }),
}

/** A priority that is no number from 1 to 10 counts as the usual one. */
function priorityOf(given: unknown): number {
  const number = typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN
  return Number.isInteger(number) && number >= 1 && number <= 10 ? number : PRIORITY.usual
}

function missingFields(given: Readonly<Record<string, string | undefined>>): ServiceError {
  const empty = Object.keys(given).filter((field) => !given[field])
  const errors = Object.fromEntries(empty.map((field) => [field, ['Missing data for required field.']]))
  return new ServiceError('validation', 'Username and message are required', { errors })
}
