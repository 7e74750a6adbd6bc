import { expect, test } from 'vitest'
import { chatRecorder } from '../../../src/daemon/audit/chat-acts.js'
import { isChange, RequestAudit, turnOf } from '../../../src/daemon/audit/request-audit.js'
import { ALL_OPERATION_LIST } from '../../../src/daemon/operations/all.js'
import { runValues } from '../../../src/daemon/operations/strategies/strategy-facts.js'
import { USER } from '../../support/desk/desk.js'
import { bearer, HttpDesk, PASSWORD } from '../../support/desk/http-desk.js'
import { pause } from '../../support/eventually.js'

/** Signs in, and returns requests with that session, and the acts since the last call. */
async function open() {
  const http = await HttpDesk.open()
  const headers = bearer(await http.signIn())
  const { audit } = http.desk.service
  let seen = (await audit.list({ limit: 1 }))[0]?.seq ?? 0
  return {
    http,
    call: (method: string, path: string, body?: unknown) =>
      http.request(method, path, { headers, ...(body !== undefined && { body }) }),
    acts: async () => {
      await audit.flush()
      const rows = await audit.list({ limit: 1000, after: seen })
      seen = rows.at(-1)?.seq ?? seen
      return rows.map(({ after, before, ...row }) => ({
        ...row,
        before: before === null ? null : JSON.parse(before),
        after: after === null ? null : JSON.parse(after),
      }))
    },
  }
}

test('every operation that changes state is recorded, or is an exception with a reason', async () => {
  const http = await HttpDesk.open()
  const seam = new RequestAudit(http.daemon)
  const changes = ALL_OPERATION_LIST.filter(isChange)
  expect(changes.length).toBeGreaterThan(60)
  for (const operation of changes) {
    const { audit } = operation
    const reason = audit && 'unrecorded' in audit ? audit.unrecorded : undefined
    expect([operation.name, seam.of(operation) !== undefined || reason]).toEqual([
      operation.name,
      reason ?? true,
    ])
    // A caller without a credential is recorded for noted acts only, so each such route needs a decision.
    if (operation.auth === 'none') expect([operation.name, audit ?? reason]).not.toContain(undefined)
  }
})

test('a change of a limit has who, credential, address, and the values before and after', async () => {
  const { acts, call } = await open()
  const { headers } = await call('PUT', '/risk', { max_order_value: 5000 })
  expect(await acts()).toEqual([
    expect.objectContaining({
      act: 'risk.set',
      actor: USER,
      credential: 'session',
      credentialId: expect.stringMatching(/^[0-9a-f]{64}$/),
      address: '127.0.0.1',
      outcome: 'done',
      before: { max_order_value: 200_000_000 },
      after: { max_order_value: 5000 },
      requestId: headers.get('x-request-id'),
    }),
  ])
})

test('a request that cannot be read leaves no act, a refused one does', async () => {
  const { acts, call } = await open()
  await call('PUT', '/risk', { max_order_value: 'much' })
  expect(await acts()).toEqual([])
  await call('POST', '/broker/use', { broker: 'nobody' })
  expect(await acts()).toMatchObject([{ act: 'broker.use', outcome: 'refused', code: expect.any(String) }])
  expect(await acts()).toEqual([])
})

