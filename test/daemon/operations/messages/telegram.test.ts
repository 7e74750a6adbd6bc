import { createHash } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'
import { BLOCKED, BOT_NAME, BOT_TOKEN, FakeTelegram } from '../../../support/messages/fake-telegram.js'

const SECRET = createHash('sha256').update(BOT_TOKEN).digest('hex').slice(0, 32)

async function open(env: Record<string, string> = {}) {
  const telegram = await FakeTelegram.open()
  const http = await HttpDesk.open({
    env: {
      TELEGRAM_BOT_TOKEN: BOT_TOKEN,
      TELEGRAM_CHATS: 'asha=4711,ravi=-100',
      TELEGRAM_RATE_LIMIT: '100000 per second',
      ...env,
    },
    telegramApi: telegram.api,
  })
  const post = (path: string, body: object = {}) =>
    http.request('POST', `/api/v1/telegram/${path}`, { body: { apikey: http.apikey, ...body } })
  /** Changes settings as the signed-in owner. */
  const configure = async (body: object) => {
    const headers = bearer(await http.signIn())
    return http.request('PUT', '/messages/channels/telegram', { headers, body })
  }
  const get = (path: string) =>
    http.request('GET', `/api/v1/telegram/${path}`, { headers: { 'x-api-key': http.apikey } })
  const hook = (text: string, secret?: string) =>
    http.request('POST', '/api/v1/telegram/webhook', {
      text,
      ...(secret !== undefined && { headers: { 'x-telegram-bot-api-secret-token': secret } }),
    })
  await eventually(() => telegram.calls.some(({ method }) => method === 'getUpdates'))
  return { http, telegram, post, configure, get, hook, messages: http.desk.service.messages }
}

