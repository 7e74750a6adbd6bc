import { expect, test } from 'vitest'
import { webhookRig } from './webhook-rig.js'

const signalRig = (config: object = {}) => webhookRig({ kind: 'signal', config })
const LONG = { action: 'long_entry', leg_id: 1 }

test('a signal reaches the engine with its leg, after its row of the audit', async () => {
  const rig = await signalRig()
  expect(
    await rig.send({ body: { action: 'long_entry', symbol: 'infy', exchange: 'nse', mode: 'live' } }),
  ).toMatchObject({
    status: 200,
    body: { status: 'success', result: 'ok', message: 'Signal accepted', strategy_id: rig.id, run_id: 31 },
  })
  expect(rig.runs.calls).toEqual(['long_entry 2'])
  expect(await rig.audit()).toMatchObject([{ result: 'ok', action: 'long_entry' }])
})

test('a repeated signal is no duplicate: the engine says what it changes', async () => {
  const rig = await signalRig()
  await rig.send({ body: LONG })
  rig.runs.signalled = { runId: 31, note: 'already_long', refused: null }
  expect(await rig.send({ body: LONG })).toMatchObject({
    status: 200,
    body: { result: 'ok', message: 'Signal accepted (already_long)', run_id: 31 },
  })
  expect(rig.runs.calls).toEqual(['long_entry 1', 'long_entry 1'])
})

test('a short of cash with product CNC is refused, and accepted with MIS', async () => {
  const short = { action: 'short_entry', leg_id: 1 }
  const carried = await signalRig({ product: 'CNC' })
  expect(await carried.send({ body: short })).toMatchObject({
    status: 400,
    body: {
      status: 'error',
      result: 'rejected_invalid_action',
      message:
        'Leg 1: cash cannot be held short overnight, and product CNC carries the position. Use MIS for an intraday short.',
    },
  })
  expect(await (await signalRig({ product: 'MIS' })).result(short)).toBe('ok')
})

test('a symbol that its exchange does not list is refused, unless the exchange has no contracts at all', async () => {
  const legs = [
    { symbol: 'SBINN', exchange: 'NSE', qty: 1 },
    { symbol: 'NIFTY', exchange: 'NFO', segment: 'futures', qty: 75, qty_mode: 'units' },
  ]
  const rig = await signalRig({ legs })
  expect(await rig.send({ body: LONG })).toMatchObject({
    status: 400,
    body: { result: 'rejected_invalid_action', message: 'Leg 1: SBINN is not a contract on NSE' },
  })
  expect(await rig.result({ ...LONG, leg_id: 2 })).toBe('ok')
})

test('a signal outside the hours of an intraday strategy is accepted without an effect and without a run', async () => {
  // The clock of the rig stands at ten o'clock in India.
  const rig = await signalRig({ strategy_type: 'intraday', entry_time: '10:30', exit_time: '15:15' })
  expect((await rig.send({ body: LONG })).body).toEqual({
    status: 'success',
    result: 'ok',
    message: 'Signal accepted (outside_entry_window)',
    strategy_id: rig.id,
  })
  expect(await rig.result({ action: 'long_exit', leg_id: 1 })).toBe('ok')
  expect(rig.runs.calls).toEqual(['long_exit 1'])
  expect((await rig.audit()).map(({ result }) => result)).toEqual(['ok', 'ok'])
})

test('a refusal of the engine has its text and a second row', async () => {
  const rig = await signalRig()
  rig.runs.signalled = {
    runId: 31,
    note: null,
    refused: 'The entry for this leg has been accepted but not filled',
  }
  expect(await rig.send({ body: LONG })).toMatchObject({
    status: 500,
    body: {
      result: 'rejected_engine_error',
      message: 'The entry for this leg has been accepted but not filled',
    },
  })
  rig.runs.before = () => Promise.reject(new Error('secret detail'))
  expect(await rig.send({ body: LONG })).toMatchObject({
    status: 500,
    body: { result: 'rejected_engine_error', message: 'The signal was refused' },
  })
  const rows = await rig.audit()
  expect(rows.map(({ result }) => result)).toEqual([
    'ok',
    'rejected_engine_error',
    'ok',
    'rejected_engine_error',
  ])
})

