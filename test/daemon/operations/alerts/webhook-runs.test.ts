import { describe, expect, test } from 'vitest'
import { BUY, DEEP, SIGNALS, StrategyDesk } from '../strategies/strategy-desk.js'

/*
 * The public webhook over a socket, with the real engine and the simulated broker behind it. The other tests of the
 * webhook have a scripted engine.
 */
const START = { action: 'start', mode: 'live' }
const STOP = { action: 'stop' }

const kindsOf = async (desk: StrategyDesk, strategy_id: number, run_id?: number) => {
  const { body } = await desk.keyed('events', { strategy_id, ...(run_id !== undefined && { run_id }) })
  return (body.data as { kind: string }[]).map(({ kind }) => kind)
}

describe.each(['live', 'sandbox'] as const)('a batch strategy, %s', (mode) => {
  test('starts, stops flat, and tells it newest first', async () => {
    const desk = await StrategyDesk.open()
    const { id, token } = await desk.create(BUY, { live: true })
    expect(await desk.hook(token, { action: ' START ', mode: ` ${mode.toUpperCase()} ` })).toEqual({
      status: 200,
      body: {
        status: 'success',
        result: 'ok',
        message: 'Strategy start accepted',
        strategy_id: id,
        run_id: 1,
      },
    })
    expect(await desk.orders()).toEqual(['1 entry BUY complete 10'])
    expect(await desk.hook(token, STOP)).toMatchObject({
      status: 200,
      body: { result: 'ok', message: 'Strategy stop accepted', strategy_id: id, run_id: 1 },
    })
    expect(await desk.ended()).toMatchObject({ mode, stop_reason: 'manual', trigger_source: 'webhook' })
    expect(await desk.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL complete 10'])
    expect(await desk.held()).toEqual({})
    const kinds = await kindsOf(desk, id, 1)
    expect(kinds[0]).toBe('run_stopped')
    expect(kinds.filter((kind) => kind.startsWith('run_stop'))).toEqual(['run_stopped', 'run_stop_requested'])
    expect(kinds.at(-1)).toBe('run_started')
  })
})

test('a repeated start is a duplicate, and one in the other mode meets the run that exists', async () => {
  const desk = await StrategyDesk.open()
  const { token } = await desk.create(BUY, { live: true })
  const sandbox = { action: 'start', mode: 'sandbox' }
  expect((await desk.hook(token, sandbox)).body.run_id).toBe(1)
  expect(await desk.hook(token, sandbox)).toMatchObject({
    status: 200,
    body: { status: 'success', result: 'rejected_dedupe' },
  })
  expect(await desk.hook(token, START)).toMatchObject({
    status: 500,
    body: { result: 'rejected_engine_error' },
  })
  expect(await desk.orders()).toEqual(['1 entry BUY complete 10'])
  expect(await desk.held()).toEqual({})
})

test('a strategy that stopped 10 s ago starts in no mode for 20 s more', async () => {
  const desk = await StrategyDesk.open()
  const { token } = await desk.create(BUY, { live: true })
  await desk.hook(token, { action: 'start', mode: 'sandbox' })
  await desk.hook(token, STOP)
  const stoppedAt = Number((await desk.ended())?.stopped_at)
  await desk.clock.advance(stoppedAt + 10_000 - desk.clock.now())
  expect(await desk.hook(token, START, { waits: false })).toMatchObject({
    status: 409,
    body: {
      result: 'rejected_cooling_off',
      message: 'This strategy stopped recently, try again in 20s',
    },
  })
  await desk.clock.advance(21_000)
  expect(await desk.hook(token, START)).toMatchObject({ status: 200, body: { result: 'ok', run_id: 2 } })
})

test('a stop is pending until the last share is sold, and starts no second run meanwhile', async () => {
  const desk = await StrategyDesk.open()
  const legs = [{ ...BUY.legs[0], lots: DEEP }]
  const { id, token } = await desk.create({ ...BUY, legs }, { live: true })
  await desk.hook(token, START)
  await desk.until(async () => (await desk.orders())[0] === `1 entry BUY complete ${DEEP}`, 'the entry')
  const stop = await desk.hook(token, STOP, { waits: false })
  expect(stop).toMatchObject({
    status: 200,
    body: { result: 'ok', run_id: 1, stop_pending: true, exits: [{ leg_id: 1, ok: true, error: null }] },
  })
  expect(stop.body.exits?.[0]).toMatchObject({
    exit_owner: 'live',
    position_ref: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  const [, exit = ''] = await desk.orders()
  expect(exit).toMatch(/^1 exit_close_all SELL open [1-9]\d*$/)
  const { body } = await desk.keyed('list', { status: 'running' })
  expect(body.data).toMatchObject([{ id, status: 'running', current_run_id: 1 }])
  expect(await desk.hook(token, { action: 'start', mode: 'sandbox' }, { waits: false })).toMatchObject({
    status: 500,
    body: { result: 'rejected_engine_error' },
  })
  expect((await desk.run())?.stopped_at).toBeNull()
  expect(await desk.ended()).toMatchObject({ id: 1, stop_reason: 'manual' })
  expect(await desk.held()).toEqual({})
  const kinds = await kindsOf(desk, id, 1)
  expect(kinds[0]).toBe('run_stopped')
  expect(kinds.filter((kind) => kind.startsWith('run_stop'))).toEqual(['run_stopped', 'run_stop_requested'])
  expect((await desk.orders())[1]).toBe(`1 exit_close_all SELL complete ${DEEP}`)
})

test('a stop within a minute of another one stops a run that began in between', async () => {
  const desk = await StrategyDesk.open()
  const { token } = await desk.create(BUY, { live: true })
  await desk.hook(token, STOP)
  await desk.hook(token, START)
  expect(await desk.hook(token, STOP)).toMatchObject({ body: { result: 'ok', run_id: 1 } })
  expect(await desk.hook(token, STOP)).toMatchObject({ body: { result: 'rejected_dedupe' } })
  await desk.ended()
  expect(await desk.held()).toEqual({})
})

test('a lock while a run is open stops it, and later deliveries are refused', async () => {
  const desk = await StrategyDesk.open()
  const { id, token } = await desk.create(BUY, { live: true })
  await desk.hook(token, START)
  const { body } = await desk.ask('POST', `/strategy/api/strategies/${id}/kill_switch`)
  expect(body).toMatchObject({ webhook_locked: true, exits: [{ leg_id: 1, ok: true }] })
  expect(await desk.ended()).toMatchObject({ stop_reason: 'manual' })
  expect(await desk.held()).toEqual({})
  expect(await desk.hook(token, START)).toMatchObject({ status: 403, body: { result: 'rejected_locked' } })
})

test('a stop of nothing is no run, and cools nothing off', async () => {
  const desk = await StrategyDesk.open()
  const { id, token } = await desk.create(BUY, { live: true })
  expect((await desk.hook(token, STOP)).body).toEqual({
    status: 'success',
    result: 'ok',
    message: 'Strategy stop accepted',
    strategy_id: id,
  })
  expect((await desk.hook(token, START)).body.result).toBe('ok')
})

test('an order of its user in the same contract, under its name, is never its own', async () => {
  const desk = await StrategyDesk.open()
  const { token } = await desk.create(BUY, { live: true })
  await desk.hook(token, START)
  const order = { strategy: 'buy', symbol: 'SBIN', exchange: 'NSE', product: 'MIS', pricetype: 'MARKET' }
  for (const [action, quantity] of [
    ['BUY', 7],
    ['SELL', 3],
  ] as const) {
    const body = { apikey: desk.http.apikey, ...order, action, quantity }
    expect((await desk.settled(desk.http.request('POST', '/api/v1/placeorder', { body }))).status).toBe(200)
  }
  await desk.hook(token, STOP)
  await desk.ended()
  expect(await desk.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL complete 10'])
  expect(await desk.held()).toEqual({ SBIN: 4 })
})

describe('a signal strategy', () => {
  const LONG = { action: 'long_entry', symbol: 'sbin' }
  const SHORT = { action: 'short_entry', leg_id: 1 }

  test('opens its run with the first entry, and a repeated entry sends no order', async () => {
    const desk = await StrategyDesk.open()
    const { id, token } = await desk.create(SIGNALS, { live: true })
    expect((await desk.hook(token, { action: 'long_exit', leg_id: 1 })).body).toEqual({
      status: 'success',
      result: 'ok',
      strategy_id: id,
      message: 'Signal accepted (no_matching_position)',
    })
    expect(await desk.hook(token, LONG)).toMatchObject({
      status: 200,
      body: { result: 'ok', message: 'Signal accepted', run_id: 1 },
    })
    expect(await desk.hook(token, LONG)).toMatchObject({
      status: 200,
      body: { result: 'ok', message: 'Signal accepted (already_long)', run_id: 1 },
    })
    expect(await desk.held()).toEqual({ SBIN: 10 })
    expect(await desk.run()).toMatchObject({ mode: 'live', stopped_at: null })
  })

  test('flips; an old side whose exit is refused stays managed beside the new one, and both are stopped', async () => {
    const desk = await StrategyDesk.open()
    const { id, token } = await desk.create(SIGNALS, { live: true })
    await desk.hook(token, LONG)
    const fault = { on: ['place' as const], kind: 'fail' as const, httpStatus: 422, message: 'no margin' }
    desk.service.brokers.plugins.faults().set([{ ...fault, times: 1 }])
    expect(await desk.hook(token, SHORT)).toMatchObject({
      status: 500,
      body: { result: 'rejected_engine_error', message: 'Exit refused: no margin' },
    })
    // The old side is still held beside the new one.
    expect((await desk.orders()).slice(1, 3).sort()).toEqual([
      '1 entry SELL complete 10',
      '1 exit_signal SELL rejected 0',
    ])
    expect(await desk.held()).toEqual({})
    const { body } = await desk.keyed('events', {
      strategy_id: id,
      kind: 'flip_outgoing_exit_rejected',
      severity: 'critical',
    })
    expect(body.data).toMatchObject([{ leg_id: 1, run_id: 1 }])
    const stop = await desk.keyed('stop', { strategy_id: id })
    const { exits } = stop.body as { exits: { exit_owner: string; ok: boolean }[] }
    expect(exits.map(({ exit_owner }) => exit_owner).sort()).toEqual(['live', 'superseded'])
    await desk.ended()
    expect(await desk.held()).toEqual({})
    const sides = await desk.rows(
      'select action, sum(filled_qty) as n from strategy_orders group by action order by action',
    )
    expect(sides).toEqual([
      { action: 'BUY', n: 20 },
      { action: 'SELL', n: 20 },
    ])
  })

  test('sells a share short with MIS only', async () => {
    const desk = await StrategyDesk.open()
    const carried = await desk.create({ ...SIGNALS, product: 'CNC', name: 'carried' }, { live: true })
    expect(await desk.hook(carried.token, SHORT)).toMatchObject({
      status: 400,
      body: {
        result: 'rejected_invalid_action',
        message:
          'Leg 1: cash cannot be held short overnight, and product CNC carries the position. Use MIS for an intraday short.',
      },
    })
    const { token } = await desk.create(SIGNALS, { live: true })
    expect((await desk.hook(token, SHORT)).body.result).toBe('ok')
    expect(await desk.held()).toEqual({ SBIN: -10 })
  })

  test('takes no symbol that its exchange does not list', async () => {
    const desk = await StrategyDesk.open()
    const legs = [
      { symbol: 'NIFTY', exchange: 'NFO', segment: 'futures', qty: 1 },
      { symbol: 'GOLD', exchange: 'MCX', segment: 'futures', qty: 1, qty_mode: 'units' },
    ]
    const { token } = await desk.create({ ...SIGNALS, legs, product: 'NRML' })
    expect(await desk.hook(token, LONG)).toMatchObject({ status: 400 })
    expect(await desk.hook(token, { action: 'long_entry', leg_id: 1 })).toMatchObject({
      status: 400,
      body: { result: 'rejected_invalid_action', message: 'Leg 1: NIFTY is not a contract on NFO' },
    })
    // No contract of MCX is known here, so the check cannot say no; the broker can.
    expect((await desk.hook(token, { action: 'long_entry', leg_id: 2 })).body.result).not.toBe(
      'rejected_invalid_action',
    )
    expect(await desk.held()).toEqual({})
  })

  test('takes the alerts of a TradingView strategy: open, flip, close', async () => {
    const desk = await StrategyDesk.open()
    const { token } = await desk.create(SIGNALS, { live: true })
    const alert = (action: string, market_position: string, position_size: string) =>
      desk.hook(token, { ticker: 'SBIN', action, market_position, position_size }, { path: '/tradingview' })
    expect((await alert('buy', 'long', '10')).body).toMatchObject({ result: 'ok', run_id: 1 })
    expect(await desk.held()).toEqual({ SBIN: 10 })
    expect((await alert('sell', 'short', '-10')).body.result).toBe('ok')
    expect(await desk.held()).toEqual({ SBIN: -10 })
    expect((await alert('buy', 'flat', '0')).body.result).toBe('ok')
    expect(await desk.held()).toEqual({})
    expect((await desk.run())?.stopped_at).toBeNull()
    expect(await desk.orders()).toHaveLength(4)
  })

  test('takes the alert of a ChartInk scan: one order for each symbol that has a leg', async () => {
    const desk = await StrategyDesk.open()
    const { token } = await desk.create(SIGNALS, { live: true })
    const scan = { scan_name: 'Breakout buy', stocks: 'SBIN,TCS,INFY', trigger_prices: '1,2,3' }
    expect(await desk.hook(token, scan, { path: '/chartink' })).toMatchObject({
      status: 200,
      body: {
        result: 'ok',
        signals: [
          { symbol: 'SBIN', result: 'ok', run_id: 1 },
          { symbol: 'TCS', result: 'rejected_invalid_action', message: 'No leg matches this signal' },
          { symbol: 'INFY', result: 'ok', run_id: 1 },
        ],
      },
    })
    expect(await desk.held()).toEqual({ SBIN: 10, INFY: 4 })
    await desk.hook(token, scan, { path: '/chartink' })
    expect(await desk.held()).toEqual({ SBIN: 10, INFY: 4 })
  })

  test('of ten entries at once, one sends an order', async () => {
    const desk = await StrategyDesk.open()
    const { token } = await desk.create(SIGNALS, { live: true })
    const answers = await Promise.all(Array.from({ length: 10 }, () => desk.hook(token, LONG)))
    expect(new Set(answers.map(({ body }) => body.run_id))).toEqual(new Set([1]))
    expect(await desk.orders()).toHaveLength(1)
    expect(await desk.held()).toEqual({ SBIN: 10 })
  })
})

test('the audit of a real delivery holds no credential, and unknown fields change nothing', async () => {
  const desk = await StrategyDesk.open()
  const { id, token } = await desk.create(BUY)
  const body = {
    action: 'start',
    mode: 'sandbox',
    apikey: 'k'.repeat(64),
    note: `see ${token}`,
    nested: { password: 'hunter2', keep: 1 },
    lots: 999,
  }
  expect((await desk.hook(token, body)).body.result).toBe('ok')
  const { data } = (await desk.ask('GET', `/strategy/api/strategies/${id}/webhook_events`)).body as {
    data: { payload: unknown }[]
  }
  expect(data[0]?.payload).toEqual({
    action: 'start',
    mode: 'sandbox',
    apikey: '[redacted]',
    note: '[redacted]',
    nested: { password: '[redacted]', keep: 1 },
    lots: 999,
  })
  expect(await desk.orders()).toEqual(['1 entry BUY complete 10'])
})

describe('the kill switch of a strategy', () => {
  test('locks the webhook, stops the run, and refuses deliveries until it is unlocked', async () => {
    const desk = await StrategyDesk.open()
    const { id, token } = await desk.create(SIGNALS, { live: true })
    await desk.hook(token, { action: 'long_entry', leg_id: 1 })
    const locked = await desk.ask('POST', `/strategy/api/strategies/${id}/kill_switch`)
    expect(locked).toMatchObject({ status: 200, body: { webhook_locked: true } })
    for (const action of ['long_entry', 'long_exit']) {
      expect(await desk.hook(token, { action, leg_id: 1 })).toMatchObject({
        status: 403,
        body: { result: 'rejected_locked', message: "This strategy's webhook is locked", strategy_id: id },
      })
    }
    expect(await desk.ended()).toMatchObject({ stop_requested_reason: 'manual', stop_reason: 'manual' })
    expect(await desk.held()).toEqual({})
    const kinds = await kindsOf(desk, id)
    expect(kinds).toEqual(expect.arrayContaining(['webhook_locked', 'run_stop_requested', 'run_stopped']))
    await desk.ask('POST', `/strategy/api/strategies/${id}/unlock_webhook`)
    expect((await desk.hook(token, { action: 'long_entry', leg_id: 1 })).body).toMatchObject({
      result: 'ok',
      run_id: 2,
    })
  })

  test('answers while exits fill: the stop is requested, and the run goes on closing', async () => {
    const desk = await StrategyDesk.open()
    const legs = [{ ...BUY.legs[0], lots: DEEP }]
    const { id, token } = await desk.create({ ...BUY, legs }, { live: true })
    await desk.hook(token, START)
    await desk.until(async () => (await desk.orders())[0] === `1 entry BUY complete ${DEEP}`, 'the entry')
    const call = { headers: desk.session }
    const locked = await desk.http.request('POST', `/strategy/api/strategies/${id}/kill_switch`, call)
    expect(locked.body).toMatchObject({ webhook_locked: true, run_stopped: false, stop_pending: true })
    expect(await desk.hook(token, STOP, { waits: false })).toMatchObject({ status: 403 })
    expect(await desk.ended()).toMatchObject({ stop_reason: 'manual' })
    expect(await desk.held()).toEqual({})
  })

  test('that comes while the first signal opens its run leaves nothing behind', async () => {
    const desk = await StrategyDesk.open()
    const { id, token } = await desk.create(SIGNALS, { live: true })
    const [signal] = await Promise.all([
      desk.hook(token, { action: 'long_entry', leg_id: 1 }),
      desk.ask('POST', `/strategy/api/strategies/${id}/kill_switch`),
    ])
    // The signal came first, or not at all.
    expect([200, 403, 500]).toContain(signal.status)
    await desk.until(
      async () => (await desk.rows('select id from strategy_runs where stopped_at is null')).length === 0,
      'nothing runs',
    )
    expect(await desk.held()).toEqual({})
  })
})

test('over a socket, a rotated token, a long body and bytes that are no text are refused', async () => {
  const desk = await StrategyDesk.open()
  const { id, token } = await desk.create(BUY)
  const { body } = await desk.ask('POST', `/strategy/api/strategies/${id}/webhook/rotate`)
  const fresh = String(body.webhook_token)
  const unknown = { status: 404, body: { status: 'error', result: 'rejected_token' } }
  expect(await desk.hook(token, STOP)).toMatchObject(unknown)
  expect((await desk.hook(token, STOP)).body).not.toHaveProperty('strategy_id')
  expect(await desk.hook(`${fresh}x`, STOP)).toMatchObject(unknown)
  const long = { ...STOP, fill: 'x'.repeat(16_385 - JSON.stringify({ ...STOP, fill: '' }).length) }
  expect(await desk.hook(fresh, long)).toEqual({
    status: 413,
    body: { status: 'error', message: 'Payload larger than 16384 bytes' },
  })
  const exact = { ...long, fill: long.fill.slice(1) }
  expect((await desk.hook(fresh, exact)).body.result).toBe('ok')
  const chunked = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(JSON.stringify(long)))
      controller.close()
    },
  })
  const undeclared = await desk.settled(
    fetch(`${desk.url}/strategy/webhook/${fresh}`, {
      method: 'POST',
      body: chunked,
      duplex: 'half',
    } as RequestInit),
  )
  expect(undeclared.status).toBe(400)
  expect(await undeclared.json()).toMatchObject({ result: 'rejected_payload', strategy_id: id })
  for (const bytes of ['[]', '"start"', '', new Uint8Array([0x7b, 0xff, 0x7d])]) {
    expect(await desk.hook(fresh, bytes)).toMatchObject({
      status: 400,
      body: { result: 'rejected_payload' },
    })
  }
  const counted = await desk.rows(
    'select result, count(*) as n from strategy_webhook_events group by result order by result',
  )
  expect(counted).toEqual([
    { result: 'ok', n: 1 },
    { result: 'rejected_payload', n: 5 },
    { result: 'rejected_token', n: 3 },
  ])
})
