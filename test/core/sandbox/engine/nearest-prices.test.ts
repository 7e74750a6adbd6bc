import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toMoney } from '../../../../src/core/money/index.js'
import { match } from '../../../../src/core/sandbox/engine/matching.js'
import { NearestPrices } from '../../../../src/core/sandbox/engine/nearest-prices.js'
import { quoteOf } from '../harness.js'

const price = fc.integer({ min: 1, max: 40 })
const order = fc.record({
  action: fc.constantFrom('BUY', 'SELL'),
  priceType: fc.constantFrom('MARKET', 'LIMIT', 'SL', 'SL-M'),
  status: fc.constantFrom('open', 'trigger pending'),
  price: price.map(toMoney),
  triggerPrice: price.map(toMoney),
  marketProtection: fc.constant(null),
  opensAt: fc.constant(null),
})

test('a price is reached exactly when one of the waiting orders acts at it', () => {
  fc.assert(
    fc.property(fc.array(order, { maxLength: 5 }), price, (orders, ltp) => {
      const nearest = new NearestPrices()
      // Only a stop order waits for its trigger.
      const waiting = orders.map((one) =>
        one.priceType === 'LIMIT' || one.priceType === 'MARKET' ? { ...one, status: 'open' as const } : one,
      )
      for (const one of waiting) nearest.add(one)
      const quote = quoteOf({ symbol: 'SBIN', exchange: 'NSE' }, ltp)
      const acts = waiting.some((one) => {
        const result = match(one, quote, 'waiting')
        return 'fill' in result || result.status !== one.status
      })
      const fits = waiting.every((one) => one.priceType !== 'SL-M' || one.status === 'trigger pending')
      fc.pre(fits)
      expect(nearest.reachedBy(toMoney(ltp))).toBe(acts)
    }),
    { numRuns: 2000 },
  )
})