test('a disk that stores nothing refuses an entry and lets an exit pass', async () => {
  const rig = await signalRig()
  await rig.db.write((tx) =>
    tx.exec(
      `create trigger full before insert on strategy_webhook_events begin select raise(abort, 'full'); end`,
    ),
  )
  expect(await rig.result(LONG)).toBe('rejected_engine_error')
  expect(await rig.result({ action: 'long_exit', leg_id: 1 })).toBe('ok')
  expect(rig.runs.calls).toEqual(['long_exit 1'])
})

test('the rows of the audit keep rising ids after a restart, although older rows are gone', async () => {
  const rig = await signalRig()
  await rig.send({ body: LONG })
  await rig.send({ body: LONG })
  await rig.db.write((tx) => tx.exec('delete from strategy_webhook_events'))
  await rig.restart()
  await rig.send({ body: LONG })
  expect((await rig.audit()).map(({ id }) => id)).toEqual([3])
})

test('an alert of a TradingView strategy is the signal that it means', async () => {
  const rig = await signalRig()
  const alert = { ticker: 'SBIN', action: 'sell', market_position: 'flat', position_size: '0' }
  expect((await rig.send({ path: '/tradingview', body: alert })).body).toMatchObject({
    result: 'ok',
    run_id: 31,
  })
  expect(rig.runs.calls).toEqual(['long_exit 1'])
  expect(await rig.send({ path: '/tradingview', body: { ...alert, market_position: 'long' } })).toMatchObject(
    {
      status: 400,
      body: { result: 'rejected_invalid_action', message: expect.stringContaining('contradict') },
    },
  )
  expect(await rig.audit()).toMatchObject([
    { action: 'long_exit' },
    { action: 'sell', result: 'rejected_invalid_action' },
  ])
})

test('an alert of a ChartInk scan is one signal for each of its symbols, each with its own end', async () => {
  const rig = await signalRig()
  const alert = { scan_name: 'Breakout buy', stocks: 'SBIN,TCS,INFY', trigger_prices: '1,2,3' }
  expect(await rig.send({ path: '/chartink', body: alert })).toMatchObject({
    status: 200,
    body: {
      status: 'success',
      result: 'ok',
      message: 'Signal accepted',
      signals: [
        { symbol: 'SBIN', result: 'ok', message: 'Signal accepted', run_id: 31 },
        { symbol: 'TCS', result: 'rejected_invalid_action', message: 'No leg matches this signal' },
        { symbol: 'INFY', result: 'ok' },
      ],
    },
  })
  expect(rig.runs.calls).toEqual(['long_entry 1', 'long_entry 2'])
  expect((await rig.audit()).map(({ result }) => result)).toEqual(['ok', 'rejected_invalid_action', 'ok'])
  const nobody = await rig.send({ path: '/chartink', body: { ...alert, stocks: 'TCS,WIPRO' } })
  expect(nobody).toMatchObject({ status: 400, body: { status: 'error', result: 'rejected_invalid_action' } })
})

test('a batch strategy takes only its own words, in whatever form they arrive', async () => {
  const rig = await webhookRig()
  for (const path of ['/tradingview', '/chartink']) {
    const body = { action: 'buy', market_position: 'long', scan_name: 'BUY', stocks: 'SBIN' }
    expect(await rig.result(body, { path })).toBe('rejected_invalid_action')
  }
  expect(await rig.result({ action: 'start', mode: 'sandbox' }, { path: '/tradingview' })).toBe('ok')
})

test('another end of the path is no form', async () => {
  const rig = await signalRig()
  for (const path of ['/native', '/amibroker', '/__proto__']) {
    const { status, body } = await rig.send({ path, body: LONG })
    expect({ status, body }).toEqual({
      status: 404,
      body: { status: 'error', message: 'The path may end with /tradingview or /chartink' },
    })
  }
  expect(await rig.audit()).toEqual([])
})
