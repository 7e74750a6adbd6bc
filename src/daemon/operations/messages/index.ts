import { CHANNEL_OPERATIONS } from './channels.js'
import { CONTACT_OPERATIONS } from './contacts.js'
import { MESSAGE_QUEUE_OPERATIONS } from './queue.js'
import { TELEGRAM_OPERATIONS } from './telegram.js'
import { TELEGRAM_NOTIFY_OPERATIONS } from './telegram-notify.js'
import { TELEGRAM_WEBHOOK, WHATSAPP_WEBHOOK } from './webhooks.js'
import { WHATSAPP_NOTIFY_OPERATIONS } from './whatsapp.js'

/** The operations of messages: Telegram, WhatsApp and e-mail (docs/messages.md). */
export const MESSAGE_OPERATIONS = {
  ...TELEGRAM_NOTIFY_OPERATIONS,
  ...TELEGRAM_OPERATIONS,
  ...TELEGRAM_WEBHOOK,
  ...WHATSAPP_NOTIFY_OPERATIONS,
  ...WHATSAPP_WEBHOOK,
  ...MESSAGE_QUEUE_OPERATIONS,
  ...CONTACT_OPERATIONS,
  ...CHANNEL_OPERATIONS,
}