test('each act of the table leaves its row', async () => {
  const { acts, call, http } = await open()
  const { id: token } = await http.desk.service.identity.tokens.create(USER, {
    name: 'bot',
    scopes: ['read'],
  })
  const flow = { name: 'f', nodes: [], edges: [] }
  const alert = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }
  const calls: [act: string, method: string, path: string, body?: unknown][] = [
    ['mode.set', 'POST', '/settings/analyze-mode/1'],
    ['order_mode.set', 'POST', '/apikey/mode', { user_id: USER, mode: 'semi_auto' }],
    ['kill_switch.set', 'POST', '/risk/kill-switch', { on: true, reason: 'test' }],
    ['kill_switch.set', 'POST', '/risk/kill-switch', { on: false, reason: 'test', confirm: 'RESUME' }],
    ['token.create', 'POST', '/auth/tokens', { name: 'scripts', scopes: ['read'] }],
    ['token.revoke', 'DELETE', `/auth/tokens/${token}`],
    ['ban.add', 'POST', '/security/ban', { ip_address: '203.0.113.7', reason: 'scans' }],
    ['ban.remove', 'POST', '/security/unban', { ip_address: '203.0.113.7' }],
    ['ban.set_rules', 'POST', '/security/settings', { threshold_404: 50 }],
    [
      'smtp.set',
      'POST',
      '/auth/smtp-config',
      { smtp_server: 'mail.example', smtp_password: 'hunter2hunter2' },
    ],
    ['sandbox.set', 'POST', '/sandbox/update', { config_key: 'starting_capital', config_value: '5000000' }],
    ['sandbox.reset', 'POST', '/sandbox/reset'],
    ['log.clear_analyzer', 'POST', '/analyzer/clear'],
    ['log.clear_sign_ins', 'POST', '/security/api/login-activity/clear'],
    ['flow.create', 'POST', '/flow/api/workflows', flow],
    ['flow.webhook_enable', 'POST', '/flow/api/workflows/1/webhook/enable'],
    ['flow.webhook_rotate', 'POST', '/flow/api/workflows/1/webhook/regenerate'],
    ['flow.secret_set', 'PUT', '/flow/api/secrets/broker_pin', { value: 'hunter2hunter2' }],
    ['flow.secret_remove', 'DELETE', '/flow/api/secrets/broker_pin'],
    ['flow.delete', 'DELETE', '/flow/api/workflows/1'],
    ['api_key.rotate', 'POST', '/apikey', { user_id: USER }],
    ['alert.make_message', 'POST', '/tradingview', alert],
    ['alert.make_message', 'POST', '/gocharting', { ...alert, action: 'BUY', quantity: 1 }],
    ['instrument.sync', 'POST', '/broker/sync'],
    ['broker.set_algo', 'PUT', '/broker/algos', { strategy: 'momentum', algo_id: 'ALGO1' }],
    ['broker.set_faults', 'PUT', '/broker/simulated/faults', []],
    ['backup.make', 'POST', '/backups'],
    ['message.set_channel', 'PUT', '/messages/channels/whatsapp', { phone_number_id: '1234567' }],
    ['message.set_contact', 'PUT', '/messages/contacts/email', { address: 'desk@example.org' }],
    ['message.set_preferences', 'PUT', '/messages/preferences/email', { trades: false }],
    ['message.remove_contact', 'DELETE', '/messages/contacts/email'],
    ['message.retry', 'POST', '/messages/queue/retry', {}],
    ['session.prove', 'POST', '/auth/reauthenticate', { password: PASSWORD }],
    ['session.end', 'POST', '/auth/logout'],
  ]
  for (const [act, method, path, body] of calls) {
    const { status, text } = await call(method, path, body)
    const rows = (await acts()).filter(({ actor }) => actor === USER)
    expect([path, status, text, rows.map((row) => [row.act, row.outcome])]).toEqual([
      path,
      status,
      text,
      [[act, 'done']],
    ])
  }
})

