import { createHmac } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'
import { MAIL_PASSWORD, MAIL_USER, mailServer, TRUSTED } from '../../../support/mail/mail-server.js'
import { FakeTelegram, SILENCE } from '../../../support/messages/fake-telegram.js'
import {
  FakeWhatsApp,
  NEEDS_TEMPLATE,
  PHONE_ID,
  RATE_LIMIT,
  UNDELIVERABLE,
  WHATSAPP_TOKEN,
} from '../../../support/messages/fake-whatsapp.js'

const APP_SECRET = 'c'.repeat(32)
const ACCOUNT = {
  token: WHATSAPP_TOKEN,
  phone_number_id: PHONE_ID,
  app_secret: APP_SECRET,
  verify_token: 'verify-me-1',
}
const PHONE = '919876543210'

async function open({ paired = true } = {}) {
  const whatsapp = await FakeWhatsApp.open()
  const env = { WHATSAPP_RATE_LIMIT: '100000 per second' }
  const http = await HttpDesk.open({ env, whatsappApi: whatsapp.api, mailCa: TRUSTED })
  const headers = bearer(await http.signIn())
  const signed = (method: string, path: string, body?: object) =>
    http.request(method, path, { headers, ...(body && { body }) })
  if (paired) expect((await signed('PUT', '/messages/channels/whatsapp', ACCOUNT)).status).toBe(200)
  const notify = (payload: object) =>
    http.request('POST', '/api/v1/whatsapp/notify', { body: { apikey: http.apikey, ...payload } })
  return { http, whatsapp, signed, notify, service: http.desk.service }
}

