import { describe, expect, it } from 'vitest'
import { ACCOUNT_NODES } from '../../../../src/core/flows/nodes/account.js'
import type { Body, ReadCall } from '../../../../src/core/flows/ports.js'
import { runNode } from '../support.js'

const node = (type: string) => {
  const found = ACCOUNT_NODES.find((one) => one.type === type)
  if (!found) throw new Error(`no node ${type}`)
  return found
}

const ORDER = { orderid: '26', order_status: 'complete', average_price: 812.4 }
const FUNDS = { availablecash: '1000.00', utiliseddebits: '250.00', collateral: '0.00' }
const LEG = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 1,
  product: 'MIS',
  pricetype: 'MARKET',
}
const MARGIN = { total_margin_required: 5000, span_margin: 4000, exposure_margin: 1000 }

interface Row {
  type: string
  call: ReadCall
  data: Body
  asked: Body
  answer: Body
  gives: Body
}

const ROWS: readonly Row[] = [
  {
    type: 'getOrderStatus',
    call: 'orderstatus',
    data: { orderId: '{{o.orderid}}' },
    asked: { strategy: 'Test flow', orderid: '26' },
    answer: { data: ORDER },
    gives: { order_status: 'complete', average_price: 812.4, data: ORDER },
  },
  {
    type: 'strategyPnl',
    call: 'strategypnl',
    data: { strategy: '' },
    asked: { strategy: 'Test flow' },
    answer: { today_total: -12.5, legs: [] },
    gives: { today_total: -12.5, legs: [] },
  },
  {
    type: 'strategyPnl',
    call: 'strategypnl',
    data: { strategy: 'orb-{{o.orderid}}' },
    asked: { strategy: 'orb-26' },
    answer: { total: 1 },
    gives: { total: 1 },
  },
  {
    type: 'orderBook',
    call: 'orderbook',
    data: {},
    asked: {},
    answer: { data: { orders: [ORDER], statistics: { total_buy_orders: 1 } } },
    gives: { orders: [ORDER], statistics: { total_buy_orders: 1 } },
  },
  {
    type: 'tradeBook',
    call: 'tradebook',
    data: {},
    asked: {},
    answer: { data: [ORDER] },
    gives: { data: [ORDER] },
  },
  {
    type: 'positionBook',
    call: 'positionbook',
    data: {},
    asked: {},
    answer: { data: [] },
    gives: { data: [] },
  },
  {
    type: 'holdings',
    call: 'holdings',
    data: {},
    asked: {},
    answer: { data: { holdings: [], statistics: { totalinvvalue: 0 } } },
    gives: { holdings: [], statistics: { totalinvvalue: 0 } },
  },
  {
    type: 'funds',
    call: 'funds',
    data: {},
    asked: {},
    answer: { data: FUNDS },
    gives: { ...FUNDS, marginused: '250.00', data: FUNDS },
  },
  {
    type: 'margin',
    call: 'margin',
    data: { positionsJson: `[${JSON.stringify({ ...LEG, quantity: '{{lot}}' })}]` },
    asked: { positions: [{ ...LEG, quantity: '65' }] },
    answer: { data: MARGIN },
    gives: { ...MARGIN, data: MARGIN },
  },
  {
    type: 'margin',
    call: 'margin',
    data: { positions: LEG },
    asked: { positions: [LEG] },
    answer: { data: MARGIN },
    gives: MARGIN,
  },
  {
    type: 'margin',
    call: 'margin',
    data: { positionsJson: '{{basket}}' },
    asked: { positions: [LEG] },
    answer: { data: MARGIN },
    gives: MARGIN,
  },
  {
    type: 'margin',
    call: 'margin',
    data: { symbol: 'SBIN', quantity: '{{lot}}', action: 'sell' },
    asked: { positions: [{ ...LEG, action: 'SELL', quantity: 65, price: 0, trigger_price: 0 }] },
    answer: { data: MARGIN },
    gives: MARGIN,
  },
]

const variables = { o: { orderid: '26' }, lot: 65, basket: [LEG] }

