import { z } from 'zod'
import type { Messages } from '../../../core/notifications/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { messageOnly } from '../common/answers.js'
import { fingerprint } from '../common/fingerprint.js'
import { changeTelegram, removable, startBot, stopBot, telegramConfigPayload, telegramValues } from './bot.js'
import { json, signed } from './message-facts.js'

const whatsappChannelPayload = z.strictObject({
  token: removable(1000, /^[\w.|-]{20,1000}$/, 'Must be an access token of the WhatsApp Cloud API.'),
  phone_number_id: removable(32, /^\d{5,32}$/, 'Must be the id of a phone number, in digits.'),
  app_secret: removable(100, /^[0-9a-f]{16,100}$/i, 'Must be the secret of the app.'),
  verify_token: removable(100, /^[\w-]{8,100}$/, 'Must be 8 to 100 letters, digits, underscores or dashes.'),
  template: removable(512, /^[a-z0-9_]{1,512}$/, 'Must be the name of a template.'),
  template_language: fields
    .text(16)
    .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'Must be a language like en or en_US.')
    .optional(),
})

/** The accounts of the channels. */
export const CHANNEL_OPERATIONS = {
  'PUT /messages/channels/telegram': signed('Changes the settings of the bot.', {
    scopes: ['admin'],
    fresh: true,
    body: telegramConfigPayload,
    example: { polling_mode: true },
    answer: messageOnly,
    errors: ['refused', ...json],
    audit: { act: 'message.set_channel', values: telegramValues },
    run: async ({ messages }, { body }) => {
      await changeTelegram(messages, body)
      return { status: 'success', message: 'The settings of Telegram are stored.' }
    },
  }),
  'PUT /messages/channels/whatsapp': signed('Changes the account of the WhatsApp Cloud API.', {
    scopes: ['admin'],
    fresh: true,
    body: whatsappChannelPayload,
    example: { template: 'svc_alert', template_language: 'en' },
    answer: messageOnly,
    errors: json,
    audit: { act: 'message.set_channel', values: whatsappValues },
    run: async ({ messages: { queue, settings } }, { body }) => {
      await settings.update({
        whatsappToken: orNull(body.token),
        whatsappPhoneId: orNull(body.phone_number_id),
        whatsappAppSecret: orNull(body.app_secret),
        whatsappVerifyToken: orNull(body.verify_token),
        whatsappTemplate: orNull(body.template),
        whatsappTemplateLanguage: body.template_language,
      })
      queue.wake('whatsapp')
      return { status: 'success', message: 'The settings of WhatsApp are stored.' }
    },
  }),
  'POST /messages/channels/telegram/start': signed('Starts the bot.', {
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['refused', 'conflict'],
    audit: { act: 'message.start_bot', values: telegramValues },
    run: async ({ messages }) => ({
      status: 'success',
      message: await startBot(messages),
    }),
  }),
  'POST /messages/channels/telegram/stop': signed('Stops the bot.', {
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['conflict'],
    audit: { act: 'message.stop_bot', values: telegramValues },
    run: async ({ messages }) => ({
      status: 'success',
      message: await stopBot(messages),
    }),
  }),
}

/** Returns the account of WhatsApp; of its secrets, only whether they are set. */
export function whatsappView({ settings }: Pick<Messages, 'settings'>) {
  const now = settings.get()
  return {
    token_set: settings.secret('whatsappToken') !== undefined,
    phone_number_id: now.whatsappPhoneId,
    app_secret_set: settings.secret('whatsappAppSecret') !== undefined,
    verify_token_set: settings.secret('whatsappVerifyToken') !== undefined,
    template: now.whatsappTemplate,
    template_language: now.whatsappTemplateLanguage,
  }
}

/** An absent field keeps the stored value, a blank one removes it. */
const orNull = (text: string | null | undefined): string | null | undefined => (text === '' ? null : text)

function whatsappValues({ service: { messages } }: ActRequest<RunningService>) {
  const token = messages.settings.secret('whatsappToken')
  return { ...whatsappView(messages), fingerprint: token === undefined ? null : fingerprint(token) }
}
