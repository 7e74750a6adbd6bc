import { expect, it } from 'vitest'
import { requireReachable } from '../../../../../src/core/brokers/kit/books/triggers.js'

const leg = (kind: 'stop' | 'target', triggerPrice: number) => ({ kind, triggerPrice, price: 0 })

it('takes a stop below the last price and a target above it', () => {
  expect(() => requireReachable(leg('stop', 99), 100, 'Testbroker')).not.toThrow()
  expect(() => requireReachable(leg('target', 101), 100, 'Testbroker')).not.toThrow()
})

it.each([
  ['stop', 100, 'triggerprice_sl 100 must be below the last price 100 at Testbroker.'],
  ['stop', 101, 'triggerprice_sl 101 must be below the last price 100 at Testbroker.'],
  ['target', 100, 'triggerprice_tg 100 must be above the last price 100 at Testbroker.'],
  ['target', 99, 'triggerprice_tg 99 must be above the last price 100 at Testbroker.'],
] as const)(
  'refuses a %s at %s, which would fire at once or wait for the other side',
  (kind, trigger, message) => {
    expect(() => requireReachable(leg(kind, trigger), 100, 'Testbroker')).toThrow(
      expect.objectContaining({ kind: 'validation', sent: 'never', message }),
    )
  },
)
