import { expect, test } from 'vitest'
import {
  limitBeyond,
  protectedLimit,
  protectionPercent,
} from '../../../../../src/core/brokers/kit/books/protection.js'
import { EVERY_SYMBOL } from '../../zerodha/rig.js'

function instrument(instrumentType: string, tickSize = 0.05) {
  const known = EVERY_SYMBOL.find('X', 'NSE')
  if (!known) throw new Error('not listed')
  return { ...known, instrumentType, tickSize }
}

test.each([
  // Shares and futures: 2 % below 100, 1 % up to 500, 0.5 % above.
  ['EQ', 'BUY', 99.95, 101.95],
  ['EQ', 'BUY', 100, 101],
  ['EQ', 'SELL', 500, 495],
  ['EQ', 'BUY', 500.05, 502.55],
  ['FUT', 'SELL', 24_000, 23_880],
  // Options: 5 % below 10, 3 % below 100, 2 % up to 500, 1 % above.
  ['CE', 'BUY', 9.95, 10.45],
  ['PE', 'SELL', 10, 9.7],
  ['CE', 'BUY', 99.95, 102.95],
  ['CE', 'BUY', 100, 102],
  ['CE', 'BUY', 310, 316.2],
  ['PE', 'SELL', 500, 490],
  ['CE', 'BUY', 1000, 1010],
] as const)('%s %s at %d has the protected limit %d', (type, action, base, limit) => {
  expect(protectedLimit(action, base, instrument(type))).toBe(limit)
})

test('the limit lies on a tick, and is at least one', () => {
  expect(protectedLimit('BUY', 84.5525, instrument('FUT', 0.0025))).toBe(86.2425)
  expect(protectedLimit('SELL', 0.05, instrument('CE'))).toBe(0.05)
})

test.each([
  ['EQ', 'BUY', 100.1, 101.15],
  ['EQ', 'SELL', 100.1, 99.05],
  ['FUT', 'BUY', 500, 505],
  ['CE', 'SELL', 310, 303.8],
  // At least one tick past the trigger.
  ['CE', 'BUY', 0.05, 0.1],
  ['CE', 'SELL', 0.1, 0.05],
  ['CE', 'SELL', 0.05, undefined],
] as const)(
  'a stop of a %s to %s at %d has its limit at %d, away from the trigger',
  (type, action, trigger, limit) => {
    expect(limitBeyond(action, trigger, instrument(type))).toBe(limit)
  },
)

test.each([
  ['EQ', 99.95, 2],
  ['EQ', 100, 1],
  ['FUT', 24_000, 1],
  ['CE', 9.95, 5],
  ['PE', 99.95, 3],
  ['CE', 500, 2],
  ['CE', 500.05, 1],
] as const)('the protection of a %s at %d is %d whole percent', (type, base, percent) => {
  expect(protectionPercent(base, instrument(type))).toBe(percent)
})
