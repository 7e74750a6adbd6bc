import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HttpDesk } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'

const TOKEN = `123456789:${'a'.repeat(35)}`
const CHATS = 'asha=4711,ravi=-100'

interface Sent {
  path: string
  body: { chat_id: string; text: string; parse_mode?: string }
}
type Answer = readonly [status: number, body: object]

const OK: Answer = [200, { ok: true }]
const NO_MARKDOWN: Answer = [400, { ok: false, description: "Bad Request: can't parse entities" }]
const BLOCKED: Answer = [403, { ok: false, description: 'Forbidden: bot was blocked by the user' }]
const BUSY: Answer = [429, { ok: false, description: 'Too Many Requests' }]

/** A server that never answers. */
const SILENCE: Answer = [0, {}]

/** A Bot API that records its requests and sends these answers; it repeats the last one. */
async function fakeTelegram(...answers: readonly Answer[]) {
  const sent: Sent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const answer = answers[Math.min(sent.length, answers.length - 1)] ?? OK
    sent.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) })
    if (answer === SILENCE) return
    response.writeHead(answer[0], { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer[1]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { sent, api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function open(...answers: readonly Answer[]) {
  const { sent, api } = await fakeTelegram(...answers)
  const env = {
    TELEGRAM_BOT_TOKEN: TOKEN,
    TELEGRAM_CHATS: CHATS,
    TELEGRAM_RATE_LIMIT: '100000 per second',
  }
  const http = await HttpDesk.open({ env, telegramApi: api })
  return { http, sent, notify: (body: object) => post(http, 'telegram/notify', body) }
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
    expect(sent).toEqual([
      {
        path: `/bot${TOKEN}/sendMessage`,
        body: { chat_id: '4711', text: '*Hello*', parse_mode: 'Markdown' },
      },
    ])
  })

  test('is queued unless the caller waits, and goes out in its turn', async () => {
    const { notify, sent } = await open()
    for (const message of ['one', 'two']) expect(await notify({ ...HELLO, message })).toMatchObject(QUEUED)
    await eventually(() => sent.length === 2)
    expect(sent.map(({ body }) => body.text)).toEqual(['one', 'two'])
  })

  test('that is no Markdown goes as it is', async () => {
    const { notify, sent } = await open(NO_MARKDOWN, OK)
    expect((await notify({ ...HELLO, message: 'a_b', wait_for_delivery: true })).status).toBe(200)
    expect(sent.map(({ body }) => [body.text, body.parse_mode])).toEqual([
      ['a_b', 'Markdown'],
      ['a_b', undefined],
    ])
  })

  test('that Telegram refuses has failed', async () => {
    const { notify, sent } = await open(BLOCKED)
    expect(await notify({ ...HELLO, wait_for_delivery: true })).toMatchObject({
      status: 500,
      body: { status: 'error', message: 'Failed to send notification' },
    })
    expect(sent).toHaveLength(1)
  })

  test('that does not get through waits and is tried again, a few times', async () => {
    const { http, notify, sent } = await open(BUSY)
    expect(await notify({ ...HELLO, wait_for_delivery: true })).toMatchObject(QUEUED)
    for (const attempts of [2, 3, 4]) {
      await eventually(async () => {
        await http.desk.clock.advance(5_000)
        return sent.length === attempts
      })
    }
    await http.desk.clock.advance(3_600_000)
    expect(sent).toHaveLength(4)
  })

  test('is refused while too many wait', async () => {
    const { notify } = await open(BUSY)
    const statuses = new Set<number>()
    for (let count = 0; count < 101; count++) statuses.add((await notify(HELLO)).status)
    expect([...statuses]).toEqual([200, 503])
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
    const { http, notify } = await open(BUSY)
    await notify(HELLO)
    await http.desk.close()
  })
})

test('a user is notified of an order', async () => {
  const { http, sent } = await open()
  await http.desk.place({ symbol: 'SBIN', quantity: 10 })
  await http.desk.service.bus.idle()
  await eventually(() => sent.length === 1)
  expect(sent[0]?.body.chat_id).toBe('4711')
  expect(sent[0]?.body.text).toContain('*Order Placed*')
})

test('a Telegram that hangs holds up neither the log of orders nor the stop', async () => {
  const { http } = await open(SILENCE)
  for (let count = 0; count < 15; count++) await http.desk.place({ symbol: 'SBIN', quantity: 1 })
  await http.desk.service.bus.idle()
  expect(await http.desk.service.orderLogs.count('live', {})).toBe(15)
  await http.desk.close()
})

test('without a paired device nothing goes to WhatsApp', async () => {
  const http = await HttpDesk.open()
  for (const body of [{}, { self: true, message: 'x' }, { phones: ['919876543210', 919876543210] }]) {
    expect(await post(http, 'whatsapp/notify', body)).toMatchObject({
      status: 409,
      body: {
        status: 'error',
        message:
          'WhatsApp is not paired or not connected. Pair the device first from the /whatsapp page in svc before sending.',
      },
    })
  }
  expect((await post(http, 'whatsapp/notify', { phones: '919876543210' })).body.message).toBe(
    "phones: 'phones' must be a list",
  )
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
      const [{ body }] = sent as [Sent]
      expect(body.text.split('\n')[0]).toBe(`*${title}*`)
      expect(body.text).toMatch(/^Error: ./m)
      expect(body.text).not.toContain(http.apikey)
    },
  )
})
