import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ServiceError } from '../../../../src/core/errors/index.js'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import { asleep } from '../../../support/asleep.js'
import { bearer, type Reply } from '../../../support/desk/http-desk.js'
import { settled } from '../../../support/settled.js'
import { BUY, broken, FlowRig, graphOf, HELLO, HOOK, note, order, SLOW, scheduled } from './flow-rig.js'

interface Hook {
  rig: FlowRig
  id: number
  token: string
  secret: string
  /** Calls the webhook without a credential of the service. */
  call(body?: unknown, path?: string, headers?: Record<string, string>): Promise<Reply>
}

/** An active workflow with an enabled webhook. */
async function hooked(
  graph: FlowGraph = HOOK,
  authType: 'payload' | 'url' = 'payload',
  env: Record<string, string> = {},
): Promise<Hook> {
  const rig = await FlowRig.open({ env })
  const id = await rig.arm(graph, 'Hook')
  await rig.ask('POST', `/workflows/${id}/webhook/enable`)
  await rig.ask('POST', `/workflows/${id}/webhook/auth-type`, { auth_type: authType })
  const { body } = await rig.ask('GET', `/workflows/${id}/webhook`)
  const token = String(body.webhook_token)
  const call: Hook['call'] = (sent, path = '', headers = {}) =>
    settled(
      rig.clock,
      rig.http.request('POST', `/flow/webhook/${path.startsWith('!') ? path.slice(1) : token + path}`, {
        ...(typeof sent === 'string' ? { text: sent } : { body: sent }),
        headers,
      }),
    )
  return { rig, id, token, secret: String(body.webhook_secret), call }
}

const MISSING_IN_BODY = "Missing webhook secret in payload. Add 'secret' field to JSON body"
const MISSING_IN_URL = 'Missing webhook secret in URL. Use ?secret=your_secret'
const NO_OBJECT = 'Webhook body must be a JSON object'

test('a member that is given twice is refused, and only a caller with the secret is told', async () => {
  const { rig, id, secret, call } = await hooked()
  const twice = (given: string) => `{"secret":"${given}","quantity":1,"quantity":500}`
  const refused = await call(twice(secret))
  expect(refused).toMatchObject({ status: 400, code: 'validation' })
  expect(refused.text).toContain('quantity')
  expect(await call(`{"secret":"no","secret":"${secret}"}`)).toMatchObject({ status: 400 })
  expect(await call(twice('no'))).toMatchObject({ status: 401 })
  expect(await rig.runs(id)).toEqual([])
})

test('calls with a wrong token or secret are limited by address, and those with the right one are not', async () => {
  const env = { WEBHOOK_RATE_LIMIT: '3 per minute', TRUST_PROXY_HEADERS: 'true' }
  const { rig, secret, call } = await hooked(HOOK, 'payload', env)
  const fire = (given: string, { path = '', from = '192.0.2.1' } = {}) =>
    call({ secret: given }, path, { 'x-real-ip': from })
  for (let alert = 0; alert < 8; alert++) expect(await fire(secret)).toMatchObject({ status: 200 })
  expect(await fire(secret, { path: '!no-such-token' })).toMatchObject({ status: 404 })
  for (let guess = 0; guess < 2; guess++) expect(await fire('wrong')).toMatchObject({ status: 401 })
  const refused = await fire(secret)
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited', body: { retry_after: 60 } })
  expect(await fire(secret, { from: '192.0.2.2' })).toMatchObject({ status: 200 })
  await rig.clock.advance(60_000)
  expect(await fire(secret)).toMatchObject({ status: 200 })
})

test('guesses that are sent at the same moment count each other', async () => {
  const { rig, token } = await hooked(HOOK, 'payload', { WEBHOOK_RATE_LIMIT: '3 per minute' })
  const senders: ReadableStreamDefaultController<Uint8Array>[] = []
  const answers = Array.from({ length: 8 }, () => {
    const body = new ReadableStream<Uint8Array>({ start: (sender) => void senders.push(sender) })
    const init = { method: 'POST', duplex: 'half' as const, body }
    return rig.http.app.request(`/flow/webhook/${token}`, init, {})
  })
  // Each of them is past the first look at the limit when the first one is checked.
  for (const sender of senders) {
    sender.enqueue(Buffer.from('{"secret":"wrong"}'))
    sender.close()
  }
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([401, 401, 401, 429, 429, 429, 429, 429])
})

