import { expect, test } from 'vitest'
import {
  freezeProblem,
  largestOrderOf,
  piecesOf,
  sizeProblem,
} from '../../../../src/core/instruments/index.js'
import { instrument } from '../../sandbox/harness.js'

const NIFTY = instrument({ symbol: 'NIFTY29DEC26FUT', exchange: 'NFO', lotSize: 65 })
const largest = (freeze: number | undefined) =>
  largestOrderOf({ find: () => NIFTY, freezeQuantity: () => freeze }, NIFTY)

test('the largest order is the freeze quantity in whole lots, and never none', () => {
  expect([1800, 65, 10, undefined].map(largest)).toEqual([1755, 65, 65, undefined])
})

test('an unknown contract has no largest order', () => {
  expect(largestOrderOf({ find: () => undefined, freezeQuantity: () => 1800 }, NIFTY)).toBeUndefined()
})

test.each([
  [3510, 1755, [1755, 1755]],
  [3575, 1755, [1755, 1755, 65]],
  [1755, 1755, [1755]],
  [65, undefined, [65]],
  // An odd quantity, held since before a change of the lot size, goes with the last piece.
  [1800, 1755, [1755, 45]],
])('%d is sent in orders of at most %s: %j', (quantity, most, pieces) => {
  expect(piecesOf(quantity, most)).toEqual(pieces)
})

test('the refusal of a quantity names the way out', () => {
  expect(freezeProblem(3510, 1800)).toBe(
    'Quantity 3510 exceeds the freeze quantity 1800: split it (svc order split, splitorder, or splitsize of an options order)',
  )
  expect([freezeProblem(1800, 1800), freezeProblem(9999, undefined)]).toEqual([undefined, undefined])
})

test.each([1800, 65, 10])(
  'the largest order keeps the rules of the exchange (freeze quantity %d)',
  (freeze) => {
    const rules = { ...NIFTY, freezeQuantity: freeze }
    const most = largest(freeze) ?? 0
    expect(sizeProblem(most, rules)).toBeUndefined()
    expect(sizeProblem(most + NIFTY.lotSize, rules)).toMatchObject({ code: 'FREEZE_QUANTITY' })
  },
)