describe('WhatsApp', () => {
  test('without an account is refused before the fields are checked', async () => {
    const { notify } = await open({ paired: false })
    for (const body of [{}, { self: true, message: 'x' }, { phones: ['919876543210', 919876543210] }]) {
      expect(await notify(body)).toMatchObject({
        status: 409,
        body: {
          status: 'error',
          message: expect.stringMatching(/^WhatsApp is not paired or not connected\./),
        },
      })
    }
    expect((await notify({ phones: '919876543210' })).body.message).toBe("phones: 'phones' must be a list")
  })

  test('sends to up to five phones, and says which failed', async () => {
    const { notify, whatsapp } = await open()
    whatsapp.failNext(UNDELIVERABLE)
    const phones = ['+91 98765-43210', 14155550100, 'abc', '1', '2222222', '3333333', '4444444', '5555555']
    expect(await notify({ phones, message: 'Hi' })).toMatchObject({
      status: 200,
      body: {
        message: 'Delivered to 4, failed 1',
        data: { failed: [{ error: '131026 (#131026) Message undeliverable' }], skipped: 0 },
      },
    })
    expect(whatsapp.sent).toHaveLength(4)
    expect(whatsapp.sent[0]).toMatchObject({ type: 'text', content: { body: 'Hi', preview_url: false } })
  })

  const NOT_SENT = [
    [{ message: 'x'.repeat(4097), phone: PHONE }, 400, /^message: Message must not exceed 4096 characters/],
    [{ phone: PHONE }, 400, /^Provide at least one of/],
    [{ message: 'x', phones: ['abc'] }, 400, /^No valid phones in list$/],
    [{ message: 'x', phones: [] }, 400, /^No valid phones in list$/],
    [{ message: 'x', phone: '12' }, 400, /^Invalid phone number$/],
    [{ message: 'x', phone: true }, 400, /Invalid phone number/],
    [{ message: 'x', phone: 1.5 }, 400, /Invalid phone number/],
    [{ message: 'x', username: 'meera' }, 404, /^Username not found or not linked/],
    [{ message: 'x', self: true }, 404, /^Username not found or not linked/],
    [{ message: 'x' }, 400, /^Specify one of/],
    [{ phone: PHONE, image_path: '/etc/passwd' }, 400, /^image_path is not allowed$/],
    [{ phone: PHONE, document_path: '../../x' }, 400, /^document_path is not allowed$/],
  ] as const

  test('refuses what it cannot send', async () => {
    const { notify, whatsapp } = await open()
    for (const [body, status, message] of NOT_SENT) {
      expect(await notify(body)).toMatchObject({ status, body: { message: expect.stringMatching(message) } })
      expect(whatsapp.sent).toEqual([])
    }
  })

  test('sends a file of its folder, and no link out of it', async () => {
    const { http, notify, whatsapp } = await open()
    const folder = join(http.desk.home, 'attachments')
    mkdirSync(folder)
    writeFileSync(join(folder, 'day.csv'), 'a,b\n')
    symlinkSync('/etc/passwd', join(folder, 'link.csv'))
    const document = { phone: PHONE, document_path: join(folder, 'day.csv'), caption: 'Today' }
    expect((await notify(document)).body).toMatchObject({ message: 'Delivered to 1' })
    expect(whatsapp.uploads).toEqual([{ type: 'text/plain', name: 'day.csv', bytes: 'a,b\n' }])
    expect(whatsapp.sent).toMatchObject([
      { type: 'document', content: { id: 'media-1', caption: 'Today', filename: 'day.csv' } },
    ])
    expect((await notify({ ...document, document_path: join(folder, 'link.csv') })).status).toBe(400)
  })

  test('is queued without waiting, and repeated after a rate limit', async () => {
    const { http, notify, service, whatsapp } = await open()
    whatsapp.failNext(RATE_LIMIT)
    expect(await notify({ phone: PHONE, message: 'Hi', wait_for_delivery: false })).toMatchObject({
      body: { message: 'Queued for 1 recipient(s)', queued: 1 },
    })
    await eventually(async () => {
      await http.desk.clock.advance(1_000)
      return whatsapp.sent.length === 1
    })
    expect((await service.messages.queue.list({ before: 99, limit: 9 }))[0]).toMatchObject({
      attempts: expect.any(Number),
    })
  })

  test('sends the approved template to somebody who was silent for a day', async () => {
    const { notify, signed, whatsapp } = await open()
    await signed('PUT', '/messages/channels/whatsapp', { template: 'svc_alert', template_language: 'en_US' })
    whatsapp.failNext(NEEDS_TEMPLATE)
    await notify({ phone: PHONE, message: '*Order Placed*\nSBIN   10' })
    expect(whatsapp.sent).toEqual([
      {
        to: PHONE,
        type: 'template',
        content: {
          name: 'svc_alert',
          language: { code: 'en_US' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: '*Order Placed* | SBIN 10' }] }],
        },
      },
    ])
  })

  test('alerts about orders and answers commands of the linked number', async () => {
    const { http, service, signed, whatsapp } = await open()
    await signed('PUT', '/messages/contacts/whatsapp', { address: `+${PHONE}` })
    await http.desk.place({ symbol: 'SBIN', quantity: 10 })
    await eventually(() => whatsapp.sent.length >= 1)
    expect(whatsapp.sent[0]).toMatchObject({
      to: PHONE,
      content: { body: expect.stringContaining('*Order Placed*') },
    })
    const sentBefore = whatsapp.sent.length
    const news = notificationOf({
      messages: [{ id: 'wamid.in', from: PHONE, type: 'text', text: { body: 'mode' } }],
    })
    expect((await deliver(http, news)).status).toBe(200)
    expect((await deliver(http, news)).status).toBe(200)
    await eventually(() => whatsapp.sent.some(({ content }) => String(content.body).startsWith('Mode: live')))
    const kill = notificationOf({
      messages: [{ id: 'wamid.k', from: PHONE, type: 'text', text: { body: 'kill' } }],
    })
    await deliver(http, kill)
    await eventually(() =>
      whatsapp.sent.some(({ content }) => String(content.body).startsWith('This needs a conf')),
    )
    expect(service.risk.killSwitch.on).toBe(false)
    expect(
      whatsapp.sent.slice(sentBefore).filter(({ content }) => /^Mode/.test(String(content.body))),
    ).toHaveLength(1)
  })

  test('records a message that did not arrive', async () => {
    const { http, notify, service } = await open()
    await notify({ phone: PHONE, message: 'Hi' })
    const errors = [{ code: 131_026, title: 'Message undeliverable' }]
    await deliver(http, notificationOf({ statuses: [{ id: 'wamid.1', status: 'failed', errors }] }))
    expect(await service.messages.queue.list({ before: 99, limit: 9 })).toMatchObject([
      { state: 'dead', error: '131026 Message undeliverable' },
    ])
  })

  test('confirms its webhook only with the verify token', async () => {
    const { http } = await open()
    const ask = (token: string) =>
      http.request(
        'GET',
        `/whatsapp/webhook?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`,
      )
    expect(await ask('verify-me-1')).toMatchObject({ status: 200, text: '1158201444' })
    expect(await ask('wrong')).toMatchObject({ status: 403, code: 'forbidden' })
    const unset = await open({ paired: false })
    expect(
      (await unset.http.request('GET', '/whatsapp/webhook?hub.mode=subscribe&hub.verify_token=')).status,
    ).toBe(403)
  })

  test.each([
    ['without a signature', {}, 401],
    ['with a wrong signature', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, 403],
  ])('refuses a notification %s', async (_name, headers, status) => {
    const { http } = await open()
    expect(
      (await http.request('POST', '/whatsapp/webhook', { body: notificationOf({}), headers })).status,
    ).toBe(status)
  })

  test.each([
    '{}',
    '[]',
    'null',
    'x',
    '{"object":"page"}',
    '{"object":"whatsapp_business_account","entry":7}',
  ])('refuses a signed notification that is none: %s', async (text) => {
    const { http } = await open()
    expect(
      (await http.request('POST', '/whatsapp/webhook', { text, headers: signatureOf(text) })).status,
    ).toBe(400)
  })
})