test('the settings of a webhook are shown and changed', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(HOOK)
  const path = `/workflows/${id}/webhook`
  const { body: hook } = await rig.ask('GET', path)
  const url = `${rig.http.daemon.url}/flow/webhook/${hook.webhook_token}`
  expect(hook).toEqual({
    webhook_token: expect.stringMatching(/^[\w-]{43}$/),
    webhook_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    webhook_enabled: false,
    webhook_auth_type: 'payload',
    webhook_url: url,
    webhook_url_with_symbol: `${url}/{symbol}`,
    webhook_url_with_secret: null,
    webhook_signing_secret: null,
  })
  expect((await rig.ask('POST', `${path}/enable`)).body).toEqual({
    ...hook,
    status: 'success',
    message: 'Webhook enabled',
    webhook_enabled: true,
  })
  expect((await rig.ask('POST', `${path}/auth-type`, { auth_type: 'url' })).body).toEqual({
    status: 'success',
    message: "Webhook auth type set to 'url'",
    webhook_auth_type: 'url',
    webhook_url: url,
    webhook_url_with_secret: `${url}?secret=${hook.webhook_secret}`,
    webhook_signing_secret: null,
  })
  for (const wrong of ['header', '', null, 7, ['url']]) {
    const reply = await rig.ask('POST', `${path}/auth-type`, { auth_type: wrong })
    expect([wrong, reply.status, reply.body.error]).toEqual([wrong, 400, 'Invalid auth type'])
  }
  expect((await rig.ask('POST', `${path}/auth-type`, { other: 1 })).body.webhook_auth_type).toBe('payload')

  const secret = await rig.ask('POST', `${path}/regenerate-secret`)
  expect(secret.body).toEqual({
    status: 'success',
    message: 'Webhook secret regenerated',
    webhook_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const both = await rig.ask('POST', `${path}/regenerate`)
  expect(both.body).toEqual({
    status: 'success',
    message: 'Webhook token and secret regenerated',
    webhook_token: expect.stringMatching(/^[\w-]{43}$/),
    webhook_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    webhook_url: `${rig.http.daemon.url}/flow/webhook/${both.body.webhook_token}`,
    webhook_url_with_symbol: `${rig.http.daemon.url}/flow/webhook/${both.body.webhook_token}/{symbol}`,
  })
  expect(new Set([hook.webhook_secret, secret.body.webhook_secret, both.body.webhook_secret]).size).toBe(3)
  expect((await rig.ask('POST', `${path}/disable`)).body).toEqual({
    status: 'success',
    message: 'Webhook disabled',
  })
  expect((await rig.show(id)).body.webhook_enabled).toBe(false)
})

test('a call waits for the end of the run and returns its outcome', async () => {
  const { rig, id, secret, call } = await hooked()
  const reply = await call({ secret, qty: 50 })
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      status: 'success',
      message: "Workflow 'Hook' triggered",
      errors: null,
      execution_id: 1,
      workflow_id: id,
    },
  ])
  const [run] = await rig.runs(id)
  expect(run).toMatchObject({ trigger: 'webhook', status: 'completed' })
  expect(rig.lines(run ?? {})).toContain('[LOG] got {"qty":50}')
})

