import { describe, expect, test } from 'vitest'
import { NODES, nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import { ORDER_NODES } from '../../../../../src/core/flows/nodes/orders/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { runNode } from '../../support.js'

function run(data: Body, options: Parameters<typeof runNode>[2] = {}) {
  const definition = nodeOf('basketOrder')
  if (!definition) throw new Error('no basketOrder')
  return runNode(definition, data, options)
}

const line = (fields: Body) => ({
  pricetype: 'MARKET',
  product: 'MIS',
  price: 0,
  trigger_price: 0,
  ...fields,
})
const SBIN = line({ symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 })
const INFY = line({ symbol: 'INFY', exchange: 'BSE', action: 'SELL', quantity: 5 })

describe('basketOrder', () => {
  const plain = [
    { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 },
    { symbol: 'INFY', exchange: 'BSE', action: 'SELL', quantity: '5' },
  ]
  const csv = 'SBIN,NSE,BUY,10\n\n  INFY , bse , sell , 5 \r\n'
  const variables = { csv, list: plain, text: JSON.stringify(plain), sym: 'SBIN', n: 10 }

  test.each<[string, unknown]>([
    ['CSV lines', csv],
    ['CSV lines with references', '{{sym}},NSE,BUY,{{n}}\nINFY,BSE,SELL,5'],
    ['a reference to CSV lines', ' {{csv}} '],
    ['a list', plain],
    ['a list with references', [{ ...plain[0], symbol: '{{sym}}', quantity: '{{n}}' }, plain[1]]],
    ['a reference to a list', '{{list}}'],
    ['JSON text', JSON.stringify(plain)],
    ['a reference to JSON text', '{{text}}'],
  ])('reads its orders from %s', async (_name, orders) => {
    const { ports, logs } = await run({ orders }, { variables })
    expect(ports.sent.map(({ call, body }) => ({ call, body }))).toEqual([
      { call: 'basketorder', body: { strategy: 'flow_basket', orders: [SBIN, INFY] } },
    ])
    expect(logs[0]?.message).toBe("Placing basket order 'flow_basket' with 2 orders")
  })

  test('uses its own product and price type for orders without their own', async () => {
    const orders = [
      plain[0],
      {
        ...plain[0],
        pricetype: 'SL',
        product: 'cnc',
        price: '812',
        trigger_price: 811,
        disclosed_quantity: 2,
      },
    ]
    const { ports } = await run({ orders, product: 'NRML', basketName: 'pair-{{sym}}' }, { variables })
    expect(ports.sent[0]?.body).toEqual({
      strategy: 'pair-SBIN',
      orders: [
        { ...SBIN, product: 'NRML' },
        { ...SBIN, pricetype: 'SL', product: 'CNC', price: 812, trigger_price: 811, disclosed_quantity: 2 },
      ],
    })
  })

  test('accepts fractions on CRYPTO', async () => {
    const { ports } = await run({ orders: 'BTCUSDFUT,CRYPTO,BUY,0.5' })
    expect(ports.sent[0]?.body).toMatchObject({ orders: [{ quantity: 0.5 }] })
  })

  test('logs that it ignores values after the quantity', async () => {
    const { ports, logs } = await run({ orders: 'SBIN,NSE,BUY,10,LIMIT,700\nSBIN,NSE,BUY,10,' })
    expect(ports.sent[0]?.body).toMatchObject({ orders: [SBIN, SBIN] })
    expect(logs.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: "Order line 'SBIN,NSE,BUY,10,LIMIT,700': values after the quantity are ignored",
      },
    ])
  })

  test('does not let the value of a reference add orders to a line', async () => {
    const webhook = { symbol: 'SBIN,NSE,BUY,1\nINFY' }
    const { ports } = await run({ orders: '{{webhook.symbol}},NSE,BUY,5' }, { variables: { webhook } })
    expect(ports.sent[0]?.body).toMatchObject({ orders: [{ symbol: webhook.symbol, quantity: 5 }] })
  })

  test.each<[unknown, string | RegExp]>([
    [
      'SBIN,NSE,BUY,10\nINFY,NSE,BUY',
      "Invalid order line 'INFY,NSE,BUY': no quantity; no order of the basket was sent",
    ],
    [
      '{{none}},NSE,BUY,10',
      "Invalid order line '{{none}},NSE,BUY,10': no symbol; no order of the basket was sent",
    ],
    ['SBIN,NSE,BUY,ten', "Order 1: quantity is not a number: 'ten'"],
    ['SBIN,NSE,BUY,1.5', 'Order 1: quantity 1.5 is not a whole number'],
    ['SBIN,NSE,BUY,0', 'Order 1: Order needs a positive quantity, got 0'],
    ['SBIN,NSE,HOLD,1', "Order 1: action 'HOLD' is not one of BUY, SELL"],
    ['SBIN,NYSE,BUY,1', /^Order 1: exchange 'NYSE' is not one of NSE, NFO/],
    ['SBIN,NSE,BUY,1\n'.repeat(501), 'orders has 501 orders, more than 500'],
    [Array(501).fill(plain[0]), 'orders has 501 orders, more than 500'],
    ['\n \n', 'No valid orders to place'],
    ['{{blank}}', 'No valid orders to place'],
    [[], 'No valid orders to place'],
    ['[{"symbol":', 'orders is neither CSV text nor a list'],
    [{ symbol: 'SBIN' }, 'orders is neither CSV text nor a list'],
    ['{{n}}', 'orders is neither CSV text nor a list'],
    [[plain[0], 'SBIN'], 'Order 2: is not an object'],
    [[{ ...plain[0], symbol: ' ' }], 'Order 1: symbol is empty'],
    [[{ ...plain[0], pricetpye: 'LIMIT' }], 'Order 1: unknown member pricetpye'],
    [[{ ...plain[0], pricetype: 'LIMIT' }], 'Order 1: LIMIT order needs a positive price, got 0'],
  ])('sends nothing at all for %j', async (orders, message) => {
    const { failure, ports } = await run({ orders }, { variables: { ...variables, none: '', blank: ' ' } })
    expect(failure).toMatch(message)
    expect(ports.sent).toEqual([])
  })

  test('fails if every order failed', async () => {
    const results = [{ symbol: 'SBIN', status: 'error', message: 'Insufficient funds' }]
    const { result } = await run({ orders: csv }, { orders: { basketorder: { results } } })
    expect(result).toMatchObject({
      status: 'error',
      message: 'All 1 orders failed: Insufficient funds',
      failed: 1,
    })
  })

  test('returns a refusal of the whole basket', async () => {
    const refusal = { status: 'error', message: 'The kill switch is on: news', code: 403 }
    const { result } = await run({ orders: csv }, { orders: { basketorder: refusal } })
    expect(result).toMatchObject({ status: 'error', message: refusal.message, code: 403 })
  })
})

