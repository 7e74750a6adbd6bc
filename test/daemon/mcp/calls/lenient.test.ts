import { expect, test } from 'vitest'
import { leniently } from '../../../../src/daemon/mcp/calls/lenient.js'
import { TOOLS } from '../../../../src/daemon/mcp/tools/index.js'

const ORDER = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' }

/** Returns the arguments as a tool gets them. */
function read(name: string, given: Record<string, unknown>) {
  const tool = TOOLS.find((one) => one.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  return leniently(given, tool.input())
}

test('a list as JSON text is the list', () => {
  const orders = [ORDER, { ...ORDER, symbol: 'INFY' }]
  expect(read('place_basket_order', { strategy: 'x', orders: JSON.stringify(orders) })).toEqual({
    strategy: 'x',
    orders,
  })
})

test('null stands for an option that is left out, also inside lists', () => {
  expect(read('place_order', { ...ORDER, price: null, trigger_price: null })).toEqual(ORDER)
  expect(read('place_basket_order', { orders: [{ ...ORDER, price: null }] })).toEqual({ orders: [ORDER] })
})

test.each([
  [{ product: 'mis' }, { product: 'MIS' }],
  [
    { product: 'Nrml', price_type: 'limit' },
    { product: 'NRML', price_type: 'LIMIT' },
  ],
  [{ price_type: 'sl-m' }, { price_type: 'SL-M' }],
])('names are read in any case: %j', (given, as) => {
  expect(read('place_order', { ...ORDER, ...given })).toEqual({ ...ORDER, ...as })
})

test.each([
  ['a text that is no JSON', { orders: '[{' }],
  ['a number for a list', { orders: 5 }],
  ['JSON text of a number for a list', { orders: '5' }],
  ['a word that is none', { product: 'swing' }],
  ['a member that no tool has', { constructor: null, __proto_: '[]' }],
])('%s stays for the tool to refuse', (_what, given) => {
  expect(read('place_basket_order', given)).toEqual(given)
})

test('JSON text that gives a quantity twice, or is nested too deeply, is refused like the message itself', () => {
  const twice = '[{"symbol":"SBIN","quantity":1,"quantity":100}]'
  expect(() => read('place_basket_order', { orders: twice })).toThrow('more than once')
  expect(() => read('place_basket_order', { orders: '['.repeat(50_000) + ']'.repeat(50_000) })).toThrow(
    /deep/,
  )
})

test('a name that may be left out is read in any case, too, and one that is written as listed stays', () => {
  expect(read('get_option_greeks', { underlying_exchange: 'nse_index' })).toEqual({
    underlying_exchange: 'NSE_INDEX',
  })
  expect(read('place_order', { ...ORDER, action: 'buy' })).toEqual({ ...ORDER, action: 'buy' })
})