describe('with an Idempotency-Key', () => {
  const keyed = (hook: Hook, body: object, key = 'alert-1') =>
    hook.call({ secret: hook.secret, ...body }, '', { 'idempotency-key': key })

  test('a repeat answers as the first call did and starts no second run, also after a restart', async () => {
    const hook = await hooked(BUY)
    const { rig, id } = hook
    const first = await keyed(hook, { qty: 1, note: 'a' })
    expect(first.status).toBe(200)
    await rig.ask('PUT', `/workflows/${id}`, { name: 'Renamed' })
    const again = await keyed(hook, { note: 'a', qty: 1 })
    expect([again.status, again.text]).toEqual([200, first.text])
    expect((await keyed(hook, { qty: 1, note: 'a' }, 'alert-2')).body).toMatchObject({ execution_id: 2 })

    const next = await rig.restart()
    const path = `/flow/webhook/${hook.token}`
    const body = { secret: hook.secret, qty: 1, note: 'a' }
    const headers = { 'idempotency-key': 'alert-1' }
    const later = await settled(next.clock, next.http.request('POST', path, { body, headers }))
    expect([later.status, later.text]).toEqual([200, first.text])
    expect(await next.runs(id)).toHaveLength(2)
    expect(await next.desk.ledger()).toHaveLength(2)
  })

  test('the same key at the same time shares one run, and a failed run is not repeated', async () => {
    const hook = await hooked(scheduled(SLOW, { scheduleType: 'daily', time: '10:15' }))
    const [first, second] = await Promise.all([keyed(hook, {}), keyed(hook, {})])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.text).toBe(first.text)
    expect(await hook.rig.runs(hook.id)).toHaveLength(1)

    const failing = await hooked(graphOf({ t: ['webhookTrigger'], x: broken }, 't -> x'))
    const failed = await keyed(failing, {})
    expect(failed.status).toBe(502)
    const repeated = await keyed(failing, {})
    expect([repeated.status, repeated.text]).toEqual([502, failed.text])
    expect(await failing.rig.runs(failing.id)).toHaveLength(1)
  })

  test('a run that fails before it begins leaves its key free for the next try', async () => {
    const hook = await hooked(BUY)
    const { apiKeys } = hook.rig.desk.service.identity
    const busy = new ServiceError('unavailable', 'Too many keys wait for their check.')
    const verify = vi.spyOn(apiKeys, 'verify').mockRejectedValueOnce(busy)
    onTestFinished(() => verify.mockRestore())
    expect(await keyed(hook, { qty: 1 })).toMatchObject({ status: 503 })
    expect(await keyed(hook, { qty: 1 })).toMatchObject({ status: 200 })
    expect(await keyed(hook, { qty: 1 })).toMatchObject({ status: 200 })
    expect(await hook.rig.desk.ledger()).toHaveLength(1)
  })

  test('another payload under the key is refused', async () => {
    const hook = await hooked()
    expect((await keyed(hook, { qty: 1 })).status).toBe(200)
    const error = 'This Idempotency-Key was used for another request.'
    const other = await keyed(hook, { qty: 2 })
    expect([other.status, other.code, other.body.error]).toEqual([409, 'conflict', error])
    expect((await keyed(hook, { qty: 1 }, '')).status).toBe(400)
    expect((await keyed(hook, { qty: 1 }, 'k'.repeat(256))).status).toBe(400)
    expect(await hook.rig.runs(hook.id)).toHaveLength(1)
  })

  test('a call that starts no run does not use up its key, and a key lasts 24 hours', async () => {
    const hook = await hooked()
    const { id, rig } = hook
    await rig.ask('PUT', `/workflows/${id}`, { nodes: HOOK.nodes, edges: [] })
    expect((await keyed(hook, { qty: 1 })).status).toBe(400)
    await rig.ask('PUT', `/workflows/${id}`, { nodes: HOOK.nodes, edges: HOOK.edges })
    expect((await keyed(hook, { qty: 2 })).body).toMatchObject({ execution_id: 1 })
    await asleep(rig.clock, 24 * 3_600_000 - 60_000)
    expect((await keyed(hook, { qty: 2 })).body).toMatchObject({ execution_id: 1 })
    await rig.pass(120_000)
    expect((await keyed(hook, { qty: 3 })).body).toMatchObject({ execution_id: 2 })
  })
})

test.each<[string, 'payload' | 'url', unknown, string, number, string]>([
  ['no secret', 'payload', {}, '', 401, MISSING_IN_BODY],
  ['no body', 'payload', undefined, '', 401, MISSING_IN_BODY],
  ['a blank secret', 'payload', { secret: '' }, '', 401, MISSING_IN_BODY],
  ['a secret that is null', 'payload', { secret: null }, '', 401, MISSING_IN_BODY],
  ['the secret in the query', 'payload', {}, '?secret=SECRET', 401, MISSING_IN_BODY],
  ['a wrong secret', 'payload', { secret: 'x' }, '', 401, 'Invalid webhook secret'],
  ['half the secret', 'payload', { secret: 'HALF' }, '', 401, 'Invalid webhook secret'],
  ['a secret that is a number', 'payload', { secret: 7 }, '', 401, 'Invalid webhook secret'],
  ['a secret that is true', 'payload', { secret: true }, '', 401, 'Invalid webhook secret'],
  ['a secret in a list', 'payload', { secret: ['SECRET'] }, '', 401, 'Invalid webhook secret'],
  ['a list', 'payload', ['SECRET'], '', 400, NO_OBJECT],
  ['a text', 'payload', '"SECRET"', '', 400, NO_OBJECT],
  ['null', 'payload', 'null', '', 400, NO_OBJECT],
  ['no JSON', 'payload', 'secret=SECRET', '', 400, NO_OBJECT],
  ['no secret', 'url', {}, '', 401, MISSING_IN_URL],
  ['the secret in the body', 'url', { secret: 'SECRET' }, '', 401, MISSING_IN_URL],
  ['a blank secret', 'url', {}, '?secret=', 401, MISSING_IN_URL],
  ['a wrong secret', 'url', {}, '?secret=x', 401, 'Invalid webhook secret'],
  ['a wrong secret and no JSON', 'url', 'no JSON', '?secret=x', 401, 'Invalid webhook secret'],
  ['a list', 'url', [1], '?secret=SECRET', 400, NO_OBJECT],
  ['no JSON', 'url', 'no JSON', '?secret=SECRET', 400, NO_OBJECT],
])('%s (%s) is refused', async (_, authType, body, query, status, error) => {
  const { rig, id, secret, call } = await hooked(HOOK, authType)
  const with_ = (text: string) => text.replace('SECRET', secret).replace('HALF', secret.slice(0, 32))
  const sent = body === undefined ? undefined : JSON.parse(with_(JSON.stringify(body)))
  const reply = await call(sent, with_(query))
  expect([reply.status, reply.body]).toEqual([status, { status: 'error', message: error, error }])
  expect(reply.text).not.toContain(secret)
  expect(await rig.runs(id)).toEqual([])
})

