import { z } from 'zod'
import { messageOnly } from '../common/answers.js'
import { noFields } from '../common/payloads.js'
import { keyed, keyedChange, open, signedIn } from '../running.js'
import * as answers from './answers.js'
import * as payloads from './payloads.js'

const telegram = keyed('Messages', 'telegram')
const telegramChange = keyedChange('Messages', 'telegram')
const whatsappChange = keyedChange('Messages', 'whatsapp')
const signed = signedIn('Messages', 'api')
const hook = open('Messages')

const json = ['validation', 'too_large', 'unsupported_media'] as const
const CHANNEL = { channel: '`telegram`, `whatsapp` or `email`.' }

export const MESSAGE_OPERATIONS = {
  'POST /api/v1/telegram/notify': telegramChange('Sends a message by Telegram.', {
    body: payloads.telegramPayload,
    example: { username: 'asha', message: 'Target hit' },
    answer: answers.messageSent,
    errors: ['conflict', 'not_found'],
  }),
  'GET /api/v1/telegram/config': telegram('Returns the settings of the bot, without its token.', {
    query: z.object({}),
    answer: answers.telegramConfig,
  }),
  'POST /api/v1/telegram/config': telegramChange('Changes settings of the bot; the rest stays.', {
    body: payloads.telegramConfigPayload,
    example: { polling_mode: true, rate_limit_per_minute: 30 },
    answer: messageOnly,
    errors: ['refused'],
  }),
  'POST /api/v1/telegram/start': telegramChange('Starts the bot.', {
    body: noFields,
    answer: messageOnly,
    errors: ['refused', 'conflict'],
  }),
  'POST /api/v1/telegram/stop': telegramChange('Stops the bot; it stays stopped after a restart.', {
    body: noFields,
    answer: messageOnly,
    errors: ['conflict'],
  }),
  'GET /api/v1/telegram/users': telegram('Lists the linked chats.', {
    query: payloads.usersQuery,
    answer: answers.telegramUsers,
  }),
  'POST /api/v1/telegram/broadcast': telegramChange('Sends a message to all linked chats.', {
    limit: 'fiveAMinute',
    body: payloads.broadcastPayload,
    example: { message: 'The service restarts at 16:00' },
    answer: answers.broadcast,
    errors: ['forbidden', 'conflict'],
  }),
  'GET /api/v1/telegram/stats': telegram('Counts the commands of the last days.', {
    query: payloads.statsQuery,
    example: { days: 7 },
    answer: answers.telegramStats,
  }),
  'GET /api/v1/telegram/preferences': telegram('Returns the preferences of a chat.', {
    query: payloads.telegramPreferencesQuery,
    example: { telegram_id: 123456789 },
    answer: answers.telegramPreferences,
    errors: ['not_found'],
  }),
  'POST /api/v1/telegram/preferences': telegramChange('Changes preferences of a chat.', {
    body: payloads.telegramPreferencesPayload,
    example: { telegram_id: 123456789, trade_notifications: false },
    answer: messageOnly,
    errors: ['not_found'],
  }),
  'POST /api/v1/telegram/webhook': hook('Takes an update of Telegram; its secret header is the credential.', {
    answerText: 'text/plain',
    errors: ['unauthenticated', 'forbidden', 'validation', 'too_large'],
  }),
  'POST /api/v1/whatsapp/notify': whatsappChange('Sends a message by WhatsApp.', {
    body: payloads.whatsappPayload,
    example: { self: true, message: 'Target hit' },
    answer: answers.messageSent,
    errors: ['conflict', 'not_found'],
  }),
  'GET /whatsapp/webhook': hook('Confirms the webhook to WhatsApp, with the verify token.', {
    answerText: 'text/plain',
    errors: ['forbidden'],
  }),
  'POST /whatsapp/webhook': hook('Takes a notification of WhatsApp; its signature is the credential.', {
    answerText: 'text/plain',
    errors: ['unauthenticated', 'forbidden', 'validation', 'too_large'],
  }),
  'GET /messages/status': signed('Returns the channels, your addresses, and the counts of the queue.', {
    scopes: ['read', 'settings'],
    answer: answers.messagesStatus,
  }),
  'GET /messages/queue': signed('Lists messages, the newest first.', {
    scopes: ['read', 'settings'],
    query: payloads.messageQueueQuery,
    example: { state: 'dead' },
    answer: answers.messageQueue,
    errors: ['validation'],
  }),
  'POST /messages/queue/retry': signed('Tries dead messages again, all or one.', {
    scopes: ['settings'],
    body: payloads.retryPayload,
    example: { id: 12 },
    answer: answers.retried,
    errors: ['not_found', ...json],
  }),
  'POST /messages/test': signed('Sends yourself a test message, and waits until it is sent.', {
    scopes: ['settings'],
    limit: 'tenAMinute',
    body: payloads.testPayload,
    example: { channel: 'telegram' },
    answer: answers.messageTested,
    errors: ['conflict', 'not_found', 'broker_protocol', ...json],
  }),
  'PUT /messages/preferences/:channel': signed('Chooses the events that you want on a channel.', {
    scopes: ['settings'],
    params: CHANNEL,
    body: payloads.contactPreferencesPayload,
    example: { trades: false },
    answer: answers.contactStored,
    errors: ['not_found', ...json],
  }),
  'POST /messages/link': signed('Creates a code that links a Telegram chat to you. It works once.', {
    scopes: ['admin'],
    fresh: true,
    answer: answers.linkCode,
    errors: ['conflict'],
  }),
  'PUT /messages/contacts/:channel': signed('Sets your phone number or mail address for messages.', {
    scopes: ['admin'],
    fresh: true,
    params: CHANNEL,
    body: payloads.contactPayload,
    example: { address: '919876543210' },
    answer: answers.contactStored,
    errors: ['not_found', 'refused', 'conflict', ...json],
  }),
  'DELETE /messages/contacts/:channel': signed('Removes your address from a channel.', {
    scopes: ['admin'],
    params: CHANNEL,
    answer: messageOnly,
    errors: ['not_found'],
  }),
  'PUT /messages/channels/telegram': signed('Changes the settings of the bot.', {
    scopes: ['admin'],
    fresh: true,
    body: payloads.telegramConfigPayload,
    example: { polling_mode: true },
    answer: messageOnly,
    errors: ['refused', ...json],
  }),
  'PUT /messages/channels/whatsapp': signed('Changes the account of the WhatsApp Cloud API.', {
    scopes: ['admin'],
    fresh: true,
    body: payloads.whatsappChannelPayload,
    example: { template: 'svc_alert', template_language: 'en' },
    answer: messageOnly,
    errors: json,
  }),
  'POST /messages/channels/telegram/start': signed('Starts the bot.', {
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['refused', 'conflict'],
  }),
  'POST /messages/channels/telegram/stop': signed('Stops the bot.', {
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['conflict'],
  }),
}