test('changes of freeze quantities, holidays and hours have the values before and after', async () => {
  const { acts, call, http } = await open()
  const { freeze } = http.desk.service.instruments
  await freeze.add({ exchange: 'MCX', symbol: 'AUDITED', freezeQuantity: 10 })
  const id = freeze.list().find(({ symbol }) => symbol === 'AUDITED')?.id
  await call('PUT', `/admin/api/freeze/${id}`, { freeze_qty: 20 })
  await call('POST', '/admin/api/freeze', { exchange: 'MCX', symbol: 'SECOND', freeze_qty: 5 })
  await call('DELETE', `/admin/api/freeze/${id}`)
  await call('PUT', '/admin/api/timings/NSE', { start_time: '09:30', end_time: '15:15' })
  const added = await call('POST', '/admin/api/holidays', {
    holiday_date: '2027-03-22',
    description: 'Holi',
    holiday_type: 'TRADING_HOLIDAY',
    exchanges: ['NSE'],
  })
  await call('PUT', '/admin/api/holidays/years/2027', { complete: true })
  const { id: holiday } = Object(added.body.data)
  await call('DELETE', `/admin/api/holidays/${holiday}`)
  const holi = { [holiday]: expect.objectContaining({ date: '2027-03-22', description: 'Holi' }) }
  const nse = (start: string, end: string) => ({ NSE: { start, end } })
  const rows = (await acts()).map(({ act, before, after, outcome }) => [act, outcome, before, after])
  expect(rows).toEqual([
    ['freeze.set', 'done', { 'MCX:AUDITED': 10 }, { 'MCX:AUDITED': 20 }],
    ['freeze.add', 'done', {}, { 'MCX:SECOND': 5 }],
    ['freeze.remove', 'done', { 'MCX:AUDITED': 20 }, {}],
    ['timing.set', 'done', nse('09:15', '15:30'), nse('09:30', '15:15')],
    ['holiday.add', 'done', {}, holi],
    ['holiday.set_year', 'done', { coverage: 'partial' }, { coverage: 'complete' }],
    ['holiday.remove', 'done', holi, {}],
  ])
})

test('a new webhook token and a run show in the values, the token does not', async () => {
  const { acts, call, http } = await open()
  const config = {
    name: 'Audited',
    underlying: 'NIFTY',
    underlying_exchange: 'NSE_INDEX',
    strategy_type: 'positional',
    legs: [{ segment: 'futures', position: 'B', lots: 1, expiry: 'current' }],
  }
  await call('POST', '/strategy/api/strategies', config)
  await acts()
  const { body } = await call('POST', '/strategy/api/strategies/1/webhook/rotate')
  const token = String(body.webhook_token)
  const rows = await acts()
  const hash = expect.stringMatching(/^[0-9a-f]{12}$/)
  const values = { 1: expect.objectContaining({ webhook_fingerprint: hash }) }
  expect(rows).toMatchObject([{ act: 'strategy.webhook_rotate', before: values, after: values }])
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(rows[0]?.after).not.toEqual(rows[0]?.before)

  const { service } = http.desk
  const request = { service, username: USER, params: { id: '1' } }
  await service.databases.svc.write((tx) =>
    tx.exec(`insert into strategy_runs (strategy_id, mode, broker, started_at, trigger_source)
      values (1, 'sandbox', 'sandbox', 5, 'manual')`),
  )
  expect(await runValues(request)).toEqual({
    1: { run: 1, mode: 'sandbox', stop_requested: null, reserved: null },
  })
  const starts = [
    'POST /strategy/api/strategies/:id/start',
    'POST /api/v1/strategy/start',
    'POST /strategy/api/strategies/:id/stop',
  ]
  for (const { audit, name } of ALL_OPERATION_LIST.filter((one) => starts.includes(one.name))) {
    expect([name, audit]).toMatchObject([name, { values: runValues }])
    // A start waits for its broker, and another strategy must not wait with it.
    expect(turnOf(Object(audit))).toBeUndefined()
  }
})

test('a backup is recorded with its id', async () => {
  const { acts, call } = await open()
  const { body } = await call('POST', '/backups')
  const { bytes, id } = Object(body.data)
  expect(await acts()).toMatchObject([{ act: 'backup.make', target: id, after: { bytes } }])
})

test('a backup of the schedule is recorded with its id', async () => {
  const { acts, http } = await open()
  const { backups } = http.desk.service
  const { id } = await backups.make('scheduled')
  expect(await acts()).toMatchObject([
    {
      act: 'backup.make',
      actor: 'schedule',
      credential: 'service',
      target: id,
      outcome: 'done',
      after: { bytes: expect.any(Number) },
    },
  ])
})

test('a backup of the schedule that failed is recorded', async () => {
  const http = await HttpDesk.open({ env: { BACKUP_DIR: '/nowhere/backups' } })
  const { audit, backups } = http.desk.service
  await expect(backups.make('scheduled')).rejects.toThrow('/nowhere')
  await audit.flush()
  expect(await audit.list({ act: 'backup.make', limit: 9 })).toMatchObject([
    { actor: 'schedule', outcome: 'failed', after: expect.stringContaining('/nowhere') },
  ])
})

