import { expect, it } from 'vitest'
import { NodeError } from '../../../src/core/flows/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { TelegramBot } from '../../../src/core/notifications/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { flowNotifier } from '../../../src/daemon/flows/notifier-port.js'

const TOKEN = `12345:${'a'.repeat(30)}`

function bot(token: string | undefined) {
  return new TelegramBot({
    token,
    chats: { asha: '1' },
    clock: new VirtualClock('2026-11-20T11:00:00+05:30'),
    log: silentLogger,
    // Nobody answers at this address, so queued messages stay queued.
    api: 'http://127.0.0.1:1',
  })
}

it.each([
  [undefined, 'asha', 'Telegram bot is stopped'],
  [TOKEN, 'ravi', 'No Telegram account linked for user: ravi'],
])('with the token %s a text to %s is refused', async (token, userId, message) => {
  await expect(flowNotifier(bot(token)).telegram(userId, 'x')).rejects.toThrow(new NodeError(message))
})

it('queues for the linked chat and returns', async () => {
  const queued: string[][] = []
  const telegram = {
    isRunning: true,
    isLinked: () => true,
    queue: (...text: string[]) => void queued.push(text),
  }

  await flowNotifier(telegram).telegram('asha', 'Sold')

  expect(queued).toEqual([['asha', 'Sold']])
})

it('is refused when too many wait', async () => {
  const telegram = bot(TOKEN)
  const notifier = flowNotifier(telegram)
  for (let place = 0; place < 100; place++) await notifier.telegram('asha', `${place}`)

  await expect(notifier.telegram('asha', 'one more')).rejects.toThrow('Failed to send notification')
  await telegram.close()
})

it('says that no WhatsApp device is paired', async () => {
  await expect(flowNotifier(bot(TOKEN)).whatsapp('asha', 'x', '')).rejects.toThrow(
    /^WhatsApp is not paired or not connected/,
  )
})