test('a call is judged in the order of the contract', async () => {
  const { rig, id, secret, call } = await hooked()
  const answers = async (status: number, error: string) => {
    for (const body of [{ secret }, { secret: 'wrong' }, [], 'no JSON']) {
      const reply = await call(body)
      expect([body, reply.status, reply.body.error]).toEqual([body, status, error])
    }
  }
  for (const body of [{ secret }, 'no JSON']) {
    expect(await call(body, '!unknown')).toMatchObject({
      status: 404,
      body: { error: 'Invalid webhook token' },
    })
  }
  await rig.ask('POST', `/workflows/${id}/deactivate`)
  await answers(403, 'Workflow is not active')
  await rig.ask('POST', `/workflows/${id}/webhook/disable`)
  await answers(403, 'Webhook is disabled')
  await rig.ask('POST', `/workflows/${id}/webhook/enable`)
  await rig.ask('POST', `/workflows/${id}/activate`)
  await rig.ask('PUT', `/workflows/${id}`, { nodes: HOOK.nodes, edges: [] })
  const invalid = await call({ secret })
  expect([invalid.status, invalid.body]).toEqual([
    400,
    {
      status: 'error',
      error: 'Workflow cannot be executed',
      message: 'Workflow cannot be executed: Not reachable from the trigger: got',
      errors: [expect.objectContaining({ code: 'unreachable' })],
    },
  ])
  await rig.ask('DELETE', `/workflows/${id}`)
  expect((await call({ secret })).status).toBe(404)
})

test('the workflow gets the body of the caller', async () => {
  const { rig, id, secret, call } = await hooked(HOOK, 'url')
  const query = `?secret=${secret}`
  const got = async () => rig.lines((await rig.runs(id))[0] ?? {}).at(-1)
  for (const [body, path, line] of [
    [{ qty: 50, secret: 'mine' }, query, '{"qty":50}'],
    [{ symbol: 'INFY' }, `/SBIN${query}`, '{"symbol":"SBIN"}'],
    [undefined, `/M%26M${query}`, '{"symbol":"M&M"}'],
    ['', `/SBIN${query}`, '{"symbol":"SBIN"}'],
    [{ trigger_type: 'price_alert', trigger_price: 1 }, query, '{"trigger_price":1}'],
    [{ trigger_type: 'order_update', x: 1 }, query, '{"x":1}'],
    [{ trigger_type: 'mine' }, query, '{"trigger_type":"mine"}'],
  ] as const) {
    expect((await call(body, path)).status).toBe(200)
    expect(await got()).toBe(`[LOG] got ${line}`)
  }
  expect((await call({}, query)).status).toBe(200)
  expect(await got()).toBe('[LOG] got {{webhook}}')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
    expect((await call('{"a": 1}', query, { 'content-type': type })).status).toBe(200)
    expect(await got()).toBe('[LOG] got {"a":1}')
  }
})

test('a body is at most 64 KiB', async () => {
  const { secret, call } = await hooked()
  const filled = (bytes: number) => {
    const rest = bytes - JSON.stringify({ secret, x: '' }).length
    return JSON.stringify({ secret, x: 'x'.repeat(rest) })
  }
  expect((await call(filled(65_536))).status).toBe(200)
  expect((await call(filled(65_537))).status).toBe(413)
})

