import { publicMessageOf } from '../../core/errors/index.js'
import { NodeError, type NotifierPort } from '../../core/flows/index.js'
import { type Messages, NOT_PAIRED } from '../../core/notifications/index.js'

/** Returns the port for messages of flows. */
export function flowNotifier(
  messages: Pick<Messages, 'contacts' | 'queue' | 'telegram' | 'whatsappAccount'>,
): NotifierPort {
  const { contacts, queue, telegram } = messages
  return {
    async telegram(userId, text) {
      if (!telegram.isRunning) throw new NodeError('Telegram bot is stopped')
      const contact = contacts.find(userId, 'telegram')
      if (!contact) throw new NodeError(`No Telegram account linked for user: ${userId}`)
      if (!contact.enabled) throw new NodeError('Telegram notifications are disabled')
      const message = {
        channel: 'telegram',
        address: contact.address,
        userId,
        event: 'flow',
        body: text,
      } as const
      await queue.add(message).catch((error: unknown) => {
        throw new NodeError(publicMessageOf(error))
      })
    },
    async whatsapp(userId, text, to) {
      if (!messages.whatsappAccount()) throw new NodeError(NOT_PAIRED)
      const address = to || contacts.find(userId, 'whatsapp')?.address
      if (address === undefined) throw new NodeError(`No WhatsApp number of user: ${userId}`)
      const message = { channel: 'whatsapp', address, userId, event: 'flow', body: text } as const
      const delivery = await queue.deliver(message).catch((error: unknown) => {
        throw new NodeError(publicMessageOf(error))
      })
      if (delivery.result === 'dead') throw new NodeError(delivery.error)
    },
  }
}
