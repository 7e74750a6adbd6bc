import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exchangeLedger } from '../../../../src/core/brokers/simulated/index.js'
import { bearer } from '../../../support/desk/http-desk.js'
import { query } from '../../../support/files/files.js'
import { BUY, broken, FlowRig, graphOf, HELLO, linesOf, note, SLOW } from './flow-rig.js'

const VALUE = 'hunter2-"quoted"-value'

describe('a secret', () => {
  test('is stored, listed without its value, replaced and removed', async () => {
    const rig = await FlowRig.open()
    const set = (name: string, value: unknown) => rig.ask('PUT', `/secrets/${name}`, { value })
    expect((await rig.ask('GET', '/secrets')).body).toEqual({ status: 'success', data: [] })
    const stored = await set('token', VALUE)
    expect([stored.status, stored.body]).toEqual([200, { status: 'success', message: 'Secret stored' }])
    await set('a.b-c_D', 'x')
    expect((await set('token', `${VALUE}2`)).status).toBe(200)
    const list = await rig.ask('GET', '/secrets')
    expect(list.body.data).toEqual([
      { name: 'a.b-c_D', updated_at: expect.any(Number), updated_by: 'asha' },
      { name: 'token', updated_at: expect.any(Number), updated_by: 'asha' },
    ])
    expect(list.text).not.toContain('hunter2')
    const [row] = await query<{ sealed: string }>(
      join(rig.desk.home, 'svc.db'),
      "select sealed from flow_secrets where name = 'token'",
    )
    expect(row?.sealed).not.toContain('hunter2')
    const removed = await rig.ask('DELETE', '/secrets/token')
    expect([removed.status, removed.body]).toEqual([200, { status: 'success', message: 'Secret removed' }])
    expect((await rig.ask('DELETE', '/secrets/token')).status).toBe(404)
  })

  test.each<[string, unknown]>([
    ['with%20space', 'x'],
    ['%3Cscript%3E', 'x'],
    ['n'.repeat(65), 'x'],
    ['name', ''],
    ['name', 7],
    ['name', null],
    ['name', 'x'.repeat(8193)],
  ])('named %s with %j is refused', async (name, value) => {
    const rig = await FlowRig.open()
    expect((await rig.ask('PUT', `/secrets/${name}`, { value })).status).toBe(400)
    expect((await rig.ask('GET', '/secrets')).body.data).toEqual([])
  })

  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the syntax of a reference.
  test('appears in no log, no execution, no answer and no event', async () => {
    const rig = await FlowRig.open()
    await rig.ask('PUT', '/secrets/token', { value: VALUE })
    const leaky = graphOf(
      {
        send: [
          'httpRequest',
          {
            method: 'GET',
            url: 'https://127.0.0.1/${secret:token}/?q=${secret:token}',
            headers: '{"x": "${secret:token}"}',
          },
        ],
        say: ['log', { message: 'it is ${secret:token}' }],
        keep: ['variable', { variableName: 'kept', operation: 'set', value: '${secret:token}' }],
        told: ['log', { message: 'kept {{kept}}' }],
      },
      't -> say',
      't -> keep',
      'keep -> told',
      't -> send',
    )
    const id = await rig.create(leaky)
    const run = await rig.execute(id)
    const once = await rig.ask('POST', '/run', leaky)
    const runs = await rig.ask('GET', `/workflows/${id}/executions`)
    await rig.desk.service.bus.idle()
    for (const text of [run.text, once.text, runs.text, JSON.stringify(rig.desk.events)]) {
      expect(text).not.toContain('hunter2')
    }
  })
  test('may be what numbers of the run contain too', async () => {
    const rig = await FlowRig.open()
    await rig.ask('PUT', '/secrets/pin', { value: '12' })
    const graph = graphOf({ say: note('${secret:pin}') }, 't -> say')
    const reply = await rig.ask('POST', '/run', { ...graph, variables: { n: 12, deep: [{ m: 7 }] } })
    expect(linesOf(reply).at(-1)).toMatchObject({
      status: 'completed',
      variables: { n: '***', deep: [{ m: 7 }] },
    })
  })
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the syntax of a reference.
})

/** Starts a slow run of a graph, and returns when it has begun. */
async function slowRun(rig: FlowRig): Promise<Response> {
  const init = {
    method: 'POST',
    body: JSON.stringify(SLOW),
    headers: { ...bearer(rig.token), 'content-type': 'application/json' },
  }
  return rig.http.app.request('/flow/api/run', init, {})
}