describe('requests and results', () => {
  it.each(ROWS)('$type $data', async ({ type, call, data, asked, answer, gives }) => {
    const { result, ports } = await runNode(node(type), data, { variables, reads: { [call]: answer } })

    expect(ports.asked).toEqual([{ call, body: asked }])
    expect(result).toMatchObject({ status: 'success', ...gives })
  })

  it.each(ROWS)('$type returns a refusal', async ({ type, call, data }) => {
    const refusal = { status: 'error', message: 'No broker session', code: 403 }
    const { result } = await runNode(node(type), data, { variables, reads: { [call]: refusal } })

    expect(result).toMatchObject({ status: 'error', message: 'No broker session', code: 403 })
  })
})

describe('openPosition', () => {
  const row = (product: string, quantity: number) => ({
    symbol: 'SBIN',
    exchange: 'NSE',
    product,
    quantity,
    average_price: 800.25,
    pnl: -3.5,
  })
  const reads = { positionbook: { data: [row('CNC', 5), row('MIS', -10), row('MIS', 99)] } }

  it.each([
    [{ symbol: 'SBIN' }, { quantity: -10, avgprice: 800.25, pnl: -3.5 }],
    [
      { symbol: 'SBIN', product: 'cnc' },
      { quantity: 5, avgprice: 800.25, pnl: -3.5 },
    ],
    [
      { symbol: 'SBIN', exchange: 'BSE' },
      { quantity: 0, avgprice: 0, pnl: 0 },
    ],
    [{ symbol: 'INFY' }, { quantity: 0, avgprice: 0, pnl: 0 }],
  ])('%j: uses the first row with symbol, exchange and product', async (data, gives) => {
    const { result } = await runNode(node('openPosition'), data, { reads })

    expect(result).toMatchObject({ status: 'success', ...gives })
  })

  it('fails, instead of zero, if the positions cannot be read', async () => {
    const { result } = await runNode(
      node('openPosition'),
      { symbol: 'SBIN' },
      { reads: { positionbook: { status: 'error', message: 'away' } } },
    )

    expect(result).toMatchObject({ status: 'error', message: 'away' })
    expect(result).not.toHaveProperty('quantity')
  })

  it.each([
    ['no list of positions', { symbol: 'SBIN' }, { data: {} }, 'the broker returned no positions'],
    [
      'a quantity that is no number',
      { symbol: 'SBIN' },
      { data: [{ ...row('MIS', 5), quantity: 'n/a' }] },
      'the position in SBIN cannot be read',
    ],
    ['an open reference', { symbol: '{{gone}}' }, reads.positionbook, "symbol did not resolve: '{{gone}}'"],
  ])('fails, instead of zero, for %s', async (_what, data, positionbook, message) => {
    const { failure } = await runNode(node('openPosition'), data, { reads: { positionbook } })

    expect(failure).toBe(message)
  })

  it('finds the symbol in small letters', async () => {
    const { result } = await runNode(node('openPosition'), { symbol: 'sbin' }, { reads })

    expect(result).toMatchObject({ symbol: 'SBIN', quantity: -10 })
  })

  it('refuses an unknown product', async () => {
    const { failure } = await runNode(node('openPosition'), { symbol: 'SBIN', product: 'BO' })

    expect(failure).toBe("product 'BO' is not one of MIS, NRML, CNC")
  })
})

it('strategyPnl warns about legs without a price', async () => {
  const { logs } = await runNode(node('strategyPnl'), {}, { reads: { strategypnl: { unpriced_legs: 2 } } })

  expect(logs).toEqual([
    {
      level: 'warn',
      message: "2 open leg(s) of 'Test flow' have no price and are left out of unrealized",
    },
  ])
})

it.each([
  ['{{blank}}', 'Margin positions are empty after interpolation'],
  ['[{', 'Margin positions are not valid JSON: [{'],
  ['[]', 'Margin positions are an empty basket'],
  ['7', 'Margin positions must be an array of objects'],
  ['[1]', 'Margin positions must be an array of objects'],
  [Array.from({ length: 51 }, () => LEG), 'Margin takes at most 50 positions, got 51'],
  [undefined, 'Margin node has no positions and no symbol to price.'],
])('margin of %j: %s', async (positionsJson, message) => {
  const { failure, ports } = await runNode(node('margin'), { positionsJson }, { variables: { blank: '  ' } })

  expect(failure).toBe(message)
  expect(ports.asked).toEqual([])
})
