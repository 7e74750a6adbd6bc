import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { query } from '../support/files/files.js'
import { BOT_TOKEN, FakeTelegram, SILENCE } from '../support/messages/fake-telegram.js'
import { DaemonProcess, USERNAME } from '../support/process/daemon-process.js'

const MESSAGES = 12

it('messages that wait while Telegram is down survive a kill, and each is delivered once', async () => {
  const telegram = await FakeTelegram.open()
  const daemon = DaemonProcess.prepared({
    TELEGRAM_API_URL: telegram.api,
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_CHATS: `${USERNAME}=4711`,
    TELEGRAM_RATE_LIMIT: '1000 per second',
  })
  onTestFinished(() => daemon.dispose())
  await daemon.start()
  await daemon.api('telegram/start')
  // Each request hangs, so that the kill also meets a message on its way.
  telegram.failAlways(SILENCE)
  const texts = Array.from({ length: MESSAGES }, (_, index) => `message ${index}`)
  for (const message of texts) {
    const { status } = await daemon.api('telegram/notify', { username: USERNAME, message })
    expect(status).toBe(200)
  }
  await eventually(() => telegram.calls.some(({ method }) => method === 'sendMessage'))
  await daemon.kill()
  expect(telegram.sent).toEqual([])

  telegram.failNext()
  await daemon.start()
  const states = () =>
    query<{ state: string }>(join(daemon.home, 'svc.db'), `select state from messages where event = 'notify'`)
  await eventually(async () => (await states()).every(({ state }) => state === 'sent'), 'all are sent')
  // Messages that are recorded as sent are not repeated.
  await daemon.crash()
  await eventually(
    async () => (await daemon.request('GET', '/messages/status')).status === 200,
    'the daemon answers',
  )
  const sent = telegram.sent.map(({ text }) => text)
  expect(sent.toSorted()).toEqual(texts.toSorted())
})
