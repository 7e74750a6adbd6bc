import { expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const CONFIG = {
  name: 'Books',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  strategy_type: 'positional',
  universe_tab: 'stocks_fno',
  legs: [{ segment: 'cash', position: 'B', lots: 10 }],
}
const AT = '/strategy/api/strategies'
const ORDER = { strategy: 'other', exchange: 'NSE', pricetype: 'MARKET', product: 'MIS' }

/** A desk with two strategies, and an order of each symbol in its current mode. */
async function open() {
  const http = await HttpDesk.open()
  const headers = bearer(await http.signIn())
  const ask = (path: string) => http.request('GET', `${AT}/${path}`, { headers })
  for (const name of ['Books', 'Other']) {
    await http.request('POST', AT, { headers, body: { ...CONFIG, name } })
  }
  const place = async (symbol: string, action: string, quantity: number) => {
    const body = { apikey: http.apikey, ...ORDER, symbol, action, quantity }
    return String((await http.request('POST', '/api/v1/placeorder', { body })).body.orderid)
  }
  const sql = (text: string, values: (string | number | null)[]) =>
    http.desk.service.databases.svc.write((tx) => tx.exec(text, values))
  const run = (strategy: number, mode: string) =>
    sql(
      `insert into strategy_runs (strategy_id, mode, broker, started_at, stopped_at, trigger_source)
        values (?, ?, ?, 5, 6, 'manual')`,
      [strategy, mode, mode],
    )
  const sent = (runId: number, symbol: string, brokerId: string | null) =>
    sql(
      `insert into strategy_orders (strategy_id, run_id, leg_id, kind, position_ref, exit_owner, order_ref,
        broker_order_id, symbol, exchange, action, quantity, product, placed_at)
        values (1, ?, 1, 'entry', 'p', 'live', ?, ?, ?, 'NSE', 'BUY', 10, 'MIS', 5)`,
      [runId, `ref-${runId}-${symbol}-${brokerId}`, brokerId, symbol],
    )
  const setMode = (on: boolean) => http.desk.service.modeSwitch.set(on, USER)
  return { http, ask, place, run, sent, setMode }
}

const COUNTS = {
  total_buy_orders: 0,
  total_sell_orders: 0,
  total_completed_orders: 0,
  total_open_orders: 0,
  total_rejected_orders: 0,
  total_trigger_pending_orders: 0,
}

test('the books of a strategy that never ran are empty', async () => {
  const { ask } = await open()
  expect((await ask('1/orderbook')).body).toEqual({
    status: 'success',
    data: { orders: [], statistics: COUNTS },
  })
  for (const book of ['tradebook', 'positions']) {
    expect((await ask(`1/${book}`)).body).toEqual({ status: 'success', data: [] })
  }
})

test('a sandbox run shows its orders, trades and positions in the sandbox, with sums of its own, in any mode', async () => {
  const { ask, place, run, sent, setMode } = await open()
  await setMode(true)
  const own = await place('SBIN', 'BUY', 10)
  await place('INFY', 'BUY', 4)
  await run(1, 'sandbox')
  await sent(1, 'SBIN', own)
  await sent(1, 'SBIN', null)
  await setMode(false)
  const book = (await ask('1/orderbook')).body
  expect(book).toMatchObject({
    mode: 'analyze',
    data: {
      orders: [{ orderid: own, symbol: 'SBIN' }],
      statistics: { ...COUNTS, total_buy_orders: 1, total_completed_orders: 1 },
    },
  })
  expect(Object(book.data).orders).toHaveLength(1)
  const trades = (await ask('1/tradebook?run_id=1')).body
  expect(trades.data).toMatchObject([{ orderid: own, quantity: 10 }])
  const positions = (await ask('1/positions')).body
  expect(positions.data).toMatchObject([{ symbol: 'SBIN', product: 'MIS', quantity: 10 }])
  const [{ pnl }] = Object(positions).data
  expect(positions).toMatchObject({ mode: 'analyze', total_pnl: pnl, total_pnl_today: pnl })
})

test('a live run shows the book of the broker, also in Analyzer mode; the newest run is the usual one', async () => {
  const { ask, place, run, sent, setMode } = await open()
  await setMode(false)
  const own = await place('SBIN', 'BUY', 10)
  const other = await place('INFY', 'BUY', 4)
  await run(1, 'sandbox')
  await run(1, 'live')
  await sent(1, 'INFY', other)
  await sent(2, 'SBIN', own)
  await setMode(true)
  const { body } = await ask('1/orderbook')
  expect(body.mode).toBeUndefined()
  expect(body.data).toMatchObject({ orders: [{ orderid: own }], statistics: { total_buy_orders: 1 } })
  expect(Object(body.data).orders).toHaveLength(1)
  // An order of the broker is none of the sandbox.
  expect((await ask('1/orderbook?run_id=1')).body.data).toMatchObject({ orders: [] })
})

test('a run that does not exist, or belongs to another strategy, is refused', async () => {
  const { ask, run } = await open()
  await run(2, 'sandbox')
  for (const book of ['orderbook', 'tradebook', 'positions']) {
    const answer = async (path: string) => {
      const { status, body } = await ask(path)
      return [status, body.message]
    }
    expect(await answer(`1/${book}?run_id=1`)).toEqual([404, 'Run 1 does not belong to strategy 1'])
    expect(await answer(`1/${book}?run_id=9`)).toEqual([404, 'Run 9 was not found'])
    expect(await answer(`9/${book}`)).toEqual([404, 'Strategy not found'])
    expect((await ask(`1/${book}?run_id=x`)).status).toBe(400)
  }
})

test('a book that the broker refuses is 502, and the one of a sandbox run is still shown', async () => {
  const { http, ask, run } = await open()
  await run(1, 'sandbox')
  await run(1, 'live')
  const faults = [{ kind: 'fail', httpStatus: 400, message: 'Down for the night', times: 3 }]
  const headers = bearer(await http.signIn())
  const set = await http.request('PUT', '/broker/simulated/faults', { headers, body: faults })
  expect(set.status).toBe(200)
  for (const book of ['orderbook', 'tradebook', 'positions']) {
    expect(await ask(`1/${book}`)).toMatchObject({ status: 502, body: { message: 'Down for the night' } })
  }
  await http.desk.service.brokers.logout()
  for (const book of ['orderbook', 'tradebook', 'positions']) {
    expect((await ask(`1/${book}`)).status).toBe(502)
    expect((await ask(`1/${book}?run_id=1`)).status).toBe(200)
  }
})
