import { describe, expect, test } from 'vitest'
import { HttpDesk } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'
import {
  BLOCKED,
  BOT_TOKEN,
  FakeTelegram,
  FLOOD,
  REVOKED,
  SILENCE,
} from '../../../support/messages/fake-telegram.js'

const CHATS = 'asha=4711,ravi=-100'

async function open() {
  const telegram = await FakeTelegram.open()
  const env = {
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_CHATS: CHATS,
    TELEGRAM_RATE_LIMIT: '100000 per second',
  }
  const http = await HttpDesk.open({ env, telegramApi: telegram.api })
  return {
    http,
    telegram,
    sent: telegram.sent,
    notify: (body: object) => post(http, 'telegram/notify', body),
  }
}

const post = (http: HttpDesk, path: string, body: object) =>
  http.request('POST', `/api/v1/${path}`, { body: { apikey: http.apikey, ...body } })

const HELLO = { username: 'asha', message: '*Hello*' }
const success = (message: string) => ({ status: 200, body: { status: 'success', message } })
const QUEUED = success('Notification queued for delivery')

describe('a Telegram notification', () => {
  test('is sent to the chat of its user', async () => {
    const { notify, sent } = await open()
    expect(await notify({ ...HELLO, wait_for_delivery: true, priority: 'high' })).toMatchObject(
      success('Notification sent successfully'),
    )
    expect(sent).toMatchObject([{ chat_id: '4711', shown: '*Hello*', buttons: [] }])
  })

  test('is queued unless the caller waits, and goes out in its turn', async () => {
    const { notify, sent } = await open()
    for (const message of ['one', 'two']) expect(await notify({ ...HELLO, message })).toMatchObject(QUEUED)
    await eventually(() => sent.length === 2)
    expect(sent.map(({ text }) => text)).toEqual(['one', 'two'])
  })

  test.each(['SELL 5*65 at 3*4', 'EMA_20 above EMA_50', 'my_rsi_bot', 'a_b', '`x` [y](z) \\_'])(
    'arrives as it was written: %s',
    async (message) => {
      const { notify, sent } = await open()
      expect((await notify({ ...HELLO, message, wait_for_delivery: true })).status).toBe(200)
      expect(sent).toMatchObject([{ shown: message }])
    },
  )

  test('that Telegram refuses has failed, and is not repeated', async () => {
    const { http, notify, telegram } = await open()
    telegram.failAlways(BLOCKED)
    expect(await notify({ ...HELLO, wait_for_delivery: true })).toMatchObject({
      status: 500,
      body: { status: 'error', message: 'Failed to send notification' },
    })
    await http.desk.clock.advance(3_600_000)
    expect(telegram.calls.filter(({ method }) => method === 'sendMessage')).toHaveLength(1)
    expect(await http.desk.service.messages.queue.tallies()).toEqual([
      { channel: 'telegram', state: 'dead', count: 1 },
    ])
  })

  test('that does not get through waits as long as Telegram says, and then goes', async () => {
    const { http, notify, sent, telegram } = await open()
    telegram.failNext(FLOOD)
    expect(await notify({ ...HELLO, wait_for_delivery: true })).toMatchObject(QUEUED)
    for (let second = 0; second < 34; second++) await http.desk.clock.advance(1_000)
    expect(sent).toEqual([])
    const { queue } = http.desk.service.messages
    await eventually(async () => {
      await http.desk.clock.advance(1_000)
      const [tally] = await queue.tallies()
      return tally?.state === 'sent'
    })
    expect(sent).toHaveLength(1)
  })

  test('waits for a token that is valid again', async () => {
    const { http, notify, sent, telegram } = await open()
    telegram.failNext(REVOKED)
    expect(await notify({ ...HELLO, wait_for_delivery: true })).toMatchObject(QUEUED)
    await eventually(async () => {
      await http.desk.clock.advance(1_000)
      return sent.length === 1
    })
  })

  test('is refused while too many wait', async () => {
    const { notify, telegram } = await open()
    telegram.failAlways(FLOOD)
    const statuses: number[] = []
    for (let count = 0; count < 1001; count++) statuses.push((await notify(HELLO)).status)
    expect(new Set(statuses.slice(0, 1000))).toEqual(new Set([200]))
    expect(statuses.at(-1)).toBe(503)
  })

  test.each([
    ['nobody to send to', { message: 'x' }, 400, 'Username and message are required'],
    ['nothing to send', { username: 'asha', message: '' }, 400, 'Username and message are required'],
    [
      'a user without a chat',
      { ...HELLO, username: 'meera' },
      404,
      'User not found or not linked to Telegram',
    ],
    ['a name of every object', { ...HELLO, username: 'constructor' }, 404, expect.any(String)],
    ['a text too long', { ...HELLO, message: 'x'.repeat(4097) }, 400, /4096 characters$/],
  ])('is refused for %s', async (_what, body, status, message) => {
    const { notify, sent } = await open()
    const expected = message instanceof RegExp ? expect.stringMatching(message) : message
    expect(await notify(body)).toMatchObject({ status, body: { status: 'error', message: expected } })
    expect(sent).toEqual([])
  })

  test('without a bot is refused before the fields are checked', async () => {
    const http = await HttpDesk.open()
    expect(await post(http, 'telegram/notify', {})).toMatchObject({
      status: 409,
      body: { status: 'error', message: 'Telegram bot is stopped. Start the bot to send notifications.' },
    })
  })

  test('never waits for an answer when the service stops', async () => {
    const { http, notify, telegram } = await open()
    telegram.failAlways(SILENCE)
    await notify(HELLO)
    await http.desk.close()
  })
})

test('a user is notified of an order', async () => {
  const { http, sent } = await open()
  await http.desk.place({ symbol: 'SBIN', quantity: 10 })
  await http.desk.service.bus.idle()
  await eventually(() => sent.length === 1)
  expect(sent[0]).toMatchObject({ chat_id: '4711', text: expect.stringContaining('*Order Placed*') })
})

test('a Telegram that hangs holds up neither the log of orders nor the stop', async () => {
  const { http, telegram } = await open()
  telegram.failAlways(SILENCE)
  for (let count = 0; count < 15; count++) await http.desk.place({ symbol: 'SBIN', quantity: 1 })
  await http.desk.service.bus.idle()
  expect(await http.desk.service.orderLogs.count('live', {})).toBe(15)
  await http.desk.close()
})

test('the version is public', async () => {
  const http = await HttpDesk.open()
  for (const path of ['/version', '/auth/app-info']) {
    expect((await http.request('GET', path)).body).toEqual({
      status: 'success',
      name: 'svc',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
  }
})

describe('an order that fails', () => {
  test.each([
    ['live', false, 'Order Failed'],
    // The API publishes an order that the sandbox refused as placed, with its refusal.
    ['Analyzer', true, 'Order Placed'],
  ] as const)(
    'alerts its user in %s mode, with the error and without the key',
    async (_mode, simulated, title) => {
      const { http, sent } = await open()
      await http.desk.service.settings.setAnalyzeMode(simulated)
      const order = { strategy: 't', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', product: 'MIS' }
      const { status } = await post(http, 'placeorder', {
        ...order,
        pricetype: 'LIMIT',
        price: 0,
        quantity: 10,
      })
      expect(status).toBe(400)
      await eventually(() => sent.length > 0)
      const text = sent[0]?.text ?? ''
      expect(text.split('\n')[0]).toBe(`*${title}*`)
      expect(text).toMatch(/^Error: ./m)
      expect(text).not.toContain(http.apikey)
    },
  )
})
