import { describe, expect, test } from 'vitest'
import { TOKEN, webhookRig } from './webhook-rig.js'

const START = { action: 'start', mode: 'sandbox' }
const STOP = { action: 'stop' }
const results = (rows: readonly { result: string }[]) => rows.map(({ result }) => result)

test('a start and a stop reach the engine, after their rows of the audit', async () => {
  const rig = await webhookRig()
  rig.runs.before = async () => expect(results(await rig.audit()).at(-1)).toBe('ok')
  expect(
    await rig.send({ body: { ...START, note: 'x' }, headers: { 'user-agent': 'TV' }, from: '192.0.2.7' }),
  ).toMatchObject({
    status: 200,
    body: {
      status: 'success',
      result: 'ok',
      message: 'Strategy start accepted',
      strategy_id: rig.id,
      run_id: 1,
    },
  })
  expect(await rig.send({ body: STOP })).toMatchObject({
    status: 200,
    body: {
      status: 'success',
      result: 'ok',
      message: 'Strategy stop accepted',
      strategy_id: rig.id,
      run_id: 1,
    },
  })
  expect(rig.runs.calls).toEqual(['start sandbox', 'stop'])
  expect(await rig.audit()).toMatchObject([
    {
      strategyId: rig.id,
      action: 'start',
      mode: 'sandbox',
      payload: '{"action":"start","mode":"sandbox","note":"x"}',
      ip: '192.0.2.7',
      userAgent: 'TV',
      receivedAt: rig.clock.now(),
      result: 'ok',
      error: null,
    },
    { action: 'stop', mode: null, result: 'ok' },
  ])
})

test('tokens of a wrong form, unknown ones and rotated ones get one answer, without the strategy', async () => {
  const rig = await webhookRig()
  const unknown = {
    status: 404,
    body: { status: 'error', result: 'rejected_token', message: 'Unknown or expired webhook token' },
  }
  const wrong = [
    `x${TOKEN}`,
    TOKEN.slice(0, -1),
    'svc_hook_short',
    TOKEN.toUpperCase(),
    `${TOKEN}%00`,
    'a'.repeat(5000),
  ]
  for (const token of wrong) {
    const { headers: _, ...answer } = await rig.send({ token, body: START })
    expect(answer).toEqual(unknown)
  }
  await rig.change({ webhookTokenHash: 'f'.repeat(64) })
  expect((await rig.send({ body: START })).body).toEqual(unknown.body)
  expect(rig.runs.calls).toEqual([])
  const rows = await rig.audit()
  expect(rows).toHaveLength(wrong.length + 1)
  for (const row of rows) {
    expect(row).toMatchObject({ strategyId: null, payload: null, action: null, result: 'rejected_token' })
  }
})

test('a declared length over 16384 bytes gets 413 without a result and without a row', async () => {
  const rig = await webhookRig()
  const refused = await rig.send({ raw: '{}', headers: { 'content-length': '16385' } })
  expect(refused.status).toBe(413)
  expect(refused.body).toEqual({ status: 'error', message: 'Payload larger than 16384 bytes' })
  expect(await rig.audit()).toEqual([])
  const whole = { ...START, fill: '' }
  whole.fill = 'x'.repeat(16_384 - JSON.stringify(whole).length)
  expect(await rig.send({ body: whole })).toMatchObject({ status: 200, body: { result: 'ok' } })
})

test('a body that is too long without saying so is refused and audited', async () => {
  const rig = await webhookRig()
  const answer = await rig.send({ raw: JSON.stringify({ ...START, fill: 'x'.repeat(16_384) }) })
  const message = 'The request body is larger than 16384 bytes'
  expect(answer).toMatchObject({
    status: 400,
    body: { result: 'rejected_payload', message, strategy_id: rig.id },
  })
  expect(await rig.audit()).toMatchObject([{ result: 'rejected_payload', error: message, payload: null }])
})

test.each([
  ['', 'The request body is empty'],
  [' \n', 'The request body is empty'],
  ['[]', 'The request body must be a JSON object'],
  ['"start"', 'The request body must be a JSON object'],
  ['null', 'The request body must be a JSON object'],
  ['{"action":', 'The request body is not valid JSON'],
  ['action=start', 'The request body is not valid JSON'],
  [new Uint8Array([0x7b, 0xff, 0x7d]), 'The request body is not valid UTF-8'],
  ['{"action":"start","mode":"sandbox","mode":"live"}', 'mode: The field is given more than once.'],
  ['['.repeat(8000), expect.any(String)],
])('the body %j is refused: %s', async (raw, message) => {
  const rig = await webhookRig()
  const { status, body } = await rig.send({ raw })
  expect({ status, body }).toEqual({
    status: 400,
    body: { status: 'error', result: 'rejected_payload', message, strategy_id: rig.id },
  })
  expect(await rig.audit()).toMatchObject([{ result: 'rejected_payload', payload: null }])
})