describe('a graph that is not kept', () => {
  test('is run once, line by line', async () => {
    const rig = await FlowRig.open()
    const graph = graphOf(
      { say: ['log', { message: '{{a}} {{webhook.b}}' }], sum: broken },
      't -> say',
      't -> sum',
    )
    const reply = await rig.ask('POST', '/run', {
      name: 'Once',
      ...graph,
      variables: { a: 1 },
      payload: { b: 2 },
    })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    const lines = linesOf(reply)
    expect(lines.filter(({ type }) => type === 'log').map(({ message }) => message)).toContain('[LOG] 1 2')
    expect(lines[0]).toEqual({
      type: 'log',
      time: expect.any(String),
      level: 'info',
      message: 'Starting workflow: Once',
    })
    expect(lines.at(-1)).toEqual({
      type: 'result',
      status: 'failed',
      error: expect.stringMatching(/^mathExpression: /),
      failures: [{ node: 'sum', type: 'mathExpression', message: expect.any(String) }],
      variables: { a: 1, webhook: { b: 2 } },
      visited: ['t', 'say', 'sum'],
    })
    expect(await rig.list('/workflows')).toEqual([])
  })

  test('that cannot run is refused by node and field', async () => {
    const rig = await FlowRig.open()
    const { status, body } = await rig.ask('POST', '/run', graphOf({ t: ['log'] }))
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ code: 'no_trigger' })]])
    for (const wrong of [
      { ...HELLO, extra: 1 },
      { ...HELLO, variables: [] },
      { ...HELLO, dry_run: 'maybe' },
    ]) {
      expect((await rig.ask('POST', '/run', wrong)).status).toBe(400)
    }
  })

  test.each([false, true])('run dry sends nothing (Analyzer mode: %s)', async (analyze) => {
    const rig = await FlowRig.open({ analyze })
    const http = graphOf(
      {
        ...Object.fromEntries(BUY.nodes.map(({ id, type, data }) => [id, [type, data] as const])),
        status: ['getOrderStatus', { orderId: '{{x.orderid}}' }],
        wait: ['delay', { delayValue: 300 }],
        call: ['httpRequest', { url: 'https://example.org' }],
        tell: ['telegramAlert', { message: 'hi' }],
      },
      't -> buy',
      'buy -> told',
      'told -> status',
      'status -> wait',
      'wait -> call',
      'call -> tell',
    )
    const before = rig.clock.now()
    const reply = await rig.ask('POST', '/run', { ...http, dry_run: true })
    expect(rig.clock.now() - before).toBeLessThan(60_000)
    expect(linesOf(reply).at(-1)).toMatchObject({ status: 'completed', failures: [] })
    expect(await rig.desk.ledger()).toEqual([])
    const orders = await query(join(rig.desk.home, 'sandbox.db'), 'select * from sandbox_orders')
    expect(orders).toEqual([])
    expect(await rig.desk.service.journal.list('asha', 10)).toEqual([])
  })

  test('places its orders: in Analyzer mode in the sandbox, else at the exchange', async () => {
    for (const analyze of [true, false]) {
      const rig = await FlowRig.open({ analyze })
      const reply = await rig.ask('POST', '/run', BUY)
      expect(linesOf(reply).at(-1)).toMatchObject({ status: 'completed' })
      const orders = await query(join(rig.desk.home, 'sandbox.db'), 'select * from sandbox_orders')
      const sent = await exchangeLedger(join(rig.desk.home, 'brokers', 'simulated'))
      expect([analyze, orders.length, sent.length]).toEqual([analyze, analyze ? 1 : 0, analyze ? 0 : 1])
    }
  })

  test('ends with the one who listens', async () => {
    const rig = await FlowRig.open()
    const response = await slowRun(rig)
    const waiting = rig.clock.pending
    await response.body?.cancel()
    await rig.pass(100)
    expect(rig.clock.pending).toBe(waiting - 1)
  })

  test('ends with the service', async () => {
    const rig = await FlowRig.open()
    const response = await slowRun(rig)
    await rig.desk.settled(rig.flows.stop())
    const lines = linesOf({ text: await response.text() })
    expect(lines.at(-1)).toMatchObject({ status: 'failed', error: 'The service is stopping' })
    expect((await rig.ask('POST', '/run', SLOW)).status).toBe(503)
  })
})

test('followers of a workflow receive each run, the current one from its first line', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(SLOW)
  const execute = rig.http.request('POST', `/flow/api/workflows/${id}/execute`, {
    headers: bearer(rig.token),
  })
  await rig.begun(id)
  const init = { headers: bearer(rig.token) }
  const response = await rig.http.app.request(`/flow/api/workflows/${id}/follow`, init, {})
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  const reader = response.body?.getReader()
  const [live] = await rig.runs(id)
  expect(live).toMatchObject({ id: 1, status: 'running', completed_at: null })
  expect(rig.lines(live ?? {})).toContain('[LOG] before')
  await rig.desk.settled(execute)
  await rig.execute(id)
  let text = ''
  const decoder = new TextDecoder()
  while (reader && (text.match(/"finished"/g) ?? []).length < 2) {
    const { value, done } = await reader.read()
    if (done) break
    text += decoder.decode(value)
  }
  await reader?.cancel()
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const time = expect.any(String)
  const log = (execution_id: number, message: string) =>
    expect.objectContaining({ type: 'log', execution_id, message, level: 'info', time })
  expect(events[0]).toEqual(log(1, 'Starting workflow: Test flow'))
  expect(events).toContainEqual(log(1, '[LOG] after'))
  expect(events).toContainEqual({ type: 'started', execution_id: 2, trigger: 'manual' })
  expect(events.at(-1)).toEqual({ type: 'finished', execution_id: 2, status: 'completed' })
})

