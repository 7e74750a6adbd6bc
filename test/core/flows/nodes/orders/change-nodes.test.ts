import { describe, expect, test } from 'vitest'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { runNode } from '../../support.js'

function run(type: string, data: Body, options: Parameters<typeof runNode>[2] = {}) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  return runNode(definition, data, options)
}

const LIVE = {
  orderid: '42',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'SELL',
  quantity: 7,
  price: 812.5,
  trigger_price: 0,
  pricetype: 'LIMIT',
  product: 'NRML',
  order_status: 'open',
}
const SENT = {
  strategy: 'Test flow',
  orderid: '42',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'SELL',
  quantity: 7,
  pricetype: 'LIMIT',
  product: 'NRML',
  price: 812.5,
  trigger_price: 0,
  disclosed_quantity: 0,
}

const modify = (data: Body, live: Body = {}, variables: Body = {}) =>
  run(
    'modifyOrder',
    { orderId: '42', ...data },
    { reads: { orderstatus: { data: { ...LIVE, ...live } } }, variables },
  )

describe('modifyOrder', () => {
  test.each<[string, Body, Body, Body]>([
    ['only the price', { newPrice: 815 }, {}, { price: 815 }],
    ['only the quantity', { newQuantity: '{{n}}' }, {}, { quantity: 9 }],
    ['by the other names of the fields', { quantity: 3, price: '820.5' }, {}, { quantity: 3, price: 820.5 }],
    ['the first name before the second', { newPrice: 1, price: 2 }, {}, { price: 1 }],
    ['the type of an order', { priceType: 'market' }, {}, { pricetype: 'MARKET', price: 0 }],
    [
      'the trigger of a stop',
      { newTriggerPrice: 805 },
      { pricetype: 'SL-M', trigger_price: 800 },
      { pricetype: 'SL-M', price: 0, trigger_price: 805 },
    ],
    [
      'a hidden part that is known',
      { newPrice: 1 },
      { disclosed_quantity: 2 },
      { price: 1, disclosed_quantity: 2 },
    ],
    [
      'the quantity below a hidden part',
      { newQuantity: 3 },
      { disclosed_quantity: 5 },
      { quantity: 3, disclosed_quantity: 3 },
    ],
    [
      'the quantity to more than ten of a hidden part',
      { newQuantity: 90 },
      { disclosed_quantity: 5 },
      { quantity: 90, disclosed_quantity: 9 },
    ],
    [
      'as the sandbox names the type',
      { newPrice: 1 },
      { pricetype: undefined, price_type: 'LIMIT' },
      { price: 1 },
    ],
    ['nothing at all', {}, {}, {}],
  ])('changes %s and keeps the rest of the order', async (_name, data, live, changed) => {
    const { ports, result } = await modify(data, live, { n: 9 })
    expect(ports.asked).toEqual([{ call: 'orderstatus', body: { strategy: 'Test flow', orderid: '42' } }])
    expect(ports.sent.map(({ call, body }) => ({ call, body }))).toEqual([
      { call: 'modifyorder', body: { ...SENT, ...changed } },
    ])
    expect(result).toMatchObject({ status: 'success', orderid: 'O1' })
  })

  test.each<[Body, Body, string]>([
    [{ newPrice: 'abc' }, {}, "Modify order got a non-numeric price or quantity: 'abc'"],
    [{ newPrice: '{{empty}}' }, {}, 'newPrice is empty; nothing was sent'],
    [{}, { price: 'n/a' }, "Modify order got a non-numeric price or quantity: 'n/a'"],
    [{ newQuantity: 0 }, {}, 'Modify order needs a positive quantity, got 0'],
    [{ priceType: 'SL' }, {}, 'SL order needs a positive trigger price, got 0'],
    [{ action: 'HOLD' }, {}, "action 'HOLD' is not one of BUY, SELL"],
    [{}, { pricetype: 'GTC' }, "priceType 'GTC' is not one of MARKET, LIMIT, SL, SL-M"],
    [
      {},
      { product: null, price: undefined },
      'Order 42 did not report product, price; refusing to modify it with a guessed value',
    ],
  ])('sends nothing for %j of an order with %j', async (data, live, message) => {
    const { failure, ports } = await modify(data, live, { empty: '' })
    expect(failure).toBe(message)
    expect(ports.sent).toEqual([])
  })

  test('does not need the current value of a field that is set', async () => {
    const { ports } = await modify({ product: 'CNC', newPrice: 5 }, { product: undefined, price: undefined })
    expect(ports.sent[0]?.body).toMatchObject({ product: 'CNC', price: 5 })
  })

  test.each<[Body, string]>([
    [{ status: 'error', message: 'Order 42 not found', code: 404 }, 'Order 42 not found'],
    [{}, 'the answer contains no order'],
  ])('changes no order it could not read: %j', async (orderstatus, reason) => {
    const { failure, ports } = await run('modifyOrder', { orderId: '42' }, { reads: { orderstatus } })
    expect(failure).toBe(`Could not read order 42 to modify it: ${reason}`)
    expect(ports.sent).toEqual([])
  })
})

