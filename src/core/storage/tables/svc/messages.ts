import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

const CHANNELS = ['telegram', 'whatsapp', 'email'] as const

/** The single row of the settings of the message channels. Secrets are sealed. */
export const messageSettings = sqliteTable(
  'message_settings',
  {
    id: integer().primaryKey(),
    telegramTokenEncrypted: text('telegram_token_encrypted'),
    /** False after the bot was stopped by a request; a restart keeps it stopped. */
    telegramActive: integer('telegram_active', { mode: 'boolean' }).notNull().default(true),
    /** Asks Telegram for updates; false means that Telegram sends them to the webhook. */
    telegramPolling: integer('telegram_polling', { mode: 'boolean' }).notNull().default(true),
    telegramWebhookUrl: text('telegram_webhook_url', { length: 500 }),
    telegramBroadcast: integer('telegram_broadcast', { mode: 'boolean' }).notNull().default(true),
    /** The most messages that one chat gets in a minute. */
    telegramRatePerMinute: integer('telegram_rate_per_minute').notNull().default(30),
    telegramUsername: text('telegram_username', { length: 64 }),
    /** The last update that was taken, so that none is taken twice. */
    telegramUpdateId: integer('telegram_update_id'),
    telegramUpdateAt: integer('telegram_update_at'),
    whatsappTokenEncrypted: text('whatsapp_token_encrypted'),
    whatsappPhoneId: text('whatsapp_phone_id', { length: 32 }),
    whatsappAppSecretEncrypted: text('whatsapp_app_secret_encrypted'),
    whatsappVerifyTokenEncrypted: text('whatsapp_verify_token_encrypted'),
    /** An approved template with one parameter, for texts outside the 24 hours of a conversation. */
    whatsappTemplate: text('whatsapp_template', { length: 512 }),
    whatsappTemplateLanguage: text('whatsapp_template_language', { length: 16 }).notNull().default('en'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [check('message_settings_one_row', sql`${table.id} = 1`)],
)

/** Where a user gets messages: one row for each channel, with the events that the user wants there. */
export const messageContacts = sqliteTable(
  'message_contacts',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: text('user_id').notNull(),
    channel: text({ enum: CHANNELS }).notNull(),
    /** The id of a Telegram chat, a phone number in digits, or a mail address. */
    address: text({ length: 255 }).notNull(),
    /** `config` for a chat of TELEGRAM_CHATS, which goes when the setting goes. */
    origin: text({ enum: ['config', 'user'] }).notNull(),
    firstName: text('first_name', { length: 255 }),
    lastName: text('last_name', { length: 255 }),
    handle: text({ length: 255 }),
    enabled: integer({ mode: 'boolean' }).notNull().default(true),
    orders: integer({ mode: 'boolean' }).notNull().default(true),
    failures: integer({ mode: 'boolean' }).notNull().default(true),
    trades: integer({ mode: 'boolean' }).notNull().default(true),
    approvals: integer({ mode: 'boolean' }).notNull().default(true),
    system: integer({ mode: 'boolean' }).notNull().default(true),
    /** The profit and loss in the daily summary. */
    pnl: integer({ mode: 'boolean' }).notNull().default(true),
    dailySummary: integer('daily_summary', { mode: 'boolean' }).notNull().default(true),
    summaryTime: text('summary_time', { length: 5 }).notNull().default('18:00'),
    /** The day, in the time zone of the contact, of the last summary. */
    summaryDay: text('summary_day', { length: 10 }),
    language: text({ length: 16 }).notNull().default('en'),
    timezone: text({ length: 64 }).notNull().default('Asia/Kolkata'),
    createdAt: integer('created_at').notNull(),
    lastCommandAt: integer('last_command_at'),
  },
  (table) => [
    uniqueIndex('message_contacts_by_user').on(table.userId, table.channel),
    uniqueIndex('message_contacts_by_address').on(table.channel, table.address),
  ],
)

/** Messages that wait, and the outcome of those that do not. */
export const messages = sqliteTable(
  'messages',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The event behind the message; a second message about it to the same address is dropped. */
    key: text({ length: 100 }).notNull(),
    channel: text({ enum: CHANNELS }).notNull(),
    address: text({ length: 255 }).notNull(),
    userId: text('user_id').notNull(),
    event: text({ length: 32 }).notNull(),
    subject: text({ length: 200 }),
    body: text().notNull(),
    /** `markdown` goes as plain text if Telegram cannot parse it. */
    format: text({ enum: ['plain', 'markdown'] }).notNull(),
    /** The queued order that the buttons of the message are about. */
    pendingOrderId: integer('pending_order_id'),
    attachment: text({ length: 4096 }),
    attachmentKind: text('attachment_kind', { enum: ['image', 'document'] }),
    attachmentName: text('attachment_name', { length: 255 }),
    priority: integer().notNull(),
    state: text({ enum: ['waiting', 'sent', 'dead'] }).notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: integer('next_attempt_at').notNull(),
    createdAt: integer('created_at').notNull(),
    /** When it was sent, or given up. */
    endedAt: integer('ended_at'),
    error: text({ length: 500 }),
    /** The id that the channel gave it. */
    providerId: text('provider_id', { length: 255 }),
  },
  (table) => [
    uniqueIndex('messages_by_key').on(table.channel, table.address, table.key),
    index('messages_due').on(table.state, table.channel, table.nextAttemptAt),
    index('messages_by_end').on(table.state, table.endedAt),
    index('messages_by_provider').on(table.channel, table.providerId),
  ],
)

/** The commands that chats sent, for the statistics. */
export const messageCommands = sqliteTable(
  'message_commands',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    channel: text({ enum: CHANNELS }).notNull(),
    userId: text('user_id').notNull(),
    command: text({ length: 32 }).notNull(),
  },
  (table) => [index('message_commands_by_time').on(table.at)],
)
