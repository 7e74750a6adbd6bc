import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approvalsOf, queueOne } from '../support/desk/desk-state.js'
import { eventually } from '../support/eventually.js'
import { filesWith, query } from '../support/files/files.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../support/process/daemon-process.js'
import { EventClient } from '../support/traffic/event-client.js'

/* The steps of a new user, in this order: start, set up, simulate, trade live, approve. */
const daemon = new DaemonProcess({ env: { LOG_TO_FILE: 'true', LOG_LEVEL: 'DEBUG' } })
const events = new EventClient(daemon)
const secrets = new Map<string, string>([['password', PASSWORD]])

beforeAll(() => daemon.start())
afterAll(async () => {
  await events.disconnect()
  await daemon.dispose()
})

type Rows = { data: Record<string, unknown>[] }
const positions = async () => (await daemon.api<Rows>('positionbook')).body.data
const statusOf = async (orderid: string | undefined) =>
  (await daemon.api<{ data: Record<string, unknown> }>('orderstatus', { strategy: 'e2e', orderid })).body.data

describe('a new home', () => {
  it('is alive, ready and without a user', async () => {
    expect((await daemon.request('GET', '/health/live')).body).toMatchObject({ status: 'pass' })
    expect((await daemon.request('GET', '/health/ready')).status).toBe(200)
    expect((await daemon.request('GET', '/version')).body).toMatchObject({ name: 'svc' })
    expect((await daemon.request('GET', '/auth/check-setup')).body).toMatchObject({ needs_setup: true })
  })

  it('is set up once, shows the API key, and signs the user in', async () => {
    await daemon.signUp()
    expect(daemon.apikey).toMatch(/^[0-9a-f]{64}$/)
    expect(daemon.token.length).toBeGreaterThan(20)
    secrets.set('API key', daemon.apikey)
    secrets.set('session token', daemon.token)
    const { totp_secret: totpSecret } = (
      await daemon.request<{ data: { totp_secret: string } }>('GET', '/auth/profile-data')
    ).body.data
    expect(totpSecret).toMatch(/^[A-Z2-7]{32}$/)
    secrets.set('TOTP secret', totpSecret)
    expect((await daemon.request('GET', '/auth/check-setup')).body).toMatchObject({ needs_setup: false })
    const again = await daemon.request('POST', '/setup', {
      username: 'mallory',
      email: 'm@example.org',
      password: 'Passw0rd!',
    })
    expect([again.status, again.code]).toEqual([409, 'conflict'])
    const { data } = (await daemon.request<{ data: object }>('GET', '/auth/whoami')).body
    expect(data).toMatchObject({
      username: USERNAME,
      kind: 'session',
      order_mode: 'auto',
      broker: 'simulated',
    })
    await events.connect()
  })
})

describe('Analyzer mode', () => {
  it('simulates an order: it is filled, and the position appears', async () => {
    expect((await daemon.analyze(true)).body).toMatchObject({ success: true, analyze_mode: true })
    const { status, body } = await daemon.place({ strategy: 'simulated' })
    expect([status, body]).toMatchObject([200, { status: 'success', mode: 'analyze' }])
    expect(await statusOf(body.orderid)).toMatchObject({ order_status: 'complete', quantity: 10 })
    expect(await positions()).toMatchObject([
      { symbol: 'SBIN', exchange: 'NSE', product: 'CNC', quantity: 10 },
    ])
    await eventually(() => events.events('analyzer_update').length > 0)
  })

  it('a dry run reports the effect of an order and sends nothing', async () => {
    const { body } = await daemon.place({}, { 'x-dry-run': '1' })
    expect(body).toMatchObject({ status: 'success', dry_run: true, mode: 'analyze' })
    expect(await positions()).toMatchObject([{ quantity: 10 }])
  })
})

describe('live mode on the embedded broker', () => {
  it('executes an order: id, fill, trade, position and events', async () => {
    await daemon.analyze(false)
    const { status, body, headers } = await daemon.place({ strategy: 'live', quantity: 5 })
    expect([status, Object.keys(body)]).toEqual([200, ['status', 'orderid']])
    await eventually(async () => (await statusOf(body.orderid)).order_status === 'complete')
    // The exchange may fill the order in parts.
    const trades = (await daemon.api<Rows>('tradebook')).body.data
    expect(new Set(trades.map(({ orderid }) => orderid))).toEqual(new Set([body.orderid]))
    expect(trades.reduce((sum, { quantity }) => sum + Number(quantity), 0)).toBe(5)
    expect(await positions()).toMatchObject([{ symbol: 'SBIN', quantity: 5 }])
    const reference = headers.get('x-order-ref') ?? ''
    expect(await statusOf(reference)).toMatchObject({ order_ref: reference, orderid: body.orderid })
    await eventually(() => events.events('order_event').some(({ data }) => data.orderid === body.orderid))
    await eventually(() =>
      events
        .events('order_update')
        .some(({ data }) => data.orderid === body.orderid && data.order_status === 'complete'),
    )
  })
})

