import { describe, expect, test } from 'vitest'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { runNode } from '../../support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }
const LIVE = { ...SBIN, orderid: '42', product: 'MIS', price: 0, trigger_price: 790, pricetype: 'SL-M' }
const READS = {
  expiry: { data: ['24-NOV-26', '29-DEC-26'] },
  orderstatus: { data: LIVE },
  margin: { data: {} },
}

function run(type: string, data: Body, variables: Body = {}) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  return runNode(definition, data, { lots: { 'NFO:NIFTY': 65 }, reads: READS, variables })
}

const LEG = { offset: 'ATM', optionType: 'CE', action: 'BUY', quantity: 1 }

/** An order node with prices, and the order in the body it sends. */
const NODES: { type: string; of(prices: Body): Body; in(body: Body): unknown }[] = [
  { type: 'placeOrder', of: (prices) => ({ ...SBIN, ...prices }), in: (body) => body },
  { type: 'smartOrder', of: (prices) => ({ ...SBIN, ...prices }), in: (body) => body },
  { type: 'splitOrder', of: (prices) => ({ ...SBIN, splitSize: 5, ...prices }), in: (body) => body },
  { type: 'optionsOrder', of: (prices) => ({ quantity: 1, ...prices }), in: (body) => body },
  {
    type: 'optionsMultiOrder',
    of: (prices) => ({ quantity: 1, legs: [{ ...LEG, ...prices }] }),
    in: ({ legs }) => (Array.isArray(legs) ? legs[0] : undefined),
  },
  {
    type: 'basketOrder',
    of: ({ triggerPrice, ...prices }) => ({
      orders: [
        {
          ...SBIN,
          product: 'MIS',
          ...prices,
          ...(triggerPrice !== undefined && { trigger_price: triggerPrice }),
        },
      ],
    }),
    in: ({ orders }) => (Array.isArray(orders) ? orders[0] : undefined),
  },
]

describe.each(NODES)('$type without a price type', (node) => {
  test.each<[string, Body, Body]>([
    ['without prices is MARKET', {}, { pricetype: 'MARKET' }],
    ['with the price 0 is MARKET', { price: 0, triggerPrice: 0 }, { pricetype: 'MARKET' }],
    ['with a price is LIMIT', { price: 900 }, { pricetype: 'LIMIT', price: 900 }],
    ['with a reference for its price is LIMIT', { price: '{{p}}' }, { pricetype: 'LIMIT', price: 900 }],
    ['with a trigger is SL-M', { triggerPrice: 890 }, { pricetype: 'SL-M', trigger_price: 890 }],
    [
      'with both is SL',
      { price: 900, triggerPrice: 890 },
      { pricetype: 'SL', price: 900, trigger_price: 890 },
    ],
  ])('%s', async (_what, prices, order) => {
    const { ports } = await run(node.type, node.of(prices), { p: 900 })
    expect(node.in(ports.sent[0]?.body ?? {})).toMatchObject(order)
  })

  test('sends nothing when the reference for its price is 0', async () => {
    const { ports, result } = await run(node.type, node.of({ price: '{{p}}' }), { p: 0 })
    expect([result?.status, ports.sent]).toEqual(['error', []])
  })

  test('keeps the meaning of a graph that says MARKET and has a price', async () => {
    const { ports } = await run(node.type, node.of({ priceType: 'MARKET', price: 900 }))
    expect(node.in(ports.sent[0]?.body ?? {})).toMatchObject({ pricetype: 'MARKET' })
  })
})

test('the legs of a straddle have the price of their node, and are LIMIT', async () => {
  const { ports } = await run(
    'optionsMultiOrder',
    { strategy: 'straddle', quantity: 1, price: '{{p}}' },
    { p: 90 },
  )
  expect(ports.sent[0]?.body.legs).toMatchObject([
    { pricetype: 'LIMIT', price: 90 },
    { pricetype: 'LIMIT', price: 90 },
  ])
})

test('the margin of a price is that of a LIMIT order', async () => {
  const { ports } = await run('margin', { ...SBIN, price: 900 })
  expect(ports.asked[0]?.body.positions).toMatchObject([{ pricetype: 'LIMIT', price: 900 }])
})

test.each([
  ['basketOrder', 'orders', SBIN],
  ['optionsMultiOrder', 'legs', LEG],
] as const)(
  '%s decides by the prices of each item, in a list that also has references',
  async (type, list, item) => {
    const items = ['{{whole}}', { ...item, price: '{{p}}' }, { ...item, price: 800 }]
    for (const saved of [items, JSON.stringify(items)]) {
      const sent = await run(type, { quantity: 1, [list]: saved }, { whole: item, p: 900 })
      expect(sent.ports.sent[0]?.body[list]).toMatchObject([
        { pricetype: 'MARKET', price: 0 },
        { pricetype: 'LIMIT', price: 900 },
        { pricetype: 'LIMIT', price: 800 },
      ])
      const none = await run(type, { quantity: 1, [list]: saved }, { whole: item, p: 0 })
      expect([none.result?.status, none.ports.sent]).toEqual(['error', []])
    }
  },
)

describe('modifyOrder', () => {
  test('refuses a price that the order cannot have', async () => {
    const { ports, result } = await run('modifyOrder', { orderId: '42', newPrice: 788 })
    expect(ports.sent).toEqual([])
    expect(result?.message).toBe('newPrice has no effect: order 42 is SL-M. Set priceType, too')
  })

  test('takes it together with a price type', async () => {
    const { ports } = await run('modifyOrder', { orderId: '42', newPrice: 788, priceType: 'SL' })
    expect(ports.sent[0]?.body).toMatchObject({ pricetype: 'SL', price: 788, trigger_price: 790 })
  })
})