test('neither a session nor a token helps or is needed, and no other method calls', async () => {
  const { rig, token, secret, call } = await hooked()
  expect((await call({}, '', bearer(rig.token))).status).toBe(401)
  const read = await rig.http.request('GET', `/flow/webhook/${token}?secret=${secret}`)
  expect(read.status).toBe(405)
})

test('a price nobody saw does not open a price alert', async () => {
  const alert = { symbol: 'SBIN', exchange: 'NSE', condition: 'greater_than', price: 99_999 }
  const graph = graphOf(
    { t: ['priceAlert', alert], yes: note('believed'), no: note('asked') },
    't yes> yes',
    't no> no',
  )
  const { rig, id, secret, call } = await hooked(graph)
  const forged = { trigger_type: 'price_alert', trigger_price: 100_000, ltp: 100_000 }
  expect((await call({ secret, ...forged })).status).toBe(200)
  const lines = rig.lines((await rig.runs(id))[0] ?? {})
  expect(lines).toContain('[LOG] asked')
  expect(lines).not.toContain('[LOG] believed')
})

test('a new secret ends the old one at once, a new token the old address', async () => {
  const { rig, id, secret, call } = await hooked()
  const fresh = await rig.ask('POST', `/workflows/${id}/webhook/regenerate-secret`)
  expect((await call({ secret })).status).toBe(401)
  expect((await call({ secret: fresh.body.webhook_secret })).status).toBe(200)
  const both = await rig.ask('POST', `/workflows/${id}/webhook/regenerate`)
  expect((await call({ secret: both.body.webhook_secret })).status).toBe(404)
  const { webhook_token: token, webhook_secret: newest } = both.body
  expect((await call({ secret: newest }, `!${token}`)).status).toBe(200)
})

test('an order whose quantity never came, or is no number, is not sent', async () => {
  const [, fields] = order
  const buy = graphOf(
    { t: ['webhookTrigger'], buy: ['placeOrder', { ...fields, quantity: '{{webhook.qty}}' }] },
    't -> buy',
  )
  const { rig, secret, call } = await hooked(buy)
  for (const body of [{}, { qty: null }, { qty: 'abc' }, { qty: '' }]) {
    const reply = await call({ secret, ...body })
    expect([body, reply.status]).toEqual([body, 502])
    expect(reply.body).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^1 node\(s\) failed: placeOrder: /),
      errors: [{ node: 'buy', type: 'placeOrder' }],
      execution_id: expect.any(Number),
    })
  }
  expect(await rig.desk.ledger()).toEqual([])
  expect((await call({ secret, qty: 50 })).status).toBe(200)
  expect(await rig.desk.ledger()).toHaveLength(1)
})

test('a scheduled workflow may be called too, and one call at a time', async () => {
  const { secret, call } = await hooked(scheduled(SLOW, { scheduleType: 'daily', time: '10:15' }))
  const [first, second] = await Promise.all([call({ secret }), call({ secret })])
  expect([first.status, second.status]).toEqual([200, 409])
  expect(second.body).toMatchObject({ status: 'error', message: 'Workflow is already running', errors: null })
})

test('without any key nothing runs', async () => {
  const { rig, id, call, secret } = await hooked(HELLO)
  await rig.flows.workflows.setState(id, { sealedKey: null })
  const error = 'No API key configured for workflow execution. Please re-activate the workflow.'
  const reply = await call({ secret })
  expect([reply.status, reply.body.error]).toEqual([500, error])
})

test('a value nested too deeply fails the node that reads it, and the call is answered with its reason', async () => {
  const graph = graphOf(
    {
      t: ['webhookTrigger'],
      read: [
        'variable',
        { variableName: 'list', operation: 'parse_json', sourceVariable: 'webhook', jsonPath: 'text' },
      ],
      told: ['log', { message: '{{list}}' }],
    },
    't -> read',
    'read -> told',
  )
  const { rig, secret, call } = await hooked(graph)
  const text = '['.repeat(30_000) + ']'.repeat(30_000)
  const reply = await call({ secret, text })
  const message = 'The value is nested too deeply: at most 100 levels'
  expect([reply.status, reply.body]).toMatchObject([
    502,
    { status: 'error', errors: [{ node: 'read', type: 'variable', message }] },
  ])
  const { body } = await rig.ask('GET', `/executions/${reply.body.execution_id}`)
  expect(JSON.stringify(body)).toContain(message)
  expect((await call({ secret, text: '[1]' })).status).toBe(200)
})