test('the content type does not matter, and a byte order mark neither', async () => {
  const rig = await webhookRig()
  const raw = `\ufeff${JSON.stringify(START)}`
  expect((await rig.send({ raw, headers: { 'content-type': 'text/plain' } })).body.result).toBe('ok')
})

test('the lock comes before the address, the address before the body, and the body before the action', async () => {
  const rig = await webhookRig({
    config: { webhook_ip_allowlist: ['192.0.2.0/24'] },
    row: { webhookLocked: true },
  })
  const stranger = { raw: 'nonsense', from: '198.51.100.1' }
  expect(await rig.send(stranger)).toMatchObject({
    status: 403,
    body: { result: 'rejected_locked', message: "This strategy's webhook is locked", strategy_id: rig.id },
  })
  await rig.change({ webhookLocked: false })
  expect(await rig.send(stranger)).toMatchObject({
    status: 403,
    body: { result: 'rejected_ip', message: 'This address is not allowed to trigger this strategy' },
  })
  expect((await rig.send({ ...stranger, from: '192.0.2.9' })).body.result).toBe('rejected_payload')
  expect((await rig.send({ body: { action: 'explode' }, from: '192.0.2.9' })).body.result).toBe(
    'rejected_invalid_action',
  )
  expect(await rig.audit()).toMatchObject([
    { result: 'rejected_locked', error: 'The webhook kill switch is engaged', payload: null, action: null },
    { result: 'rejected_ip', payload: null },
    { result: 'rejected_payload' },
    { result: 'rejected_invalid_action', action: 'explode' },
  ])
})

test('the body of a caller who may not call is not read', async () => {
  const rig = await webhookRig({ row: { webhookLocked: true } })
  const raw = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) })
  expect((await rig.send({ raw })).status).toBe(403)
})

test.each([
  ['its token is replaced', { webhookTokenHash: 'f'.repeat(64) }, 404, 'rejected_token'],
  ['it is locked', { webhookLocked: true }, 403, 'rejected_locked'],
] as const)('a delivery whose body comes after %s does nothing', async (_, change, status, result) => {
  const rig = await webhookRig()
  const raw = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await rig.change(change)
      controller.enqueue(new TextEncoder().encode(JSON.stringify(START)))
      controller.close()
    },
  })
  expect(await rig.send({ raw })).toMatchObject({ status, body: { result } })
  expect(rig.runs.calls).toEqual([])
})

test('words may have any case and spaces, and each kind of strategy has its own', async () => {
  const batch = await webhookRig()
  expect(await batch.result({ action: ' START ', mode: ' Sandbox ' })).toBe('ok')
  for (const action of ['long_entry', 'START!', '', null, 3, ['start'], { start: 1 }]) {
    expect(await batch.send({ body: { action, mode: 'sandbox' } })).toMatchObject({
      status: 400,
      body: { result: 'rejected_invalid_action', message: "'action' must be one of start, stop" },
    })
  }
  expect(await batch.send({ body: { action: 'start', mode: 'paper' } })).toMatchObject({
    status: 400,
    body: { result: 'rejected_invalid_action', message: "'mode' must be one of live, sandbox when starting" },
  })
  const signal = await webhookRig({ kind: 'signal' })
  expect((await signal.send({ body: START })).body).toMatchObject({
    result: 'rejected_invalid_action',
    message: "'action' must be one of long_entry, long_exit, short_entry, short_exit",
  })
  expect([...batch.runs.calls, ...signal.runs.calls]).toEqual(['start sandbox'])
})

test('a live start needs the live gate', async () => {
  const rig = await webhookRig()
  expect(await rig.send({ body: { action: 'start', mode: 'live' } })).toMatchObject({
    status: 403,
    body: {
      status: 'error',
      result: 'rejected_live_disabled',
      message: 'Live trading is not enabled for this strategy',
    },
  })
  await rig.change({ liveEnabled: true })
  expect(await rig.result({ action: 'start', mode: 'live' })).toBe('ok')
  expect(rig.runs.calls).toEqual(['start live'])
})

