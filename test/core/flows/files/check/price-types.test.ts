import { expect, it } from 'vitest'
import { lint } from '../../../../../src/core/flows/files/check/lint.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'

function found(node: string): [string, string, string][] {
  const result = readWorkflow(`name: n\nnodes:\n  go: {type: start, next: a}\n  a: ${node}\n`, 'f')
  if (!result.ok) throw new Error(JSON.stringify(result.findings))
  return lint(result.value).map(({ severity, code, message }) => [severity, code, message])
}

const SBIN = 'symbol: SBIN, exchange: NSE, action: BUY, quantity: 1'

it.each([
  [
    `{type: placeOrder, with: {${SBIN}, priceType: MARKET, price: 900}}`,
    "Node 'a': price 900 contradicts priceType MARKET: a MARKET order has no limit price. Use priceType LIMIT, or leave price out.",
  ],
  [
    `{type: smartOrder, with: {${SBIN}, positionSize: 5, priceType: limit, price: 900, triggerPrice: "{{date}}"}}`,
    "Node 'a': triggerPrice {{date}} contradicts priceType LIMIT: a LIMIT order has no trigger price. Use priceType SL, or leave triggerPrice out.",
  ],
  [
    '{type: modifyOrder, with: {orderId: "1", priceType: SL-M, newPrice: 5, newTriggerPrice: 6}}',
    "Node 'a': newPrice 5 contradicts priceType SL-M: an SL-M order has no limit price. Use priceType SL, or leave newPrice out.",
  ],
  [
    `{type: basketOrder, with: {priceType: MARKET, orders: [{${SBIN}, price: 900}]}}`,
    "Node 'a': orders 1: price 900 contradicts pricetype MARKET: a MARKET order has no limit price. Use pricetype LIMIT, or leave price out.",
  ],
  [
    '{type: optionsMultiOrder, with: {underlying: NIFTY, quantity: 1, legs: [{offset: ATM, priceType: MARKET, price: 9}]}}',
    "Node 'a': legs 1: price 9 contradicts priceType MARKET: a MARKET order has no limit price. Use priceType LIMIT, or leave price out.",
  ],
])('%s contradicts itself, which is an error', (node, message) => {
  expect(found(node)).toEqual([['error', 'invalid_price', message]])
})

it.each([
  `{type: placeOrder, with: {${SBIN}, price: 900}}`,
  `{type: placeOrder, with: {${SBIN}, priceType: MARKET, price: 0, triggerPrice: 0}}`,
  `{type: placeOrder, with: {${SBIN}, priceType: SL, price: 900, triggerPrice: 890}}`,
  `{type: basketOrder, with: {orders: [{${SBIN}, price: 900}]}}`,
])('%s is valid', (node) => {
  expect(found(node)).toEqual([])
})

it('a graph of the public system, whose editor keeps the price of an order that became MARKET, gets a warning', () => {
  const graph = {
    name: 'n',
    nodes: [
      { id: 'go', type: 'start', position: { x: 0, y: 0 }, data: {} },
      {
        id: 'a',
        type: 'placeOrder',
        position: { x: 0, y: 0 },
        data: {
          symbol: 'SBIN',
          exchange: 'NSE',
          action: 'BUY',
          quantity: 1,
          priceType: 'MARKET',
          price: 900,
        },
      },
    ],
    edges: [{ id: 'e', source: 'go', target: 'a' }],
  }
  const result = readWorkflow(JSON.stringify(graph), 'f.json')
  if (!result.ok) throw new Error(JSON.stringify(result.findings))
  expect(lint(result.value)).toMatchObject([{ severity: 'warning', code: 'invalid_price' }])
})
