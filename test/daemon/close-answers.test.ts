import { expect, test } from 'vitest'
import { errorBody } from '../../src/daemon/operations/common/answers.js'
import { closedAll, smartOrder } from '../../src/daemon/operations/orders/answers.js'
import { USER } from '../support/desk/desk.js'
import { HttpDesk } from '../support/desk/http-desk.js'

const DELIVERY = { symbol: 'SBIN', exchange: 'NSE', product: 'CNC', quantity: 10 }

async function open(mode: 'live' | 'analyze') {
  const http = await HttpDesk.open()
  await http.desk.service.settings.setAnalyzeMode(mode === 'analyze')
  const post = async (path: string, fields: object) => {
    const body = { apikey: http.apikey, strategy: 't', ...fields }
    return (await http.desk.settled(http.request('POST', `/api/v1/${path}`, { body }))).body
  }
  return { http, post, close: () => post('closeposition', {}) }
}

test.each(['live', 'analyze'] as const)('a close counts, also when nothing is open (%s)', async (mode) => {
  const { post, close } = await open(mode)
  expect(await close()).toMatchObject({ status: 'success', closed_positions: 0, failed_closures: 0 })
  await post('placeorder', { ...DELIVERY, product: 'MIS', action: 'BUY' })
  expect(await close()).toMatchObject({ status: 'success', closed_positions: 1, failed_closures: 0 })
})

test('a close beside a delivery sale that waits says why the position stays open', async () => {
  const { post, close } = await open('analyze')
  await post('placeorder', { ...DELIVERY, action: 'BUY' })
  await post('placeorder', { ...DELIVERY, action: 'SELL', pricetype: 'LIMIT', price: 900 })
  expect(await close()).toMatchObject({
    status: 'error',
    message: 'Closed 0 positions (Failed to close 1 positions)',
    closed_positions: 0,
    failed_closures: 1,
    results: [
      {
        symbol: 'SBIN',
        exchange: 'NSE',
        product: 'CNC',
        status: 'error',
        message: expect.stringContaining('Pending sells: 10'),
      },
    ],
  })
})

/** A MARKET order at the broker that is not filled, because the market stops moving. */
async function withWaitingSale(quantity: number) {
  const rig = await open('live')
  await rig.post('placeorder', { ...DELIVERY, product: 'MIS', action: 'BUY' })
  await rig.post('placeorder', { ...DELIVERY, symbol: 'INFY', product: 'MIS', action: 'BUY' })
  const { orders } = rig.http.desk.service.brokers.client()
  const book = await orders.list()
  const sale = book.find(({ symbol }) => symbol === 'SBIN')
  if (!sale) throw new Error('SBIN was not bought')
  const waiting = { ...sale, orderId: 'S9', tag: 'other', action: 'SELL', quantity, status: 'open' } as const
  const list = orders.list.bind(orders)
  orders.list = async () => [
    ...(await list()),
    { ...waiting, filledQuantity: 0, pendingQuantity: quantity, averagePrice: 0 },
  ]
  return rig
}

const WAITS = {
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'MIS',
  status: 'error',
  message:
    'MARKET orders or triggered stops that close it wait at the broker already (10 pending). If they stay open, cancel them first',
}

test('a live close names the positions that a waiting sale will close, and closes the others', async () => {
  const { http, close } = await withWaitingSale(10)
  const before = (await http.desk.ledger()).length
  expect(await close()).toMatchObject({
    status: 'error',
    message: 'Closed 1 positions (Failed to close 1 positions)',
    closed_positions: 1,
    failed_closures: 1,
    results: [WAITS, { symbol: 'INFY', status: 'success' }],
  })
  expect(await close()).toEqual({
    status: 'error',
    message: 'Closed 0 positions (Failed to close 1 positions)',
    closed_positions: 0,
    failed_closures: 1,
    results: [WAITS],
  })
  expect((await http.desk.ledger()).length).toBe(before + 1)
})

test('a live close of the one symbol whose sale waits says so', async () => {
  const { http } = await withWaitingSale(10)
  const asked = { strategy: 't', symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const
  const { changes } = http.desk.orders
  const { body } = await http.desk.settled(changes.close(asked, { userId: USER, source: 'flow' }))
  expect(body).toMatchObject({ closed_positions: 0, failed_closures: 1, results: [WAITS] })
})

test('a live close closes what a smaller sale that waits leaves open', async () => {
  const { http, close } = await withWaitingSale(4)
  expect(await close()).toMatchObject({ closed_positions: 2, failed_closures: 0 })
  expect((await http.desk.ledger()).map((order) => order.quantity)).toEqual(expect.arrayContaining([6]))
})

test.each(['live', 'analyze'] as const)('a blank strategy is taken (%s)', async (mode) => {
  const { post } = await open(mode)
  const order = { ...DELIVERY, strategy: '', action: 'BUY' }
  expect(await post('placeorder', order)).toMatchObject({ status: 'success' })
  expect(await post('closeposition', { strategy: '' })).toMatchObject({
    status: 'success',
    closed_positions: 1,
  })
})

test('answers of pieces have the documented form', async () => {
  const { http, post, close } = await open('live')
  const contract = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO', product: 'NRML' }
  const hold = async () => {
    for (let order = 0; order < 2; order++)
      await post('placeorder', { ...contract, action: 'BUY', quantity: 1755 })
    await http.desk.clock.advance(2_000)
  }
  await hold()
  expect(closedAll.parse(await close())).toMatchObject({ status: 'success', closed_positions: 1 })
  await http.desk.clock.advance(2_000)
  await hold()
  const smart = { ...contract, action: 'SELL', quantity: 0, position_size: 0 }
  expect(smartOrder.parse(await post('placesmartorder', smart))).toMatchObject({ total_quantity: 3510 })
  await http.desk.clock.advance(2_000)
  await hold()
  http.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'fail', httpStatus: 400, times: 1 }])
  expect(errorBody.parse(await close())).toMatchObject({ status: 'error', failed_closures: 1 })
  await hold()
  http.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'fail', httpStatus: 400, times: 1 }])
  expect(errorBody.parse(await post('placesmartorder', smart))).toMatchObject({
    status: 'error',
    split_size: 1755,
  })
})
