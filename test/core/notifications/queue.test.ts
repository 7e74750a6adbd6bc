import { describe, expect, test } from 'vitest'
import { backoffMs } from '../../../src/core/notifications/queue/pace.js'
import { TestDesk, USER } from '../../support/desk/desk.js'
import { eventually, pause } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'
import { BOT_TOKEN, FakeTelegram, SILENCE } from '../../support/messages/fake-telegram.js'

const CHAT = '4711'

async function open(options: { home?: string; telegram?: FakeTelegram } = {}) {
  const telegram = options.telegram ?? (await FakeTelegram.open())
  const home = options.home ?? tempDir()
  const env = { TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_CHATS: `${USER}=${CHAT},ravi=-100` }
  const desk = await TestDesk.open({ home, env, telegramApi: telegram.api })
  return { desk, home, telegram, messages: desk.service.messages, queue: desk.service.messages.queue }
}

const message = (body: string, more: object = {}) =>
  ({ channel: 'telegram', address: CHAT, userId: USER, event: 'notify', body, ...more }) as const

const advance = async (desk: TestDesk, seconds: number) => {
  for (let second = 0; second < seconds; second++) await desk.clock.advance(1_000)
}

describe('a message', () => {
  test('that waits survives a restart, and one that was sent is not sent again', async () => {
    const first = await open()
    await first.queue.deliver(message('sent'))
    first.telegram.failAlways(SILENCE)
    await first.queue.add(message('waits'))
    await first.desk.close()
    first.telegram.failNext()
    const second = await open(first)
    await eventually(() => first.telegram.sent.length === 2)
    await pause(100)
    expect(first.telegram.sent.map(({ text }) => text)).toEqual(['sent', 'waits'])
    expect(await second.queue.tallies()).toEqual([{ channel: 'telegram', state: 'sent', count: 2 }])
  })

  test('with the key of an earlier one is dropped, also after a restart', async () => {
    const { desk, queue, telegram, home } = await open()
    await queue.add(message('one', { key: 'approval:1' }))
    await queue.add(message('two', { key: 'approval:1' }))
    await eventually(() => telegram.sent.length === 1)
    await desk.close()
    const again = await open({ home, telegram })
    await again.queue.add(message('three', { key: 'approval:1' }))
    again.queue.post(message('four', { key: 'approval:1' }))
    await again.queue.add(message('other'))
    await eventually(() => telegram.sent.length === 2)
    expect(telegram.sent.map(({ text }) => text)).toEqual(['one', 'other'])
  })

  test('is tried again, and is dead after twenty attempts', async () => {
    const { desk, queue, telegram } = await open()
    telegram.failAlways([500, 'Internal Server Error'])
    await queue.add(message('x'))
    const row = async () => (await queue.list({ before: 99, limit: 1 }))[0]
    await eventually(async () => {
      await desk.clock.advance(600_000)
      return (await row())?.state === 'dead'
    })
    expect(await row()).toMatchObject({ attempts: 20 })
  })

  test('waits longer after each failed attempt, up to half an hour', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 20].map((attempts) => backoffMs(attempts) / 1000)
    expect(waits).toEqual([5, 15, 45, 135, 405, 1215, 1800, 1800])
  })

  test('for another address does not wait for the one that fails', async () => {
    const { queue, telegram } = await open()
    telegram.failNext([500, 'Internal Server Error'])
    await queue.add(message('fails'))
    await eventually(async () => (await queue.list({ before: 99, limit: 1 }))[0]?.attempts === 1)
    await queue.add(message('behind'))
    await queue.add(message('other', { address: '-100', userId: 'ravi' }))
    await eventually(() => telegram.sent.length >= 1)
    expect(telegram.sent[0]).toMatchObject({ chat_id: '-100', text: 'other' })
  })

  test('with a higher priority goes first', async () => {
    const { queue, telegram, messages } = await open()
    await messages.telegram.stop()
    await queue.add(message('low', { priority: 1 }))
    await queue.add(message('high', { priority: 9 }))
    await messages.telegram.start()
    queue.wake('telegram')
    await eventually(() => telegram.sent.length === 2)
    expect(telegram.sent.map(({ text }) => text)).toEqual(['high', 'low'])
  })

  test('beyond the rate of its chat waits for the next minute', async () => {
    const { desk, messages, queue, telegram } = await open()
    await messages.settings.update({ telegramRatePerMinute: 3 })
    for (let count = 0; count < 5; count++) await queue.add(message(`${count}`))
    await eventually(() => telegram.sent.length === 3)
    await pause(100)
    expect(telegram.sent).toHaveLength(3)
    await advance(desk, 61)
    await eventually(() => telegram.sent.length === 5)
  })

  test('is dead after a day, and its text goes after a week', async () => {
    const { desk, messages, queue } = await open()
    await messages.telegram.stop()
    await queue.add(message('old'))
    // The machine sleeps: the timers of a day fire once, not each second.
    desk.clock.suspend(24 * 3_600_000)
    await desk.clock.advance(61_000)
    queue.wake('telegram')
    await eventually(async () => (await queue.list({ before: 99, limit: 1 }))[0]?.state === 'dead')
    desk.clock.suspend(8 * 24 * 3_600_000)
    await desk.clock.advance(3_600_000)
    await eventually(async () => (await queue.list({ before: 99, limit: 1 })).length === 0)
  })
})

test('the token and other secrets are sealed in the database', async () => {
  const { messages } = await open()
  const stored = `987654321:${'z'.repeat(35)}`
  await messages.settings.update({ telegramToken: stored, whatsappToken: stored })
  const row = JSON.stringify(messages.settings.get())
  expect(row).not.toContain('zzzz')
  expect(messages.settings.secret('telegramToken')).toBe(stored)
})

test('a chat that the configuration no longer lists gets nothing more', async () => {
  const { desk, home, telegram } = await open()
  await desk.close()
  const env = { TELEGRAM_BOT_TOKEN: BOT_TOKEN }
  const later = await TestDesk.open({ home, env, telegramApi: telegram.api })
  expect(later.service.messages.contacts.all()).toEqual([])
})

test('the summary of the day comes at its time, once, and not on a quiet day', async () => {
  const { desk, messages, telegram } = await open()
  const [contact] = messages.contacts.all()
  if (!contact) throw new Error('no contact')
  await messages.contacts.change(contact, { orders: false, trades: false, summaryTime: '11:05' })
  await desk.place({ symbol: 'SBIN', quantity: 10 })
  await eventually(async () => {
    await desk.clock.advance(60_000)
    return telegram.sent.length > 0
  })
  for (let minute = 0; minute < 5; minute++) await desk.clock.advance(60_000)
  expect(telegram.sent).toHaveLength(1)
  expect(telegram.sent[0]?.text).toMatch(
    /^Summary of 2026-11-20 \(live\)\nOrders: 1\nTrades: 1\nPositions: 1\nP&L: /,
  )
})
