import type { Service } from '../../service.js'
import { messageControlHandlers } from './control.js'
import { notifyHandlers } from './notify.js'
import { telegramHandlers } from './telegram.js'
import { messageWebhookHandlers } from './webhooks.js'
import { whatsappHandlers } from './whatsapp.js'

/** Returns the handlers for messages: Telegram, WhatsApp and e-mail. */
export function messageHandlers({ attachmentRoots, brokers, messages }: Service) {
  return {
    ...notifyHandlers(messages),
    ...whatsappHandlers({ messages, attachmentRoots }),
    ...telegramHandlers({ messages, brokerId: () => brokers.brokerId }),
    ...messageWebhookHandlers(messages),
    ...messageControlHandlers(messages),
  }
}