test('a sign-out of the broker does not wait for a download of instruments', async () => {
  const { acts, call, http } = await open()
  const headers = { ...bearer(await http.signIn()), 'content-type': 'text/csv' }
  await acts()
  // The upload never ends, so neither does the act.
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('instrument_token,')),
  })
  void http.app.request('/broker/sync', { method: 'POST', headers, body, duplex: 'half' } as RequestInit, {})
  await pause(200)
  const signOut = await Promise.race([call('POST', '/broker/logout'), pause(5000)])
  expect(signOut).toMatchObject({ status: 200 })
  expect(await acts()).toMatchObject([
    { act: 'broker.sign_out', outcome: 'done', before: { signed_in: true }, after: { signed_in: false } },
  ])
})

test('acts of a chat and of a route at the same moment have their own values', async () => {
  const { acts, call, http } = await open()
  const { service } = http.desk
  const actor = { channel: 'telegram', username: USER, address: '4711' } as const
  let route: Promise<unknown> | undefined
  await chatRecorder(service)({ actor, act: 'mode', target: null }, async () => {
    await service.modeSwitch.set(true, 'chat')
    route = call('POST', '/settings/analyze-mode/0')
    await Promise.race([route, pause(300)])
    return { text: '' }
  })
  await route
  const rows = (await acts()).filter(({ act }) => act === 'mode.set')
  expect(rows).toMatchObject([
    { credential: 'chat', before: { mode: 'live' }, after: { mode: 'analyze' } },
    { credential: 'session', before: { mode: 'analyze' }, after: { mode: 'live' } },
  ])
})

test('an act that came too late does not show the values of the other', async () => {
  const { acts, call, http } = await open()
  await call('POST', '/apikey/mode', { user_id: USER, mode: 'semi_auto' })
  const order = {
    strategy: 'audit',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    product: 'CNC',
  }
  await http.request('POST', '/api/v1/placeorder', { body: { apikey: http.apikey, ...order } })
  await acts()
  await Promise.all([
    call('POST', '/action-center/reject/1', { reason: 'one' }),
    call('POST', '/action-center/reject/1', { reason: 'two' }),
  ])
  const rows = (await acts()).filter(({ act }) => act === 'approval.reject')
  expect(rows.filter(({ outcome }) => outcome === 'done')).toMatchObject([{ after: { status: 'rejected' } }])
  expect(rows.filter(({ outcome }) => outcome === 'refused')).toMatchObject([{ before: null, after: null }])
})

test('a request that only reads leaves no act, whatever its method', async () => {
  const { acts, call } = await open()
  expect((await call('POST', '/admin/api/timings/check', { date: '2026-11-20' })).status).toBe(200)
  expect((await call('POST', '/pnltracker/api/pnl')).status).toBe(200)
  expect(await acts()).toEqual([])
})

test('an approval whose broker does not answer holds up no other one', async () => {
  const { acts, call, http } = await open()
  const { brokers } = http.desk.service
  await call('POST', '/apikey/mode', { user_id: USER, mode: 'semi_auto' })
  const order = {
    strategy: 'audit',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    product: 'CNC',
  }
  for (const quantity of [1, 2]) {
    const body = { apikey: http.apikey, ...order, quantity }
    await http.request('POST', '/api/v1/placeorder', { body })
  }
  await acts()
  const slot = brokers.orderSlot.bind(brokers)
  let answer: () => void = () => undefined
  const silent = new Promise<void>((resolve) => {
    answer = resolve
  })
  brokers.orderSlot = async (...given) => {
    await silent
    return slot(...given)
  }
  const slow = call('POST', '/action-center/approve/1')
  const rejected = await call('POST', '/action-center/reject/2', { reason: 'too late' })
  expect([rejected.status, (await acts()).map(({ act, target }) => [act, target])]).toEqual([
    200,
    [['approval.reject', '2']],
  ])
  answer()
  expect((await slow).status).toBe(200)
  expect((await acts()).filter(({ actor }) => actor === USER)).toMatchObject([
    { act: 'approval.approve', target: '1', before: { status: 'pending' }, after: { status: 'approved' } },
  ])
})