test('a run is cancelled while it waits: nothing after the wait runs', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(
    graphOf(
      {
        wait: ['delay', { delayValue: 100 }],
        buy: ['placeOrder', { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }],
      },
      't -> wait',
      'wait -> buy',
    ),
  )
  const execute = rig.http.request('POST', `/flow/api/workflows/${id}/execute`, {
    headers: bearer(rig.token),
  })
  await rig.begun(id)
  const cancel = await rig.ask('POST', '/executions/1/cancel')
  expect([cancel.status, cancel.body]).toEqual([
    200,
    { status: 'success', message: 'Execution is being cancelled' },
  ])
  const { status, body } = await rig.desk.settled(execute)
  expect([status, body.message]).toEqual([409, 'Cancelled by asha'])
  const shown = await rig.ask('GET', '/executions/1')
  expect(shown.body).toMatchObject({ id: 1, workflow_id: id, status: 'failed', error: 'Cancelled by asha' })
  expect(await rig.desk.ledger()).toEqual([])
  const again = await rig.ask('POST', '/executions/1/cancel')
  expect([again.status, again.code]).toEqual([409, 'conflict'])
})

test('lot sizes of the indexes, and of requested symbols', async () => {
  const rig = await FlowRig.open()
  expect((await rig.ask('GET', '/index-symbols')).body).toEqual({
    status: 'success',
    data: [{ value: 'NIFTY', label: expect.any(String), exchange: 'NFO', lotSize: 65 }],
  })
  const ask = (symbols: unknown) => rig.ask('POST', '/symbol-lotsizes', { symbols })
  const known = [
    { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO' },
    { symbol: 'XYZ', exchange: 'NSE' },
  ]
  expect((await ask(known)).body).toEqual({
    status: 'success',
    lotSizes: { 'NFO:NIFTY24NOV26FUT': 65, 'NSE:XYZ': null },
  })
  const [one] = known
  for (const [symbols, message] of [
    [undefined, 'symbols must be a non-empty array'],
    [[], 'symbols must be a non-empty array'],
    [{}, 'symbols must be a non-empty array'],
    [Array(51).fill(one), 'at most 50 symbols per request'],
    [['SBIN'], 'each symbol must be an object'],
    [[null], 'each symbol must be an object'],
    [[[]], 'each symbol must be an object'],
    [[{ symbol: 'SBIN' }], 'symbol and exchange are required'],
    [[{ symbol: '', exchange: 'NSE' }], 'symbol and exchange are required'],
  ] as const) {
    const reply = await rig.ask('POST', '/symbol-lotsizes', { symbols, other: 1 })
    expect([symbols, reply.status, reply.body.message]).toEqual([symbols, 400, message])
  }
  expect((await ask(Array(50).fill(one))).status).toBe(200)
})

test('the monitors list the symbols they watch', async () => {
  const rig = await FlowRig.open()
  expect((await rig.ask('GET', '/monitor/status')).body).toEqual({
    running: false,
    alerts_count: 0,
    poll_interval: 5,
    alerts: [],
    order_updates: { watches_count: 0, watches: [] },
  })
  const alert = { symbol: 'SBIN', exchange: 'NSE', condition: 'above', price: 99_999 }
  await rig.arm(graphOf({ t: ['priceAlert', alert], end: note() }, 't -> end'))
  await rig.arm(graphOf({ t: ['orderUpdateTrigger', { symbol: 'SBIN' }], end: note() }, 't -> end'))
  await rig.pass(6000)
  expect((await rig.ask('GET', '/monitor/status')).body).toEqual({
    running: true,
    alerts_count: 1,
    poll_interval: 5,
    alerts: [
      {
        workflow_id: 1,
        symbol: 'SBIN',
        exchange: 'NSE',
        condition: 'greater_than',
        target_price: 99_999,
        last_price: expect.toSatisfy((price: number) => price > 0 && price < 99_999),
        triggered: false,
      },
    ],
    order_updates: {
      watches_count: 1,
      watches: [
        { workflow_id: 2, order_id: '', symbol: 'SBIN', exchange: '', status: 'complete', triggered: false },
      ],
    },
  })
})

test('a run of a graph that is not stored is refused for what an activation refuses, and sends nothing', async () => {
  const rig = await FlowRig.open()
  const ORDER = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }
  const unclear = graphOf(
    { if: ['varCondition', { leftValue: '1', operator: '>', rightValue: '2' }], buy: ['placeOrder', ORDER] },
    't -> if',
    'if -> buy',
  )
  for (const dry_run of [true, false]) {
    const { status, body } = await rig.ask('POST', '/run', { ...unclear, dry_run })
    expect([status, body]).toEqual([400, expect.objectContaining({ error: expect.any(String) })])
    expect(JSON.stringify(body)).toContain('unclear_order')
  }
})
