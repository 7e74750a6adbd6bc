import { describe, expect, test } from 'vitest'
import { gttLowersRisk, lowersRisk } from '../../../../src/core/orders/change/lower-risk.js'
import type { GttTerms, OrderTerms } from '../../../../src/core/orders/schema.js'

const LIMIT: OrderTerms = {
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'MIS',
  action: 'BUY',
  quantity: 10,
  priceType: 'LIMIT',
  price: 700,
  triggerPrice: 0,
}
const STOP: OrderTerms = { ...LIMIT, priceType: 'SL', price: 705, triggerPrice: 704 }
const SELL = { action: 'SELL' } as const
const SALE: OrderTerms = { ...LIMIT, ...SELL }
const STOP_SALE: OrderTerms = { ...LIMIT, ...SELL, priceType: 'SL-M', price: 0, triggerPrice: 690 }

describe('a change of an order lowers risk', () => {
  test.each<[string, OrderTerms, Partial<OrderTerms>, boolean]>([
    ['the same again', LIMIT, {}, true],
    ['less quantity', LIMIT, { quantity: 9 }, true],
    ['more quantity', LIMIT, { quantity: 11 }, false],
    ['a lower limit to buy', LIMIT, { price: 699 }, true],
    ['a higher limit to buy', LIMIT, { price: 701 }, false],
    ['less quantity at a better price', LIMIT, { quantity: 1, price: 701 }, false],
    ['a higher limit to sell', SALE, { price: 701 }, true],
    ['a lower limit to sell', SALE, { price: 699 }, false],
    ['a limit order to the market', LIMIT, { priceType: 'MARKET', price: 0 }, false],
    ['a market order to a limit', { ...LIMIT, priceType: 'MARKET', price: 0 }, { priceType: 'LIMIT' }, true],
    ['a limit order to a stop that keeps the limit', LIMIT, { priceType: 'SL', triggerPrice: 695 }, true],
    ['a stop to a limit order', STOP, { priceType: 'LIMIT', triggerPrice: 0 }, false],
    ['a stop to a stop at the market', STOP, { priceType: 'SL-M', price: 0 }, false],
    ['a stop to buy farther above', STOP, { triggerPrice: 705 }, true],
    ['a stop to buy nearer', STOP, { triggerPrice: 703 }, false],
    ['a stop to sell farther below', STOP_SALE, { triggerPrice: 689 }, true],
    ['a stop to sell nearer', STOP_SALE, { triggerPrice: 691 }, false],
    ['a stop at the market to one with a limit', STOP_SALE, { priceType: 'SL', price: 689 }, true],
    ['the other side', LIMIT, SELL, false],
    ['another symbol', LIMIT, { symbol: 'INFY' }, false],
    ['another exchange', LIMIT, { exchange: 'BSE' }, false],
    ['another product', LIMIT, { product: 'CNC' }, false],
  ])('%s', (_name, now, change, expected) => {
    expect(lowersRisk(now, { ...now, ...change })).toBe(expected)
  })
})

const GTT: GttTerms = {
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'CNC',
  action: 'SELL',
  quantity: 10,
  priceType: 'LIMIT',
  legs: [
    { kind: 'stop', triggerPrice: 690, price: 689 },
    { kind: 'target', triggerPrice: 750, price: 751 },
  ],
}
const legs = (stop: [number, number], target: [number, number]): Pick<GttTerms, 'legs'> => ({
  legs: [
    { kind: 'stop', triggerPrice: stop[0], price: stop[1] },
    { kind: 'target', triggerPrice: target[0], price: target[1] },
  ],
})

describe('a change of a GTT lowers risk', () => {
  test.each<[string, Partial<GttTerms>, boolean]>([
    ['less quantity', { quantity: 1 }, true],
    ['more quantity', { quantity: 11 }, false],
    ['both triggers farther away', legs([680, 689], [760, 760]), true],
    ['a stop nearer', legs([691, 691], [750, 751]), false],
    ['a target nearer', legs([690, 689], [749, 751]), false],
    ['a lower limit to sell', legs([690, 688], [750, 751]), false],
    ['at the market', { priceType: 'MARKET' }, false],
    ['one leg instead of two', { legs: GTT.legs.slice(0, 1) }, false],
    ['a stop for a target', { legs: [...GTT.legs].map((leg) => ({ ...leg, kind: 'stop' as const })) }, false],
  ])('%s', (_name, change, expected) => {
    expect(gttLowersRisk(GTT, { ...GTT, ...change })).toBe(expected)
  })
})
