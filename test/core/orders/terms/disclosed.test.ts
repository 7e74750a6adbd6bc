import { expect, test } from 'vitest'
import { keptDisclosed } from '../../../../src/core/orders/terms/disclosed.js'

test.each([
  // exchange, quantity and disclosed quantity of the order, quantity that it will have, disclosed quantity then
  ['NSE', 100, 40, 100, 40],
  ['NSE', 100, 40, 30, 30],
  ['NSE', 100, 40, 400, 40],
  ['NSE', 100, 40, 500, 50],
  ['BSE', 100, 10, 101, 11],
  // An order that does not grow keeps what its exchange took.
  ['NSE', 500, 40, 500, 40],
  ['NSE', 500, 40, 450, 40],
  // Other exchanges have other rules.
  ['MCX', 100, 25, 1000, 25],
  // The market sees all of it.
  ['NSE', 100, undefined, 500, 0],
  ['NSE', 100, 0, 500, 0],
])('of %s %i showing %j that becomes %i the market sees %i', (exchange, quantity, disclosed, then, kept) => {
  expect(keptDisclosed({ exchange, quantity, disclosed }, then)).toBe(kept)
})
