import { ServiceError } from '../../../core/errors/index.js'
import { type Contact, MAX_TEXT, type Messages } from '../../../core/notifications/index.js'
import type { Handlers } from '../../http/handlers.js'
import type { PayloadOf } from '../../operations/types.js'
import { requireRunning } from './notify.js'

export interface TelegramParts {
  messages: Messages
  brokerId: () => string
}

const NOT_LINKED = 'User not found or not linked to Telegram'

/** Returns the handlers for the bot, its chats and their preferences, by API key. */
export function telegramHandlers({ brokerId, messages }: TelegramParts) {
  const { contacts, queue, settings, telegram } = messages
  const chats = () => contacts.all().filter(({ channel }) => channel === 'telegram')
  const chatOf = (id: string | undefined) => {
    if (id === undefined) {
      const errors = { telegram_id: ['Missing data for required field.'] }
      throw new ServiceError('validation', 'telegram_id is required', { errors })
    }
    const contact = contacts.at('telegram', id)
    if (!contact) throw new ServiceError('not_found', NOT_LINKED)
    return contact
  }
  const matching = (filters: PayloadOf<'POST /api/v1/telegram/broadcast'>['filters'] = {}) =>
    chats().filter(
      ({ enabled }) =>
        (filters.broker === undefined || filters.broker === brokerId()) &&
        (filters.notifications_enabled === undefined || filters.notifications_enabled === enabled),
    )
  return {
    'GET /api/v1/telegram/config': () => ({ status: 'success', data: telegramView(messages) }),
    'POST /api/v1/telegram/config': async ({ body }) => {
      await changeTelegram(messages, body)
      return { status: 'success', message: 'Bot configuration updated' }
    },
    'POST /api/v1/telegram/start': async () => ({ status: 'success', message: await startBot(messages) }),
    'POST /api/v1/telegram/stop': async () => ({ status: 'success', message: await stopBot(messages) }),
    'GET /api/v1/telegram/users': ({ query }) => {
      const data = matching(query).map((contact) => userView(contact, brokerId()))
      return { status: 'success', data, count: data.length }
    },
    'POST /api/v1/telegram/broadcast': async ({ body: { filters, message: text } }) => {
      if (!text) {
        const errors = { message: ['Missing data for required field.'] }
        throw new ServiceError('validation', 'Message is required', { errors })
      }
      if (!settings.get().telegramBroadcast) throw new ServiceError('forbidden', 'Broadcast is disabled')
      requireRunning(telegram)
      // Without a filter, only those who want messages get it.
      const to = matching(filters).filter(({ enabled }) => enabled)
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
    'GET /api/v1/telegram/stats': async ({ query: { days } }) => ({
      status: 'success',
      data: await statsOf(messages, days),
    }),
    'GET /api/v1/telegram/preferences': ({ query }) => ({
      status: 'success',
      data: preferencesView(chatOf(query.telegram_id)),
    }),
    'POST /api/v1/telegram/preferences': async ({ body }) => {
      const { order_notifications: orders, trade_notifications: trades, pnl_notifications: pnl } = body
      await contacts.change(chatOf(body.telegram_id), {
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
  } satisfies Partial<Handlers>
}

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
  body: PayloadOf<'POST /api/v1/telegram/config'>,
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

const TOP_USERS = 10

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
