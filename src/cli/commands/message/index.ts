import type { CommandSpec } from '../../framework/command/command.js'
import { channel } from './channel.js'
import { contact, link, preferences } from './contact.js'
import { list, retry, status, test } from './queue.js'

export const message: CommandSpec = {
  name: 'message',
  summary: 'Messages to you by Telegram, WhatsApp and e-mail: channels, addresses, events, the queue.',
  examples: [
    'message status',
    'message channel telegram --token',
    'message link',
    'message preferences telegram --trades off',
  ],
  verbs: [status, test, channel, link, contact, preferences, list, retry],
}
