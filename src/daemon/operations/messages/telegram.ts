import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { Contact, Messages } from '../../../core/notifications/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { count, instant, message, messageOnly, ok, text } from '../common/answers.js'
import { noFields } from '../common/payloads.js'
import { keyed } from '../running.js'
import {
  changeTelegram,
  requireRunning,
  startBot,
  stopBot,
  telegramConfig,
  telegramConfigPayload,
  telegramValues,
  telegramView,
} from './bot.js'
import { contactValues, summaryChoice, summaryFields } from './contact.js'
import { changes, messageText } from './message-facts.js'

const reads = keyed('Messages', 'telegram')

const usersQuery = z.object({
  broker: fields.text(50).optional(),
  notifications_enabled: fields.boolean().optional(),
})

const broadcastPayload = z.strictObject({
  message: messageText,
  /** Which users get it: those with this broker, and with messages on or off. */
  filters: z
    .strictObject({ broker: fields.text(50).optional(), notifications_enabled: fields.boolean().optional() })
    .optional(),
})

/** A number out of range counts as the nearest one in it. */
const statsQuery = z.object({
  days: fields
    .integer()
    .transform((days) => Math.min(Math.max(days, 1), 365))
    .default(7),
})

const telegramId = z
  .union([z.int(), z.string().regex(/^-?\d{1,20}$/)], { error: notAnId })
  .transform(String)
  .optional()

const telegramPreferencesQuery = z.object({ telegram_id: telegramId })

const telegramPreferencesPayload = z.strictObject({
  telegram_id: telegramId,
  order_notifications: fields.boolean().optional(),
  trade_notifications: fields.boolean().optional(),
  pnl_notifications: fields.boolean().optional(),
  ...summaryChoice,
})

const telegramUsers = ok({
  data: z.array(
    z.strictObject({
      id: count,
      telegram_id: count,
      svc_username: text,
      first_name: text.nullable(),
      last_name: text.nullable(),
      telegram_username: text.nullable(),
      broker: text,
      notifications_enabled: z.boolean(),
      created_at: instant,
      last_command_at: instant.nullable(),
    }),
  ),
  count,
})

const broadcasted = ok({ message, success_count: count, fail_count: count })

const telegramStats = ok({
  data: z.strictObject({
    total_commands: count,
    commands_by_type: z.record(z.string(), count),
    active_users: count,
    top_users: z.array(z.tuple([text, count])),
    period_days: count,
  }),
})

const telegramPreferences = ok({
  data: z.strictObject({
    order_notifications: z.boolean(),
    trade_notifications: z.boolean(),
    pnl_notifications: z.boolean(),
    ...summaryFields,
  }),
})

const TOP_USERS = 10

/**
 * Refuses the settings that decide who gets what the owner types and presses in a chat, and with it the buttons of
 * confirmations: whoever has them can approve orders and resume trading.
 * @throws ServiceError `forbidden`
 */
function refuseWayOfUpdates(
  { settings }: Messages,
  { polling_mode, token, webhook_url }: z.output<typeof telegramConfigPayload>,
): void {
  const now = settings.get()
  const isKept = polling_mode === undefined || polling_mode === now.telegramPolling
  const hasSameUrl = webhook_url === undefined || webhook_url === (now.telegramWebhookUrl ?? '')
  if (token === undefined && isKept && hasSameUrl) return
  throw new ServiceError(
    'forbidden',
    'An API key may not change token, webhook_url or polling_mode of the bot: they decide who gets what you press in the chat. Sign in and use: svc message channel telegram',
  )
}