function notificationOf(value: object) {
  const metadata = { display_phone_number: '15550783881', phone_number_id: PHONE_ID }
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }
  return { object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] }
}

function signatureOf(text: string) {
  return { 'x-hub-signature-256': `sha256=${createHmac('sha256', APP_SECRET).update(text).digest('hex')}` }
}

function deliver(http: HttpDesk, body: object) {
  const text = JSON.stringify(body)
  return http.request('POST', '/whatsapp/webhook', { text, headers: signatureOf(text) })
}

describe('e-mail', () => {
  test('alerts about an order that failed, and only about events that the user wants', async () => {
    const { http, service, signed } = await open()
    const server = await mailServer()
    await service.settings.update({
      smtpServer: 'localhost',
      smtpPort: server.port,
      smtpUsername: MAIL_USER,
      smtpPassword: MAIL_PASSWORD,
      smtpFromEmail: 'desk@example.org',
    })
    await signed('PUT', '/messages/contacts/email', { address: 'asha@example.org' })
    await signed('PUT', '/messages/preferences/email', { orders: false, trades: false })
    await http.desk.place({ symbol: 'SBIN', quantity: 10 })
    await http.desk.place({ symbol: 'NOSUCH', quantity: 10 })
    await eventually(() => server.received.length === 1)
    expect(server.received[0]).toMatchObject({ to: ['asha@example.org'], from: 'desk@example.org' })
    expect(server.received[0]?.headers).toContain('Subject: svc: Order Failed')
    expect(server.received[0]?.text).toMatch(/^Order Failed\r?\n/)
    expect((await signed('POST', '/messages/test', { channel: 'email' })).body).toEqual({
      status: 'success',
      message: 'A test message was sent to asha@example.org.',
    })
  })

  test('that is not set up says so', async () => {
    const { signed } = await open()
    await signed('PUT', '/messages/contacts/email', { address: 'asha@example.org' })
    expect(await signed('POST', '/messages/test', { channel: 'email' })).toMatchObject({
      status: 409,
      body: { message: 'email is not ready: no mail server: svc smtp set' },
    })
  })
})