describe.each([
  { type: 'modifyOrder', what: 'modify' },
  { type: 'cancelOrder', what: 'cancel' },
])('$type without an order', ({ type, what }) => {
  test.each([{}, { orderId: ' ' }, { orderId: '{{empty}}' }])('is refused: %j', async (data) => {
    const { failure, ports } = await run(type, data, { variables: { empty: '' } })
    expect(failure).toBe(`orderId is required to ${what} an order`)
    expect(ports.asked).toEqual([])
    expect(ports.sent).toEqual([])
  })
})

const EXITS = [
  {
    type: 'cancelOrder',
    data: { orderId: '{{ord.orderid}}' },
    call: 'cancelorder',
    own: { orderid: '42' },
    log: 'Cancelling order: 42',
  },
  { type: 'cancelAllOrders', data: {}, call: 'cancelallorder', own: {}, log: 'Cancelling all orders' },
  { type: 'closePosition', data: {}, call: 'closeposition', own: {}, log: 'Closing all positions' },
  {
    type: 'closePosition',
    data: { symbol: '  ', exchange: 'BSE', product: 'CNC' },
    call: 'closeposition',
    own: {},
    log: 'Closing all positions',
  },
  {
    type: 'closePosition',
    data: { symbol: 'SBIN' },
    call: 'closeposition',
    own: { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    log: 'Closing position: SBIN@NSE (MIS)',
  },
  {
    type: 'closePosition',
    data: { symbol: 'INFY', exchange: 'bse', product: 'cnc' },
    call: 'closeposition',
    own: { symbol: 'INFY', exchange: 'BSE', product: 'CNC' },
    log: 'Closing position: INFY@BSE (CNC)',
  },
] as const

describe.each(EXITS)('$type with $data', ({ type, data, call, own, log }) => {
  const variables = { ord: { orderid: '42' } }

  test('sends exactly what it names', async () => {
    const { ports, logs } = await run(type, data, { variables })
    expect(ports.sent.map(({ call, body }) => ({ call, body }))).toEqual([
      { call, body: { strategy: 'Test flow', ...own } },
    ])
    expect(logs[0]).toEqual({ level: 'info', message: log })
  })

  test('returns a refusal', async () => {
    const refusal = { status: 'error', message: 'No session', code: 403 }
    const { result } = await run(type, data, { variables, orders: { [call]: refusal } })
    expect(result).toMatchObject({ status: 'error', message: 'No session', code: 403 })
  })
})

test('a close whose symbol resolves to an empty text closes nothing, rather than everything', async () => {
  const { failure, ports } = await run(
    'closePosition',
    { symbol: '{{webhook.symbol}}' },
    { variables: { webhook: { symbol: '' } } },
  )
  expect(failure).toBe('symbol is empty; nothing was sent')
  expect(ports.sent).toEqual([])
})

test('a close refuses a product that does not exist', async () => {
  expect((await run('closePosition', { symbol: 'SBIN', product: 'BO' })).failure).toBe(
    "product 'BO' is not one of MIS, NRML, CNC",
  )
})

test.each(['cancelOrder', 'cancelAllOrders', 'closePosition'])(
  '%s only reduces, and keeps its result',
  (type) => {
    expect(nodeOf(type)).toMatchObject({ effect: 'reduce', storesOutput: true })
  },
)