describe('the bot', () => {
  test('shows its settings without its token', async () => {
    const { get } = await open()
    const { body, text } = await get('config')
    expect(body.data).toMatchObject({
      bot_token: '123456789...',
      is_active: true,
      bot_username: BOT_NAME,
      max_message_length: 4096,
      rate_limit_per_minute: 30,
      broadcast_enabled: true,
    })
    expect(text).not.toContain(BOT_TOKEN)
  })

  test('stops and starts, and stays stopped after a restart', async () => {
    const { http, post, telegram } = await open()
    expect((await post('start')).body.message).toBe('Bot is already running')
    expect((await post('stop')).body.message).toBe('Bot stopped successfully')
    expect(await post('stop')).toMatchObject({ status: 409, body: { message: 'Bot is not running' } })
    expect((await post('notify', { username: 'asha', message: 'x' })).status).toBe(409)
    await http.desk.close()
    const again = await HttpDesk.open({
      home: http.desk.home,
      env: { TELEGRAM_BOT_TOKEN: BOT_TOKEN },
      telegramApi: telegram.api,
    })
    expect(again.desk.service.messages.telegram.isRunning).toBe(false)
    expect(
      (await again.request('POST', '/api/v1/telegram/start', { body: { apikey: again.apikey } })).body,
    ).toEqual({
      status: 'success',
      message: 'Bot started successfully',
    })
  })

  test('does not start with a token that Telegram refuses', async () => {
    const { configure, post } = await open()
    await post('stop')
    await configure({ token: `123:${'b'.repeat(35)}`.replace('123', '12345') })
    expect(await post('start')).toMatchObject({
      status: 400,
      body: { message: 'Telegram refused the bot: Unauthorized' },
    })
  })

  test('keeps its settings and goes on when Telegram refuses the token of another bot', async () => {
    const { configure, get, telegram } = await open()
    const { data } = (await get('config')).body
    const other = { token: `12345:${'b'.repeat(35)}`, rate_limit_per_minute: 7 }
    expect(await configure(other)).toMatchObject({
      status: 400,
      body: { message: 'Telegram refused the bot: Unauthorized' },
    })
    expect((await get('config')).body.data).toEqual({ ...(data as object), updated_at: expect.any(String) })
    telegram.says(4711, '/status')
    await eventually(() => telegram.sent.length === 1)
  })

  test('hears of another bot that the configuration names, whose updates have lower numbers', async () => {
    const { http, telegram } = await open()
    telegram.says(4711, '/mode')
    await eventually(() => telegram.sent.length === 1)
    await http.desk.close()
    telegram.becomes('another_bot')
    await HttpDesk.open({
      home: http.desk.home,
      env: { TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_CHATS: 'asha=4711' },
      telegramApi: telegram.api,
    })
    telegram.says(4711, '/mode')
    await eventually(() => telegram.sent.length === 2)
  })

  const REFUSED = [
    [{ rate_limit_per_minute: 0 }, /rate_limit_per_minute must be between 1 and 120$/],
    [{ rate_limit_per_minute: 121 }, /rate_limit_per_minute must be between 1 and 120$/],
    [{ rate_limit_per_minute: '99999' }, /rate_limit_per_minute must be between 1 and 120$/],
    [{ rate_limit_per_minute: '1.5' }, /rate_limit_per_minute must be an integer$/],
    [{ rate_limit_per_minute: null }, /rate_limit_per_minute must be an integer$/],
    [{ token: 'x' }, /^token: Must be the token of a Telegram bot\.$/],
    [{ webhook_url: 'ftp://x' }, /^webhook_url: /],
    [{ colour: 'red' }, /^colour: Unknown field/],
  ] as const

  test('refuses settings that are not valid', async () => {
    const { post } = await open()
    for (const [body, message] of REFUSED) {
      expect(await post('config', body), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(message) },
      })
    }
  })

  test('takes updates from the webhook in webhook mode, each once, with the secret that Telegram was told', async () => {
    const { configure, hook, telegram, messages } = await open()
    const url = 'https://desk.example/api/v1/telegram/webhook'
    expect((await configure({ polling_mode: false, webhook_url: url })).status).toBe(200)
    expect(telegram.webhook).toEqual({ url, secret: SECRET })
    expect(messages.telegram.fault).toBeUndefined()
    const from = { id: 4711, is_bot: false, first_name: 'Asha' }
    const update = {
      update_id: 9000,
      message: { message_id: 1, chat: { id: 4711, type: 'private' }, from, text: '/mode' },
    }
    for (let repeat = 0; repeat < 3; repeat++) {
      expect(await hook(JSON.stringify(update), SECRET)).toMatchObject({ status: 200, text: '' })
    }
    await eventually(() => telegram.sent.length >= 1)
    expect(telegram.sent).toHaveLength(1)
    await configure({ polling_mode: true })
    expect(telegram.webhook.url).toBe('')
  })

  test('sends its updates nowhere else at the word of an API key: who has them can press the owner’s buttons', async () => {
    const { get, post, telegram } = await open()
    const before = (await get('config')).body.data
    for (const body of [
      { polling_mode: false, webhook_url: 'https://stranger.example/x' },
      { webhook_url: 'https://stranger.example/x' },
      { token: `12345:${'b'.repeat(35)}` },
      { token: '' },
    ]) {
      expect(await post('config', body), JSON.stringify(body)).toMatchObject({
        status: 403,
        code: 'forbidden',
        body: { message: expect.stringContaining('svc message channel telegram') },
      })
    }
    expect([(await get('config')).body.data, telegram.webhook.url]).toEqual([before, ''])
    expect((await post('config', { polling_mode: true, rate_limit_per_minute: 7 })).status).toBe(200)
  })

  test('answers /kill although the disk stores nothing', async () => {
    const { http, telegram } = await open()
    const { svc } = http.desk.service.databases
    vi.spyOn(svc, 'write').mockRejectedValue(new Error('SQLITE_FULL: database or disk is full'))
    telegram.says(4711, '/kill')
    await eventually(() => telegram.sent.length === 1)
    expect(telegram.sent[0]?.text).toContain('ill switch')
    vi.restoreAllMocks()
  })

  test.each([
    ['no secret', '{"update_id":1}', undefined, 401, 'unauthenticated'],
    ['a wrong secret', '{"update_id":1}', 'x', 403, 'forbidden'],
    ['no update', '{}', SECRET, 400, 'validation'],
    ['no JSON', 'x', SECRET, 400, 'validation'],
    ['a number that is none', '{"update_id":"1"}', SECRET, 400, 'validation'],
    ['a negative number', '{"update_id":-1}', SECRET, 400, 'validation'],
    ['an update of another kind', '{"update_id":7,"poll":{"__proto__":1}}', SECRET, 200, null],
  ])('answers a webhook call with %s', async (_name, text, secret, status, code) => {
    const { hook } = await open()
    expect(await hook(text, secret)).toMatchObject({ status, code })
  })

  test('takes the secret of the configuration for its webhook', async () => {
    const { hook } = await open({ TELEGRAM_WEBHOOK_SECRET: 'my-secret_1' })
    expect((await hook('{"update_id":1}', SECRET)).status).toBe(403)
    expect((await hook('{"update_id":1}', 'my-secret_1')).status).toBe(200)
  })
})

