import { z } from 'zod'
import { CHANNELS, MESSAGE_STATES } from '../../../core/notifications/schema.js'
import { count, instant, message, ok, text } from '../common/answers.js'

/** The result of sending a message. The forms with `queued` and `data` are those of WhatsApp. */
export const messageSent = z.union([
  ok({ message }),
  ok({ message, queued: count }),
  ok({
    message,
    data: z.strictObject({
      sent: z.array(text),
      failed: z.array(z.strictObject({ to: text, error: text })),
      skipped: count,
    }),
  }),
])

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

export const telegramUsers = ok({
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

export const broadcast = ok({ message, success_count: count, fail_count: count })

export const telegramStats = ok({
  data: z.strictObject({
    total_commands: count,
    commands_by_type: z.record(z.string(), count),
    active_users: count,
    top_users: z.array(z.tuple([text, count])),
    period_days: count,
  }),
})

const summary = {
  daily_summary: z.boolean(),
  summary_time: text,
  language: text,
  timezone: text,
}

export const telegramPreferences = ok({
  data: z.strictObject({
    order_notifications: z.boolean(),
    trade_notifications: z.boolean(),
    pnl_notifications: z.boolean(),
    ...summary,
  }),
})

const contact = z.strictObject({
  username: text,
  channel: z.enum(CHANNELS),
  address: text,
  origin: z.enum(['config', 'user']),
  enabled: z.boolean(),
  orders: z.boolean(),
  failures: z.boolean(),
  trades: z.boolean(),
  approvals: z.boolean(),
  system: z.boolean(),
  pnl: z.boolean(),
  ...summary,
})

export const messagesStatus = ok({
  data: z.strictObject({
    channels: z.array(
      z.strictObject({
        channel: z.enum(CHANNELS),
        ready: z.boolean(),
        /** Why the channel is not ready, or its last fault. */
        note: text,
        address: text.nullable().meta({ description: 'Where the caller gets messages of this channel.' }),
        waiting: count,
        sent: count,
        dead: count,
      }),
    ),
    contacts: z.array(contact),
    telegram: telegramConfig.shape.data,
    whatsapp: z.strictObject({
      token_set: z.boolean(),
      phone_number_id: text.nullable(),
      app_secret_set: z.boolean(),
      verify_token_set: z.boolean(),
      template: text.nullable(),
      template_language: text,
    }),
  }),
})

export const contactStored = ok({ message, data: contact })

export const linkCode = ok({
  message,
  data: z.strictObject({ code: text, expires_at: instant, bot_username: text.nullable() }),
})

export const messageTested = ok({ message })

export const messageQueue = ok({
  data: z.array(
    z.strictObject({
      id: count,
      channel: z.enum(CHANNELS),
      address: text,
      event: text,
      state: z.enum(MESSAGE_STATES),
      attempts: count,
      priority: count,
      subject: text.nullable(),
      text,
      created_at: instant,
      next_attempt_at: instant.nullable(),
      ended_at: instant.nullable(),
      error: text.nullable(),
    }),
  ),
  count,
})

export const retried = ok({ message, count })
