import { expect, test } from 'vitest'
import { type WaitingTerms, waitAlike } from '../../../../src/core/orders/schema.js'

const LIMIT: WaitingTerms = { action: 'BUY', priceType: 'LIMIT', price: 100, triggerPrice: 0 }
const STOP: WaitingTerms = { action: 'SELL', priceType: 'SL-M', price: 0, triggerPrice: 90 }

test.each<[WaitingTerms, WaitingTerms, boolean]>([
  [LIMIT, LIMIT, true],
  [LIMIT, { ...LIMIT, price: 100.05 }, false],
  [LIMIT, { ...LIMIT, action: 'SELL' }, false],
  [LIMIT, { ...LIMIT, priceType: 'SL' }, false],
  // What a client calculated in floats is the same price.
  [{ ...LIMIT, price: 812.55 }, { ...LIMIT, price: 812.5500000000001 }, true],
  [STOP, { ...STOP, triggerPrice: 90.00000000000001 }, true],
  // Prices that the type does not have say nothing.
  [LIMIT, { ...LIMIT, triggerPrice: 5 }, true],
  [STOP, { ...STOP, price: 88 }, true],
  [STOP, { ...STOP, triggerPrice: 91 }, false],
  [{ ...LIMIT, priceType: 'MARKET' }, { ...LIMIT, priceType: 'MARKET' }, false],
])('%j and %j wait alike: %s', (one, other, alike) => {
  expect(waitAlike(one, other)).toBe(alike)
})
