import { expect, test } from 'vitest'
import { requestText } from '../../../src/views/orders/request.js'

const LINE = { symbol: 'SBIN', exchange: 'NSE', action: 'buy', quantity: 10 }

test.each<[unknown, string | undefined]>([
  [{ ...LINE, pricetype: 'MARKET', price: 0, product: 'MIS' }, 'BUY 10 NSE:SBIN MARKET MIS'],
  [
    { ...LINE, quantity: '10', pricetype: 'SL', price: '812.5', trigger_price: 812, product: 'CNC' },
    'BUY 10 NSE:SBIN SL at ₹812.50, trigger ₹812.00 CNC',
  ],
  [{ ...LINE, quantity: 0, position_size: -500, product: 'MIS' }, 'NSE:SBIN to a position of -500 MIS'],
  [{ ...LINE, quantity: 300, splitsize: 100 }, 'BUY 300 NSE:SBIN in parts of 100'],
  [
    { underlying: 'NIFTY', offset: 'ATM', option_type: 'CE', action: 'SELL', quantity: 65 },
    'SELL 65 NIFTY ATM CE',
  ],
  [{ underlying: 'NIFTY', legs: [{}, {}] }, '2 legs of NIFTY'],
  [{ orders: [LINE, LINE] }, '2 orders'],
  [{ orders: [LINE] }, 'BUY 10 NSE:SBIN'],
  [{ ids: [1] }, undefined],
  ['text', undefined],
  [undefined, undefined],
])('%j is asked about as %s', (request, words) => {
  expect(requestText(request)).toBe(words)
})