describe('duplicates and cooling-off', () => {
  const live = { action: 'start', mode: 'live' }

  test('a repeat within 60 s is a success without an effect, and another mode is another delivery', async () => {
    const rig = await webhookRig({ row: { liveEnabled: true } })
    expect(await rig.result(START)).toBe('ok')
    await rig.clock.advance(59_999)
    expect(await rig.send({ body: START })).toMatchObject({
      status: 200,
      body: {
        status: 'success',
        result: 'rejected_dedupe',
        message: 'Duplicate signal ignored, already handled within 60s',
      },
    })
    expect(await rig.result(live)).toBe('rejected_engine_error')
    await rig.clock.advance(1)
    expect(await rig.result(START)).toBe('rejected_engine_error')
    expect(rig.runs.calls).toEqual(['start sandbox', 'start live', 'start sandbox'])
  })

  test('the mode of a stop does not count, and a stop has its own minute', async () => {
    const rig = await webhookRig()
    await rig.result(START)
    expect(await rig.result(STOP)).toBe('ok')
    expect(await rig.result({ ...STOP, mode: 'live' })).toBe('rejected_dedupe')
  })

  test('a start within 30 s of any end of a run waits, without a claim', async () => {
    const rig = await webhookRig({ row: { liveEnabled: true } })
    await rig.result(START)
    await rig.clock.advance(5_000)
    await rig.runs.finish()
    await rig.clock.advance(10_000)
    expect(await rig.send({ body: live })).toMatchObject({
      status: 409,
      body: {
        status: 'error',
        result: 'rejected_cooling_off',
        message: 'This strategy stopped recently, try again in 20s',
      },
    })
    await rig.clock.advance(19_900)
    expect((await rig.send({ body: live })).body.message).toBe(
      'This strategy stopped recently, try again in 1s',
    )
    await rig.restart()
    expect(await rig.result(live)).toBe('rejected_cooling_off')
    await rig.clock.advance(100)
    expect(await rig.result(live)).toBe('ok')
  })

  test('a start like one less than 60 s ago is a duplicate, also when its run has ended and cooled off', async () => {
    const rig = await webhookRig()
    await rig.result(START)
    await rig.result(STOP)
    await rig.clock.advance(40_000)
    expect(await rig.result(START)).toBe('rejected_dedupe')
  })

  test('a pending stop and a stop of nothing do not cool off', async () => {
    const rig = await webhookRig({ row: { liveEnabled: true } })
    expect((await rig.send({ body: STOP })).body).toEqual({
      status: 'success',
      result: 'ok',
      message: 'Strategy stop accepted',
      strategy_id: rig.id,
    })
    expect(await rig.result(START)).toBe('ok')
    rig.runs.stopped = { mode: 'sandbox', stopPending: true, exits: [], refused: null }
    await rig.clock.advance(60_000)
    expect((await rig.send({ body: STOP })).body).toMatchObject({ result: 'ok', stop_pending: true })
    // The engine refuses it, because the run is still open.
    expect(await rig.result(live)).toBe('rejected_engine_error')
  })

  test('claims outlive a restart, except those of deliveries that a crash cut off before they had an effect', async () => {
    const rig = await webhookRig()
    const crash = new Promise<void>(() => undefined)
    rig.runs.before = () => crash
    void rig.send({ body: START })
    await expect.poll(() => rig.runs.calls).toEqual(['start sandbox'])
    expect(await rig.result(START)).toBe('rejected_dedupe')
    rig.runs.before = async () => undefined
    await rig.restart()
    expect(await rig.result(START)).toBe('ok')
    await rig.restart()
    expect(await rig.result(START)).toBe('rejected_dedupe')
  })

  test('ten identical starts at once are one start', async () => {
    const rig = await webhookRig()
    const ends = await Promise.all(Array.from({ length: 10 }, () => rig.result(START)))
    expect(ends.toSorted()).toEqual(['ok', ...Array(9).fill('rejected_dedupe')])
    expect(rig.runs.calls).toEqual(['start sandbox'])
    expect(results(await rig.audit()).toSorted()).toEqual(ends.toSorted())
  })
})

