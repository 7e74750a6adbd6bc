import { describe, expect, test } from 'vitest'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { runNode } from '../../support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }
const PLAIN = {
  strategy: 'Test flow',
  ...SBIN,
  pricetype: 'MARKET',
  product: 'MIS',
  price: 0,
  trigger_price: 0,
}

const NODES = [
  { type: 'placeOrder', call: 'placeorder', data: {}, own: {}, verb: 'Placing order' },
  {
    type: 'smartOrder',
    call: 'placesmartorder',
    data: { positionSize: '-25' },
    own: { position_size: -25 },
    verb: 'Placing smart order',
  },
  {
    type: 'splitOrder',
    call: 'splitorder',
    data: { splitSize: 4 },
    own: { splitsize: 4 },
    verb: 'Placing split order',
  },
] as const

/** Runs a node with fields that replace those of an order for ten SBIN shares. */
function run(type: string, data: Body, options: Parameters<typeof runNode>[2] = {}) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  return runNode(definition, { ...SBIN, ...data }, options)
}

describe.each(NODES)('$type', ({ type, call, data, own, verb }) => {
  test('sends the body of its endpoint and logs the request and the result', async () => {
    const { result, ports, logs } = await run(type, data)
    expect(ports.sent).toEqual([
      {
        call,
        body: { ...PLAIN, ...own },
        context: { userId: 'asha', idempotencyKey: 'flow:1:node:1:1' },
      },
    ])
    expect(result).toMatchObject({ status: 'success', orderid: 'O1' })
    expect(logs).toEqual([
      { level: 'info', message: `${verb}: SBIN BUY qty=10` },
      { level: 'info', message: `Order result: ${JSON.stringify(result)}` },
    ])
  })

  test('resolves references and uses the spelling of svc', async () => {
    const { ports } = await run(
      type,
      {
        ...data,
        symbol: '{{webhook.symbol}}',
        exchange: 'bse',
        action: '{{webhook.action}}',
        quantity: '{{webhook.qty}}',
        priceType: 'sl',
        price: '{{webhook.price}}',
        triggerPrice: 811,
        product: 'cnc',
        strategyTag: 'tag-{{webhook.symbol}}',
      },
      { variables: { webhook: { symbol: 'INFY', action: 'sell', qty: 50, price: '812.4' } } },
    )
    expect(ports.sent[0]?.body).toEqual({
      ...own,
      strategy: 'tag-INFY',
      symbol: 'INFY',
      exchange: 'BSE',
      action: 'SELL',
      quantity: 50,
      pricetype: 'SL',
      product: 'CNC',
      price: 812.4,
      trigger_price: 811,
    })
  })

  test.each([
    [
      { pricetype: 'LIMIT', price: 700 },
      { pricetype: 'LIMIT', price: 700 },
    ],
    [{ quantity: '61.9' }, { quantity: 61 }],
    [
      { exchange: 'CRYPTO', quantity: 0.5 },
      { exchange: 'CRYPTO', quantity: 0.5 },
    ],
    [{ symbol: ' SBIN ' }, { symbol: 'SBIN' }],
    [{ quantity: '' }, { quantity: type === 'smartOrder' ? 0 : 1 }],
  ])('reads %j', async (fields, sent) => {
    const { ports } = await run(type, { ...data, ...fields })
    expect(ports.sent[0]?.body).toMatchObject(sent)
  })

  test.each([
    [{ quantity: 'abc' }, "quantity did not resolve to a number: 'abc'"],
    [{ price: 'abc' }, "price did not resolve to a number: 'abc'"],
    [{ symbol: '{{empty}}' }, 'symbol is empty; nothing was sent'],
    [{ action: 'HOLD' }, "action 'HOLD' is not one of BUY, SELL"],
    [{ exchange: '{{empty}}' }, /^exchange '' is not one of NSE, NFO/],
    [{ priceType: 'LIMT' }, "priceType 'LIMT' is not one of MARKET, LIMIT, SL, SL-M"],
    [{ product: 'BO' }, "product 'BO' is not one of MIS, NRML, CNC"],
    [{ priceType: 'LIMIT' }, 'LIMIT order needs a positive price, got 0'],
    [{ priceType: 'SL', triggerPrice: 5 }, 'SL order needs a positive price, got 0'],
    [{ priceType: 'SL', price: 5 }, 'SL order needs a positive trigger price, got 0'],
    [{ priceType: 'SL-M', price: 5 }, 'SL-M order needs a positive trigger price, got 0'],
  ])('sends nothing for %j', async (fields, message) => {
    const { failure, ports } = await run(type, { ...data, ...fields }, { variables: { empty: '' } })
    expect(failure).toMatch(message)
    expect(ports.sent).toEqual([])
  })

  test('returns a refusal of the order path', async () => {
    const refusal = { status: 'error', message: 'Insufficient funds', code: 403, rule: 'cash' }
    const { result, failure, logs } = await run(type, data, { orders: { [call]: refusal } })
    expect(failure).toBeUndefined()
    expect(result).toEqual({
      status: 'error',
      message: 'Insufficient funds',
      error: 'Insufficient funds',
      code: 403,
      rule: 'cash',
    })
    expect(logs.at(-1)?.level).toBe('error')
  })

  test('succeeds without an id when the order waits for approval', async () => {
    const queued = { mode: 'semi_auto', pending_order_id: 7 }
    const { result } = await run(type, data, { orders: { [call]: queued } })
    expect(result).toEqual({ status: 'success', ...queued })
  })
})

describe('quantities', () => {
  test.each(['placeOrder', 'splitOrder'])('of %s must be more than zero', async (type) => {
    const { failure, ports } = await run(type, { quantity: 0.4 })
    expect(failure).toBe('Order needs a positive quantity, got 0')
    expect(ports.sent).toEqual([])
  })

  test('of a smart order may be zero, because it has a target', async () => {
    const { ports } = await run('smartOrder', { quantity: 0, positionSize: 0 })
    expect(ports.sent[0]?.body).toMatchObject({ quantity: 0, position_size: 0 })
  })

  test('of the parts of a split must be more than zero', async () => {
    expect((await run('splitOrder', { splitSize: -1 })).failure).toBe(
      'Order needs a positive splitSize, got -1',
    )
  })
})

describe('a split', () => {
  const part = (order_num: number, status: string) => ({
    order_num,
    quantity: 5,
    status,
    message: 'No margin',
  })

  test('fails if every order failed', async () => {
    const results = [part(1, 'error'), part(2, 'error')]
    const { result } = await run('splitOrder', {}, { orders: { splitorder: { results } } })
    const message = 'All 2 orders failed: No margin'
    expect(result).toEqual({ status: 'error', message, error: message, failed: 2, results })
  })

  test('reports one failed order', async () => {
    const results = [part(1, 'success'), part(2, 'error')]
    const { result, logs } = await run('splitOrder', {}, { orders: { splitorder: { results } } })
    expect(result).toEqual({ status: 'success', failed: 1, results })
    expect(logs.at(-1)?.level).toBe('warn')
  })
})