describe('the table of order nodes', () => {
  /** Fields that may contain an unresolved reference: they name an order but do not define it. */
  const LABELS = ['strategyTag', 'basketName']

  test('has ten nodes, each under its type', () => {
    expect(ORDER_NODES.map(({ type }) => type).sort()).toEqual([
      'basketOrder',
      'cancelAllOrders',
      'cancelOrder',
      'closePosition',
      'modifyOrder',
      'optionsMultiOrder',
      'optionsOrder',
      'placeOrder',
      'smartOrder',
      'splitOrder',
    ])
    for (const node of ORDER_NODES) expect(NODES[node.type]).toBe(node)
  })

  test.each(ORDER_NODES.map((node) => ({ node, type: node.type })))(
    '$type guards what defines an order',
    ({ node }) => {
      const open = Object.entries(node.fields).filter(([, { guarded }]) => guarded !== true)
      expect(open.map(([name]) => name).filter((name) => !LABELS.includes(name))).toEqual([])
    },
  )

  test.each(ORDER_NODES.map((node) => ({ node, type: node.type })))('$type has documentation', ({ node }) => {
    expect(node).toMatchObject({ family: 'order', storesOutput: true, branching: false })
    const texts = [
      node.summary,
      ...Object.values(node.output).flatMap(({ description }) => (description === '' ? [] : [description])),
      ...Object.values(node.fields).map(({ description }) => description),
    ]
    for (const text of texts) expect(text).toMatch(/^.+\.$/s)
  })
})