describe('the engine', () => {
  test('a refusal has a second row and frees the delivery for a repeat', async () => {
    const rig = await webhookRig()
    rig.runs.before = () => Promise.reject(new Error('secret detail of a fault'))
    expect(await rig.send({ body: START })).toMatchObject({
      status: 500,
      body: {
        status: 'error',
        result: 'rejected_engine_error',
        message: 'The engine could not act on the signal',
        strategy_id: rig.id,
      },
    })
    const rows = await rig.audit()
    expect(results(rows)).toEqual(['ok', 'rejected_engine_error'])
    expect(JSON.stringify(rows)).not.toContain('secret detail')
    rig.runs.before = async () => undefined
    expect(await rig.result(START)).toBe('ok')
  })

  test('a stop with open exits lists them, and is no closure', async () => {
    const rig = await webhookRig()
    await rig.result(START)
    const exit = {
      legId: 1,
      ok: true,
      positionRef: 'a'.repeat(32),
      exitOwner: 'live',
      error: null,
      symbol: 'SBIN',
      brokerOrderId: null,
    } as const
    rig.runs.stopped = { mode: 'sandbox', stopPending: true, exits: [exit], refused: null }
    expect(await rig.send({ body: STOP })).toMatchObject({
      status: 200,
      body: {
        result: 'ok',
        run_id: 1,
        stop_pending: true,
        exits: [{ leg_id: 1, ok: true, position_ref: 'a'.repeat(32), exit_owner: 'live', error: null }],
      },
    })
  })

  test('a stop whose exits the broker refused is an error with the exits, and may be repeated at once', async () => {
    const rig = await webhookRig()
    await rig.result(START)
    const exit = {
      legId: 1,
      ok: false,
      positionRef: 'b'.repeat(32),
      exitOwner: 'live',
      error: 'no margin',
      symbol: 'SBIN',
      brokerOrderId: null,
    } as const
    rig.runs.stopped = {
      mode: 'sandbox',
      stopPending: true,
      exits: [exit],
      refused: '1 of 1 exit order(s) were refused.',
    }
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await rig.send({ body: STOP })).toMatchObject({
        status: 500,
        body: {
          result: 'rejected_engine_error',
          stop_pending: true,
          exits: [{ ok: false, error: 'no margin' }],
        },
      })
    }
    expect((await rig.audit()).at(-1)).toMatchObject({ error: '1 of 1 exit order(s) were refused.' })
  })

  test('a disk that stores nothing refuses a start and lets a stop pass', async () => {
    const rig = await webhookRig()
    await rig.result(START)
    await rig.db.write((tx) =>
      tx.exec(
        `create trigger full before insert on strategy_webhook_events begin select raise(abort, 'disk full'); end`,
      ),
    )
    expect(await rig.result({ action: 'start', mode: 'sandbox' })).toBe('rejected_dedupe')
    await rig.clock.advance(60_000)
    expect(await rig.send({ body: START })).toMatchObject({
      status: 500,
      body: { result: 'rejected_engine_error' },
    })
    expect(await rig.result(STOP)).toBe('ok')
    expect(rig.runs.calls).toEqual(['start sandbox', 'stop'])
  })
})

test('the audit holds no credential', async () => {
  const rig = await webhookRig()
  const body = {
    action: `x ${TOKEN}`,
    mode: TOKEN,
    apikey: 'k-1',
    note: 'kept',
    nested: { password: 'p-1' },
    url: `https://desk.example/strategy/webhook/${TOKEN}`,
  }
  expect(await rig.result(body, { headers: { 'user-agent': TOKEN } })).toBe('rejected_invalid_action')
  const [row] = await rig.audit()
  expect(JSON.parse(row?.payload ?? '')).toEqual({
    action: '[redacted]',
    mode: '[redacted]',
    apikey: '[redacted]',
    note: 'kept',
    nested: { password: '[redacted]' },
    url: '[redacted]',
  })
  expect(JSON.stringify(row)).not.toMatch(/svc_hook_|k-1|p-1/)
})

test('rows of unknown tokens are kept up to the newest thousand', async () => {
  const rig = await webhookRig()
  for (let call = 0; call < 1150; call += 50) {
    await Promise.all(Array.from({ length: 50 }, () => rig.send({ token: 'unknown', body: {} })))
  }
  const count = (await rig.audit()).length
  expect(count).toBeGreaterThanOrEqual(1000)
  expect(count).toBeLessThanOrEqual(1100)
})

describe('the allow-list', () => {
  test.each([
    [['192.0.2.7'], '192.0.2.7', true],
    [['192.0.2.7'], '::ffff:192.0.2.7', true],
    [['192.0.2.7'], '192.0.2.8', false],
    [['192.0.2.0/24', '2001:db8::/32'], '2001:db8:7::1', true],
    [['::ffff:192.0.2.0/120'], '192.0.2.200', true],
    [['10.0.0.0/8'], undefined, false],
    [[], undefined, true],
  ])('%j and %s: %s', async (entries, from, isAllowed) => {
    const rig = await webhookRig({ config: { webhook_ip_allowlist: entries } })
    const end = await rig.result(START, { from: from ?? '' })
    expect(end).toBe(isAllowed ? 'ok' : 'rejected_ip')
  })

  test('has nobody whose proxy headers name different clients: the first one may be made up', async () => {
    const config = { webhook_ip_allowlist: ['192.0.2.7'] }
    const rig = await webhookRig({ config, behind: ['10.0.0.1'] })
    const from = '10.0.0.1'
    const forged = { 'cf-connecting-ip': '192.0.2.7', 'x-real-ip': '198.51.100.1' }
    expect(await rig.result(START, { from, headers: forged })).toBe('rejected_ip')
    expect(await rig.audit()).toMatchObject([
      { ip: '192.0.2.7', error: expect.stringContaining('CLIENT_IP_HEADER') },
    ])
    expect(await rig.result(START, { from, headers: { 'x-real-ip': '192.0.2.7' } })).toBe('ok')
    const open = await webhookRig({ behind: ['10.0.0.1'] })
    expect(await open.result(START, { from, headers: forged })).toBe('ok')
  })
})