describe('a signed-in user', () => {
  test('sees channels and contacts, and no secret', async () => {
    const { signed } = await open()
    await signed('PUT', '/messages/contacts/whatsapp', { address: PHONE })
    const { body, text } = await signed('GET', '/messages/status')
    expect(body.data).toMatchObject({
      channels: [
        { channel: 'telegram', ready: false, note: 'no bot token' },
        { channel: 'whatsapp', ready: true, note: '', address: PHONE },
        { channel: 'email', ready: false },
      ],
      whatsapp: { token_set: true, app_secret_set: true, verify_token_set: true },
    })
    for (const secret of [WHATSAPP_TOKEN, APP_SECRET, 'verify-me-1']) expect(text).not.toContain(secret)
  })

  test('lists the queue and tries a dead message again', async () => {
    const { notify, signed, whatsapp } = await open()
    whatsapp.failNext(UNDELIVERABLE)
    await notify({ phone: PHONE, message: 'Hi' })
    const { data } = (await signed('GET', '/messages/queue?state=dead&channel=whatsapp')).body
    expect(data).toMatchObject([{ id: 1, state: 'dead', text: 'Hi', attempts: 1 }])
    expect((await signed('POST', '/messages/queue/retry', { id: 1 })).body).toMatchObject({ count: 1 })
    await eventually(() => whatsapp.sent.length === 1)
    expect(await signed('POST', '/messages/queue/retry', { id: 1 })).toMatchObject({ status: 404 })
    expect((await signed('POST', '/messages/queue/retry', {})).body).toMatchObject({ count: 0 })
  })

  const REFUSED = [
    ['PUT', '/messages/contacts/telegram', { address: '1' }, 400],
    ['PUT', '/messages/contacts/fax', { address: '1' }, 404],
    ['PUT', '/messages/contacts/__proto__', { address: '1' }, 404],
    ['PUT', '/messages/contacts/whatsapp', { address: '12' }, 400],
    ['PUT', '/messages/contacts/email', { address: 'a@b\r\nBcc: x' }, 400],
    ['PUT', '/messages/preferences/email', { trades: false }, 404],
    ['PUT', '/messages/preferences/email', { trades: 'perhaps' }, 400],
    ['PUT', '/messages/preferences/email', { timezone: 'Mars/Olympus' }, 400],
    ['PUT', '/messages/preferences/email', { summary_time: '25:00' }, 400],
    ['PUT', '/messages/channels/telegram', { token: 'x' }, 400],
    ['PUT', '/messages/channels/telegram', { polling_mode: false }, 400],
    ['PUT', '/messages/channels/telegram', { webhook_url: 'http://x' }, 400],
    ['PUT', '/messages/channels/whatsapp', { phone_number_id: '../x' }, 400],
    ['POST', '/messages/link', undefined, 409],
    ['DELETE', '/messages/contacts/email', undefined, 404],
    ['GET', '/messages/queue?limit=0', undefined, 400],
    ['GET', '/messages/queue?state=lost', undefined, 400],
  ] as const

  test('a request that is not valid is refused', async () => {
    const { signed } = await open()
    for (const [method, path, body, status] of REFUSED) {
      const reply = await signed(method, path, body)
      const label = `${method} ${path} ${JSON.stringify(body)}`
      expect(reply.status, label).toBe(status)
      expect(reply.body.message, label).toEqual(expect.any(String))
    }
  })
})

test('a slow Telegram delays neither orders nor the other channels', async () => {
  const [telegram, whatsapp] = [await FakeTelegram.open(), await FakeWhatsApp.open()]
  telegram.failAlways(SILENCE)
  const env = { TELEGRAM_BOT_TOKEN: `123456789:${'a'.repeat(35)}`, TELEGRAM_CHATS: `${USER}=1` }
  const http = await HttpDesk.open({ env, telegramApi: telegram.api, whatsappApi: whatsapp.api })
  const { messages } = http.desk.service
  await messages.settings.update({ whatsappToken: WHATSAPP_TOKEN, whatsappPhoneId: PHONE_ID })
  await messages.contacts.link({ userId: USER, channel: 'whatsapp', address: PHONE })
  await http.desk.place({ symbol: 'SBIN', quantity: 10 })
  await eventually(() => whatsapp.sent.length >= 1)
})