/** The bot of Telegram, its chats and their preferences, by API key. */
export const TELEGRAM_OPERATIONS = {
  'GET /api/v1/telegram/config': reads('Returns the settings of the bot, without its token.', {
    query: z.object({}),
    answer: telegramConfig,
    run: ({ messages }) => ({ status: 'success', data: telegramView(messages) }),
  }),
  'POST /api/v1/telegram/config': changes(
    'Changes settings of the bot; the rest stays. Not the bot itself or the way of its updates.',
    {
      body: telegramConfigPayload,
      example: { broadcast_enabled: true, rate_limit_per_minute: 30 },
      answer: messageOnly,
      errors: ['forbidden', 'refused'],
      audit: { act: 'message.set_channel', values: telegramValues },
      run: async ({ messages }, { body }) => {
        refuseWayOfUpdates(messages, body)
        await changeTelegram(messages, body)
        return { status: 'success', message: 'Bot configuration updated' }
      },
    },
  ),
  'POST /api/v1/telegram/start': changes('Starts the bot.', {
    body: noFields,
    answer: messageOnly,
    errors: ['refused', 'conflict'],
    audit: { act: 'message.start_bot', values: telegramValues },
    run: async ({ messages }) => ({ status: 'success', message: await startBot(messages) }),
  }),
  'POST /api/v1/telegram/stop': changes('Stops the bot; it stays stopped after a restart.', {
    body: noFields,
    answer: messageOnly,
    errors: ['conflict'],
    audit: { act: 'message.stop_bot', values: telegramValues },
    run: async ({ messages }) => ({ status: 'success', message: await stopBot(messages) }),
  }),
  'GET /api/v1/telegram/users': reads('Lists the linked chats.', {
    query: usersQuery,
    answer: telegramUsers,
    run: (service, { query }) => {
      const data = matching(service, query).map((contact) => userView(contact, service.brokers.brokerId))
      return { status: 'success', data, count: data.length }
    },
  }),
  'POST /api/v1/telegram/broadcast': changes('Sends a message to all linked chats.', {
    limit: 'fiveAMinute',
    body: broadcastPayload,
    example: { message: 'The service restarts at 16:00' },
    answer: broadcasted,
    errors: ['forbidden', 'conflict'],
    audit: { act: 'message.broadcast' },
    run: async (service, { body: { filters, message: text } }) => {
      const { queue, settings, telegram } = service.messages
      if (!text) {
        const errors = { message: ['Missing data for required field.'] }
        throw new ServiceError('validation', 'Message is required', { errors })
      }
      if (!settings.get().telegramBroadcast) throw new ServiceError('forbidden', 'Broadcast is disabled')
      requireRunning(telegram)
      // Without a filter, only those who want messages get it.
      const to = matching(service, filters).filter(({ enabled }) => enabled)
      const ends = await Promise.all(
        to.map(({ address, userId }) =>
          queue.deliver({
            channel: 'telegram',
            address,
            userId,
            event: 'broadcast',
            body: text,
          }),
        ),
      )
      const failed = ends.filter(({ result }) => result === 'dead').length
      const sent = ends.length - failed
      return {
        status: 'success',
        message: `Broadcast sent to ${sent} users, failed for ${failed} users`,
        success_count: sent,
        fail_count: failed,
      }
    },
  }),
  'GET /api/v1/telegram/stats': reads('Counts the commands of the last days.', {
    query: statsQuery,
    example: { days: 7 },
    answer: telegramStats,
    run: async ({ messages }, { query: { days } }) => ({
      status: 'success',
      data: await statsOf(messages, days),
    }),
  }),
  'GET /api/v1/telegram/preferences': reads('Returns the preferences of a chat.', {
    query: telegramPreferencesQuery,
    example: { telegram_id: 123456789 },
    answer: telegramPreferences,
    errors: ['not_found'],
    run: ({ messages }, { query }) => ({
      status: 'success',
      data: preferencesView(chatOf(messages, query.telegram_id)),
    }),
  }),
  'POST /api/v1/telegram/preferences': changes('Changes preferences of a chat.', {
    body: telegramPreferencesPayload,
    example: { telegram_id: 123456789, trade_notifications: false },
    answer: messageOnly,
    errors: ['not_found'],
    audit: { act: 'message.set_preferences', values: contactValues, turn: 'contacts' },
    run: async ({ messages }, { body }) => {
      const { order_notifications: orders, trade_notifications: trades, pnl_notifications: pnl } = body
      await messages.contacts.change(chatOf(messages, body.telegram_id), {
        orders,
        failures: orders,
        trades,
        pnl,
        dailySummary: body.daily_summary,
        summaryTime: body.summary_time,
        language: body.language,
        timezone: body.timezone,
      })
      return { status: 'success', message: 'Preferences updated successfully' }
    },
  }),
}

function notAnId({ input }: { input?: unknown }): string {
  return input === null ? 'Field may not be null.' : 'Not a valid integer.'
}

/** Returns the linked chat with an id. @throws ServiceError `validation` without an id, `not_found` */
function chatOf({ contacts }: Messages, id: string | undefined): Contact {
  if (id === undefined) {
    const errors = { telegram_id: ['Missing data for required field.'] }
    throw new ServiceError('validation', 'telegram_id is required', { errors })
  }
  const contact = contacts.at('telegram', id)
  if (!contact) throw new ServiceError('not_found', 'User not found or not linked to Telegram')
  return contact
}

/** Returns the linked chats of users with this broker, and with messages on or off. */
function matching(
  { brokers, messages }: Pick<RunningService, 'brokers' | 'messages'>,
  filters: z.output<typeof usersQuery> = {},
): Contact[] {
  return messages.contacts
    .all()
    .filter(
      ({ channel, enabled }) =>
        channel === 'telegram' &&
        (filters.broker === undefined || filters.broker === brokers.brokerId) &&
        (filters.notifications_enabled === undefined || filters.notifications_enabled === enabled),
    )
}

function userView(contact: Contact, broker: string) {
  return {
    id: contact.id,
    telegram_id: Number(contact.address),
    svc_username: contact.userId,
    first_name: contact.firstName,
    last_name: contact.lastName,
    telegram_username: contact.handle,
    broker,
    notifications_enabled: contact.enabled,
    created_at: new Date(contact.createdAt).toISOString(),
    last_command_at: contact.lastCommandAt === null ? null : new Date(contact.lastCommandAt).toISOString(),
  }
}

function preferencesView(contact: Contact) {
  return {
    order_notifications: contact.orders,
    trade_notifications: contact.trades,
    pnl_notifications: contact.pnl,
    daily_summary: contact.dailySummary,
    summary_time: contact.summaryTime,
    language: contact.language,
    timezone: contact.timezone,
  }
}

async function statsOf({ contacts }: Messages, days: number) {
  const rows = await contacts.commandsOf(days)
  const byCommand = new Map<string, number>()
  const byUser = new Map<string, number>()
  for (const { command, count, userId } of rows) {
    byCommand.set(command, (byCommand.get(command) ?? 0) + count)
    byUser.set(userId, (byUser.get(userId) ?? 0) + count)
  }
  const users = [...byUser].sort(([, one], [, other]) => other - one)
  return {
    total_commands: rows.reduce((sum, { count }) => sum + count, 0),
    commands_by_type: Object.fromEntries(byCommand),
    active_users: users.length,
    top_users: users.slice(0, TOP_USERS),
    period_days: days,
  }
}
