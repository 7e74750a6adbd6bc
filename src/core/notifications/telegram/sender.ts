import { approvalButtons } from '../chat/buttons.js'
import type { Message, Sender } from '../schema.js'
import type { TelegramApi } from './api.js'

/** Sends the messages of the queue with the bot. */
export class TelegramSender implements Sender {
  readonly channel = 'telegram'

  constructor(private readonly parts: { api: TelegramApi; isReady: () => boolean }) {}

  isReady(): boolean {
    return this.parts.isReady()
  }

  async send({ address, body, format, pendingOrderId }: Message, signal: AbortSignal): Promise<string> {
    const keyboard = pendingOrderId === null ? undefined : approvalButtons(pendingOrderId)
    const message = { chat: address, text: body, markdown: format === 'markdown', keyboard }
    return String(await this.parts.api.sendMessage(message, signal))
  }
}
