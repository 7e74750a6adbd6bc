import { publicMessageOf } from '../../core/errors/index.js'
import { NodeError, type NotifierPort } from '../../core/flows/index.js'
import type { TelegramBot } from '../../core/notifications/index.js'
import { NOT_PAIRED } from '../routes/control/notify.js'

/**
 * Returns the port for messages of flows. WhatsApp always fails, because no WhatsApp device can be paired.
 */
export function flowNotifier(telegram: Pick<TelegramBot, 'isRunning' | 'isLinked' | 'queue'>): NotifierPort {
  return {
    async telegram(userId, text) {
      if (!telegram.isRunning) throw new NodeError('Telegram bot is stopped')
      if (!telegram.isLinked(userId)) throw new NodeError(`No Telegram account linked for user: ${userId}`)
      try {
        telegram.queue(userId, text)
      } catch (error) {
        throw new NodeError(publicMessageOf(error))
      }
    },
    async whatsapp() {
      throw new NodeError(NOT_PAIRED)
    },
  }
}