describe('semi-auto mode', () => {
  it('queues an order, executes it after the approval, and publishes both', async () => {
    await daemon.orderMode('semi_auto')
    const id = await queueOne(daemon, { quantity: 3 })
    await eventually(() =>
      events.events('pending_order_created').some(({ data }) => data.pending_order_id === id),
    )
    expect((await daemon.request('GET', '/action-center/count')).body).toEqual({ count: 1 })
    expect(await positions()).toMatchObject([{ quantity: 5 }])

    const approved = await daemon.request<{ broker_order_id: string }>('POST', `/action-center/approve/${id}`)
    expect(approved.body).toMatchObject({ status: 'success' })
    await eventually(async () => (await positions())[0]?.quantity === 8)
    expect(await approvalsOf(daemon)).toMatchObject([
      { status: 'approved', broker_order_id: approved.body.broker_order_id },
    ])
    await eventually(() => events.events('pending_order_updated').some(({ data }) => data.order_id === id))
  })

  it('a rejected order is never executed', async () => {
    const id = await queueOne(daemon, { quantity: 100 })
    const reason = 'too many'
    expect((await daemon.request('POST', `/action-center/reject/${id}`, { reason })).status).toBe(200)
    expect((await daemon.request('POST', `/action-center/approve/${id}`)).code).toBe('not_pending')
    expect(await positions()).toMatchObject([{ quantity: 8 }])
    await daemon.orderMode('auto')
  })
})

describe('after these steps', () => {
  it('every order is in the logs, without its credential', async () => {
    const file = join(daemon.home, 'logs.db')
    const strategies = (table: string) =>
      query<{ strategy: string; request: string }>(
        file,
        `select request_data ->> 'strategy' as strategy, request_data as request from ${table}`,
      )
    const isLogged = async (table: string, strategy: string) =>
      (await strategies(table)).some((row) => row.strategy === strategy)
    await eventually(() => isLogged('order_logs', 'live'), 'the live order is logged')
    await eventually(() => isLogged('analyzer_logs', 'simulated'), 'the simulated order is logged')
    for (const { request } of await strategies('order_logs')) expect(request).not.toContain('apikey')
  })

  it('a restart keeps everything: session, key, modes, positions, history', async () => {
    await daemon.crash()
    expect((await daemon.request('GET', '/status')).body).toMatchObject({
      data: { state: 'running', mode: 'live', pending_approvals: 0, in_doubt: 0, kill_switch: false },
    })
    expect(await positions()).toMatchObject([{ quantity: 8 }])
    await daemon.analyze(true)
    expect(await positions()).toMatchObject([{ quantity: 10 }])
  })

  it('no file of the home contains a secret: databases, logs, state, settings', async () => {
    const created = await daemon.request<{ token: string }>('POST', '/auth/tokens', {
      name: 'bot',
      scopes: ['read'],
    })
    secrets.set('access token', created.body.token)
    const csrf = await daemon.request<{ csrf_token: string }>('GET', '/auth/csrf-token')
    secrets.set('CSRF token', csrf.body.csrf_token)
    const rotated = await daemon.request<{ api_key: string }>('POST', '/apikey', { user_id: USERNAME })
    secrets.set('new API key', rotated.body.api_key)
    const ticket = await daemon.request<{ ticket: string }>('POST', '/auth/ws-ticket')
    secrets.set('ticket', ticket.body.ticket)
    const mail = { smtp_server: '127.0.0.1', smtp_username: 'desk', smtp_password: 'Mail-Horse-3!' }
    expect((await daemon.request('POST', '/auth/smtp-config', mail)).status).toBe(200)
    secrets.set('mail password', mail.smtp_password)
    const flow = await daemon.request<{ id: number }>('POST', '/flow/api/workflows', {
      name: 'hook',
      nodes: [],
      edges: [],
    })
    const hook = await daemon.request<{ webhook_secret: string }>(
      'GET',
      `/flow/api/workflows/${flow.body.id}/webhook`,
    )
    expect(hook.body.webhook_secret).toMatch(/^[0-9a-f]{64}$/)
    secrets.set('webhook secret', hook.body.webhook_secret)
    // Secrets that a client sends to a wrong place must not be stored either.
    await daemon.send(`/nowhere?apikey=${daemon.apikey}`)
    await daemon.send(`/nowhere?secret=${hook.body.webhook_secret}&ticket=${ticket.body.ticket}`)
    await daemon.request('POST', '/auth/login', { username: USERNAME, password: `${PASSWORD}x` })
    await daemon.api('placeorder', {
      apikey: rotated.body.api_key,
      symbol: 7,
      surprise: rotated.body.api_key,
    })
    const found = () =>
      [...secrets].flatMap(([name, value]) =>
        filesWith(daemon.home, value).map((file) => `${name} in ${file}`),
      )
    expect(found()).toEqual([])
    await daemon.signal('SIGTERM')
    expect(found()).toEqual([])
    for (const [name, value] of secrets) expect(daemon.output, name).not.toContain(value)
  })
})