test('no secret reaches the trail', async () => {
  const { call, http } = await open()
  const secret = 'Hunter2-hunter2'
  const before = http.apikey
  await call('POST', '/auth/smtp-config', { smtp_server: 'mail.example', smtp_password: secret })
  await call('PUT', '/flow/api/secrets/plain_name', { value: secret })
  await call('POST', '/auth/change-password', {
    old_password: PASSWORD,
    new_password: secret,
    confirm_password: secret,
  })
  await call('POST', '/flow/api/workflows', { name: 'f', nodes: [], edges: [] })
  const created = await call('POST', '/auth/tokens', { name: 'scripts', scopes: ['read'] })
  const rotated = await call('POST', '/apikey', { user_id: USER })
  const { flows, audit } = http.desk.service
  const [flow] = flows.workflows.list()
  await audit.flush()
  const rows = JSON.stringify(await audit.list({ limit: 1000 }))
  expect(rows).toContain('smtp.set')
  const secrets = [
    secret,
    before,
    created.body.token,
    rotated.body.api_key,
    flow?.webhookToken,
    flow?.webhookSecret,
  ]
  for (const one of secrets) {
    if (typeof one === 'string' && one !== '') expect(rows).not.toContain(one)
  }
})

test('a sign-in is recorded with the user, and a wrong password is not an act', async () => {
  const { acts, http } = await open()
  await http.request('POST', '/auth/login', { body: { username: USER, password: 'wrong' } })
  expect(await acts()).toEqual([])
  await http.signIn()
  expect(await acts()).toMatchObject([
    { act: 'session.begin', actor: USER, credential: 'none', outcome: 'done' },
  ])
})

test('the kill switch works while the trail cannot be written, and is recorded afterwards', async () => {
  const { acts, call, http } = await open()
  const { clock, databases, risk } = http.desk.service
  const full = `create trigger full before insert on audit_entries begin select raise(abort, 'no room'); end`
  await databases.svc.write((tx) => tx.exec(full))
  const { status } = await call('POST', '/risk/kill-switch', { on: true, reason: 'stop' })
  expect([status, risk.killSwitch.on]).toEqual([200, true])
  await databases.svc.write((tx) => tx.exec('drop trigger full'))
  await http.desk.clock.advance(1000)
  expect(clock.now()).toBe(http.desk.clock.now())
  expect(await acts()).toMatchObject([{ act: 'kill_switch.set', after: { on: true, reason: 'stop' } }])
})

test('an act that cannot be noted does not begin', async () => {
  const { call, http } = await open()
  const { databases, risk } = http.desk.service
  await databases.svc.write((tx) =>
    tx.exec(`create trigger full before insert on audit_pending begin select raise(abort, 'no room'); end`),
  )
  const { status } = await call('PUT', '/risk', { max_order_value: 5000 })
  expect(status).toBe(500)
  expect(risk.rules.max_order_value).toBe(200_000_000)
})

test('acts on the same values at the same time each have their own values', async () => {
  const { acts, call } = await open()
  await Promise.all([10, 20, 30].map((value) => call('PUT', '/risk', { max_order_value: value })))
  const values = (await acts()).flatMap(({ before, after }) => [
    before.max_order_value,
    after.max_order_value,
  ])
  expect(values).toHaveLength(6)
  expect(values.slice(2, 3)).toEqual(values.slice(1, 2))
  expect(values.slice(4, 5)).toEqual(values.slice(3, 4))
})

test('an automatic ban is an act of the service', async () => {
  const { acts, call, http } = await open()
  await call('POST', '/security/settings', { auto_ban_enabled: true, threshold_404: 1 })
  await acts()
  http.desk.service.security.addMissingPath('203.0.113.9', '/wp-login.php')
  expect(await acts()).toMatchObject([
    { act: 'ban.automatic', actor: 'svc', credential: 'service', target: '203.0.113.9' },
  ])
})