describe('the chats', () => {
  test('are listed, by broker and by whether they want messages', async () => {
    const { get } = await open()
    expect((await get('users')).body).toMatchObject({
      count: 2,
      data: [
        {
          id: expect.any(Number),
          telegram_id: 4711,
          svc_username: 'asha',
          broker: 'simulated',
          notifications_enabled: true,
        },
        { telegram_id: -100, svc_username: 'ravi' },
      ],
    })
    expect((await get('users?notifications_enabled=false')).body.count).toBe(0)
    expect((await get('users?broker=zerodha')).body.count).toBe(0)
  })

  test('a broadcast arrives as it was written', async () => {
    const { post, telegram } = await open()
    expect((await post('broadcast', { message: 'SELL 5*65 at 3*4 by my_rsi_bot' })).status).toBe(200)
    expect(telegram.sent.map(({ shown }) => shown)).toEqual(Array(2).fill('SELL 5*65 at 3*4 by my_rsi_bot'))
  })

  test('all get a broadcast, and the answer counts', async () => {
    const { post, telegram } = await open()
    telegram.failNext(BLOCKED)
    expect((await post('broadcast', { message: 'Hello' })).body).toEqual({
      status: 'success',
      message: 'Broadcast sent to 1 users, failed for 1 users',
      success_count: 1,
      fail_count: 1,
    })
    expect((await post('broadcast')).body.message).toBe('Message is required')
    expect((await post('broadcast', { message: 'x'.repeat(4097) })).body.message).toMatch(
      /must not exceed 4096/,
    )
    await post('config', { broadcast_enabled: false })
    expect(await post('broadcast', { message: 'x' })).toMatchObject({
      status: 403,
      body: { message: 'Broadcast is disabled' },
    })
    await post('broadcast', { message: 'x' })
    expect((await post('broadcast', { message: 'x' })).status).toBe(429)
  })

  test('have preferences that hold messages back', async () => {
    const { get, http, post, telegram } = await open()
    expect((await get('preferences?telegram_id=4711')).body.data).toEqual({
      order_notifications: true,
      trade_notifications: true,
      pnl_notifications: true,
      daily_summary: true,
      summary_time: '18:00',
      language: 'en',
      timezone: 'Asia/Kolkata',
    })
    const off = {
      telegram_id: 4711,
      order_notifications: false,
      trade_notifications: false,
      summary_time: '16:00',
    }
    expect((await post('preferences', off)).body.message).toBe('Preferences updated successfully')
    await http.desk.place({ symbol: 'SBIN', quantity: 10 })
    await http.desk.service.bus.idle()
    expect(telegram.sent).toEqual([])
    expect((await get('preferences?telegram_id=4711')).body.data).toMatchObject({ summary_time: '16:00' })
    expect((await get('preferences')).body.message).toMatch(/telegram_id is required/)
    expect((await get('preferences?telegram_id=1')).status).toBe(404)
    expect((await post('preferences', { telegram_id: 4711, timezone: 'x' })).status).toBe(400)
  })

  test('are counted by their commands', async () => {
    const { get, telegram } = await open()
    for (const text of ['/mode', '/mode', '/status']) telegram.says(4711, text)
    await eventually(() => telegram.sent.length === 3)
    expect((await get('stats?days=9999')).body.data).toEqual({
      total_commands: 3,
      commands_by_type: { mode: 2, status: 1 },
      active_users: 1,
      top_users: [['asha', 3]],
      period_days: 365,
    })
  })
})
