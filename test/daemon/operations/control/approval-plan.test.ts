import { describe, expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'

const strategy = 't'
const LINE = { exchange: 'NSE', product: 'MIS', pricetype: 'MARKET' }
const SBIN = { ...LINE, symbol: 'SBIN' }
const BASKET = {
  strategy,
  orders: [
    { ...SBIN, action: 'BUY', quantity: 10 },
    { ...LINE, symbol: 'INFY', action: 'SELL', quantity: 5 },
    { ...SBIN, action: 'BUY', quantity: 7, pricetype: 'LIMIT', price: 750 },
    { ...LINE, symbol: 'NOPE', action: 'BUY', quantity: 1 },
    { ...LINE, symbol: 'INFY', action: 'BUY', quantity: 2 },
  ],
}
const GTT = {
  strategy,
  trigger_type: 'OCO',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'SELL',
  product: 'CNC',
  quantity: 5,
  price: 0,
  triggerprice_sl: 700,
  stoploss: 699,
  triggerprice_tg: 900,
  target: 901,
}
const OPTION = { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, product: 'NRML' }
const UNDERLYING = { strategy, underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }

interface Leg {
  symbol: string
  action: string
  quantity: number
  last_price: number | null
  queued_price: number | null
  drift_percent: number | null
  value: number | null
  margin: number | null
  problem?: string
  checks: { rule: string; ok: boolean; message?: string }[]
}
interface Order {
  id: number
  api_type: string
  legs: Leg[]
  one_of: boolean
  value: number | null
  margin: number | null
  note?: string
}
interface Plan {
  mode: string
  broker: string
  orders: Order[]
  totals: { orders: number; value: number; unknown: number; newest_id: number | null }
}

async function open(mode: 'live' | 'analyze' = 'live') {
  const http = await HttpDesk.open()
  const { identity, sandbox, settings } = http.desk.service
  if (mode === 'analyze') await sandbox.start()
  await settings.setAnalyzeMode(mode === 'analyze')
  const headers = bearer(await http.signIn())
  const post = async (path: string, body: object) => {
    const call = path.startsWith('/api/v1/') ? { body: { apikey: http.apikey, ...body } } : { headers, body }
    return (await http.desk.settled(http.request('POST', path, call))).body
  }
  const queue = async (path: string, body: object): Promise<number> => {
    await identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const answer = await post(`/api/v1/${path}`, body)
    if (answer.pending_order_id === undefined) throw new Error(JSON.stringify(answer))
    return Number(answer.pending_order_id)
  }
  const plan = async (wanted: object = {}) => (await post('/action-center/plan', wanted)).data as Plan
  const rows = async (query = '') => {
    const { body } = await http.desk.settled(
      http.request('GET', `/action-center/api/data${query}`, { headers }),
    )
    return (body.data as { orders: { id: number; value?: number | null }[] }).orders
  }
  return { http, headers, post, queue, plan, rows }
}

const sum = (legs: readonly Leg[]) => legs.reduce((total, { value }) => total + (value ?? 0), 0)

describe.each(['live', 'analyze'] as const)('the plan of an approval (%s)', (mode) => {
  test('names every order of a basket with price, value and the verdict of each rule', async () => {
    const { plan, queue } = await open(mode)
    const id = await queue('basketorder', BASKET)
    const { orders, totals, ...place } = await plan({ ids: [id] })
    expect(place).toEqual({ mode, broker: 'simulated' })
    const [order] = orders
    expect(order?.legs.map(({ action, quantity, symbol }) => `${action} ${quantity} ${symbol}`)).toEqual([
      ...['BUY 10 SBIN', 'BUY 7 SBIN', 'BUY 1 NOPE', 'BUY 2 INFY', 'SELL 5 INFY'],
    ])
    const [market, limit, unlisted] = order?.legs ?? []
    expect(market?.value).toBeCloseTo(10 * (market?.last_price ?? 0), 2)
    expect(limit?.value).toBe(7 * 750)
    expect(unlisted).toMatchObject({ value: null, problem: expect.stringContaining('NOPE') })
    const sent = (order?.legs ?? []).filter(({ problem }) => problem === undefined)
    for (const { checks } of sent) expect(checks.map(({ rule }) => rule)).toContain('kill_switch')
    expect(order?.value).toBeCloseTo(sum(sent), 2)
    expect(totals).toEqual({ orders: 1, value: order?.value, unknown: 0, newest_id: id })
  })

  test.each([
    ['splitorder', { ...SBIN, strategy, action: 'BUY', quantity: 25, splitsize: 10 }, [10, 10, 5]],
    ['placegttorder', GTT, [5, 5]],
    ['optionsorder', { ...UNDERLYING, ...OPTION }, [65]],
    [
      'optionsmultiorder',
      { ...UNDERLYING, legs: [OPTION, { ...OPTION, offset: 'OTM1', action: 'SELL' }] },
      [65, 65],
    ],
    ['placeorder', { ...SBIN, strategy, action: 'BUY', quantity: 3 }, [3]],
  ] as const)('of a %s has each of its orders', async (path, body, quantities) => {
    const { plan, queue } = await open(mode)
    const id = await queue(path, body)
    const [order] = (await plan({ ids: [id] })).orders
    expect(order?.note).toBeUndefined()
    expect(order?.legs.map(({ quantity }) => quantity)).toEqual(quantities)
    expect(order?.one_of).toBe(path === 'placegttorder')
    const values = (order?.legs ?? []).map(({ value }) => value ?? 0)
    expect(Math.min(...values)).toBeGreaterThan(0)
    expect(order?.value).toBeCloseTo(order?.one_of ? Math.max(...values) : sum(order?.legs ?? []), 2)
    if (mode === 'analyze' && path !== 'placegttorder') expect(order?.margin).toBeGreaterThan(0)
  })

  test('of a GTT does not hold its prices against the price band of this day', async () => {
    const { plan, queue } = await open(mode)
    const far = { ...GTT, trigger_type: 'SINGLE', action: 'BUY', price: 390, triggerprice_sl: 400 }
    const { stoploss: _, target: __, triggerprice_tg: ___, ...body } = far
    const [order] = (await plan({ ids: [await queue('placegttorder', body)] })).orders
    expect(order?.legs[0]?.checks.filter(({ ok }) => !ok)).toEqual([])
  })

  test('of a smart order has the trade that it would make now, or says that there is none', async () => {
    const { http, plan, queue } = await open(mode)
    await http.desk.place({ quantity: 16 })
    const smart = { ...SBIN, strategy, action: 'BUY', quantity: 0 }
    const close = await queue('placesmartorder', { ...smart, position_size: 0 })
    const keep = await queue('placesmartorder', { ...smart, position_size: 16 })
    const { orders, totals } = await plan()
    expect(orders).toMatchObject([
      { id: close, legs: [{ action: 'SELL', quantity: 16 }] },
      { id: keep, legs: [], note: expect.stringContaining('No OpenPosition Found') },
    ])
    expect(totals).toMatchObject({ orders: 2, unknown: 1 })
  })
})

test('the drift since queueing, and what a rule would refuse, are said of the leg', async () => {
  const { http, plan, queue } = await open()
  const id = await queue('placeorder', { ...SBIN, strategy, action: 'BUY', quantity: 10 })
  const { risk } = http.desk.service
  await risk.change({ max_order_quantity: 5 }, USER)
  await http.desk.clock.advance(60_000)
  const planned = async () => (await plan({ ids: [id] })).orders[0]?.legs[0]
  // The price at which the order was queued is stored after the order.
  await expect.poll(async () => (await planned())?.queued_price ?? 0).toBeGreaterThan(0)
  const leg = await planned()
  const moved = (((leg?.last_price ?? 0) - (leg?.queued_price ?? 0)) / (leg?.queued_price ?? 1)) * 100
  expect(leg?.drift_percent).toBeCloseTo(moved, 1)
  expect(leg?.checks.find(({ rule }) => rule === 'max_order_quantity')).toMatchObject({ ok: false })
})

test('totals count every waiting order, also beyond the oldest hundred, and a list has the value of a basket', async () => {
  const { plan, queue, rows } = await open()
  const basket = {
    strategy,
    orders: [1, 2].map((quantity) => ({ ...SBIN, action: 'BUY', quantity, pricetype: 'LIMIT', price: 750 })),
  }
  for (let count = 0; count < 130; count += 1) await queue('basketorder', basket)
  const { orders, totals } = await plan()
  expect([orders.length, totals]).toEqual([
    20,
    { orders: 130, value: 130 * 3 * 750, unknown: 0, newest_id: 130 },
  ])
  expect((await plan({ ids: [1, 130], details: 1 })).totals).toMatchObject({ orders: 2, value: 2 * 3 * 750 })
  for (const query of ['', '?prices=false']) expect((await rows(query))[0]?.value).toBe(3 * 750)
})

test('the page of an order, and of all, shows the legs before the approval', async () => {
  const { headers, http, queue } = await open()
  const id = await queue('basketorder', { strategy, orders: BASKET.orders.slice(0, 3) })
  const page = async (confirm: string) => {
    const call = { headers: { ...headers, accept: 'application/json' } }
    const { body } = await http.desk.settled(http.request('GET', `/action-center?confirm=${confirm}`, call))
    return body.data as { plan: Plan }
  }
  for (const confirm of [String(id), 'all']) {
    const { plan } = await page(confirm)
    expect(plan.orders[0]?.legs, confirm).toHaveLength(3)
  }
})

test('the plan of many smart orders reads the account of the broker once', async () => {
  const { http, plan, queue } = await open()
  await http.desk.settled(http.desk.place({ symbol: 'INFY', quantity: 5 }))
  for (const position_size of [3, 5, 8]) {
    await queue('placesmartorder', {
      ...LINE,
      strategy,
      symbol: 'INFY',
      action: 'BUY',
      quantity: 0,
      position_size,
    })
  }
  const { portfolio } = http.desk.service.brokers.client()
  const positions = portfolio.positions.bind(portfolio)
  await http.desk.settled(eventually(async () => (await positions()).some(({ quantity }) => quantity === 5)))
  let readings = 0
  portfolio.positions = () => {
    readings += 1
    return positions()
  }
  const { orders } = await plan()
  const planned = orders.map(({ legs, note }) => note ?? `${legs[0]?.action} ${legs[0]?.quantity}`)
  expect(new Set(planned)).toEqual(
    new Set(['BUY 3', 'SELL 2', 'No OpenPosition Found. Not placing Exit order.']),
  )
  expect(readings).toBe(1)
})
