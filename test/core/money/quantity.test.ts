import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  ceilTo,
  costAt,
  exactQuantity,
  floorTo,
  partCount,
  partsOf,
  percentOf,
  toMoney,
  unitPrice,
  unitsIn,
} from '../../../src/core/money/index.js'

/** Quantities of up to eight decimals, each with its whole number of hundred-millionths. */
const quantity = fc
  .integer({ min: 1, max: 10 ** 12 })
  .map((units) => ({ units: BigInt(units), value: units / 1e8 }))

test.each([
  [1.1, 0.1, 11],
  [0.7, 0.1, 7],
  [0.3, 0.1, 3],
  [100, 30, 4],
  [5, 10, 1],
])('%d in parts of %d makes %d parts', (whole, size, count) => {
  expect(partCount(whole, size)).toBe(count)
  expect(partsOf(whole, size).filter((part) => part > 0)).toHaveLength(count)
})

describe('parts of a quantity', () => {
  it('have the quantity as their sum, none is larger than the size, and only the last is smaller', () => {
    fc.assert(
      fc.property(quantity, fc.integer({ min: 1, max: 60 }), (whole, count) => {
        const size = whole.units / BigInt(count) + 1n
        const parts = partsOf(whole.value, Number(size) / 1e8).map((part) => BigInt(Math.round(part * 1e8)))
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(whole.units)
        expect(parts.slice(0, -1).every((part) => part === size)).toBe(true)
        expect((parts.at(-1) ?? 0n) <= size).toBe(true)
      }),
    )
  })

  it('have the right sum even if the size is finer than a quantity can be', () => {
    expect(partsOf(1.5e-6, 1.5e-8).reduce((sum, part) => exactQuantity(sum + part), 0)).toBe(1.5e-6)
    expect(unitPrice(toMoney(10), 1e-9)).toBe(0n)
  })

  it('of size zero are infinitely many', () => {
    expect(partCount(1, 0)).toBe(Number.POSITIVE_INFINITY)
  })
})

test('sums and differences of quantities have no rounding error', () => {
  fc.assert(
    fc.property(quantity, quantity, (a, b) => {
      expect(exactQuantity(a.value + b.value)).toBe(Number(a.units + b.units) / 1e8)
      expect(exactQuantity(a.value - b.value)).toBe(Number(a.units - b.units) / 1e8)
    }),
  )
})

test('the units in a contract are rounded once', () => {
  expect(unitsIn(3, 0.1)).toBe(0.3)
  expect(unitsIn(0.7, 0.001)).toBe(0.0007)
  expect(unitsIn(75, 1)).toBe(75)
})

test('an average price converts back to its cost', () => {
  expect(unitPrice(toMoney(100), 3)).toBe(333_333n)
  expect(unitPrice(toMoney(0.03), 0.3)).toBe(1000n)
  expect(unitPrice(toMoney(100), 0)).toBe(0n)
  expect(costAt(333.33333333, 3)).toBe(toMoney(1000))
  expect(costAt(1.15, 1.1)).toBe(toMoney(1.265))
})

test('a share in percent', () => {
  expect(percentOf(toMoney(1), toMoney(3))).toBe(33.33)
  expect(percentOf(toMoney(-1), toMoney(3))).toBe(-33.33)
  expect(percentOf(toMoney(1), 0n)).toBe(0)
})

test('floorTo and ceilTo enclose every amount', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
      fc.bigInt({ min: 1n, max: 10_000n }),
      (amount, step) => {
        const [low, high] = [floorTo(amount, step), ceilTo(amount, step)]
        expect(low % step).toBe(0n)
        expect(high % step).toBe(0n)
        expect(low <= amount && amount <= high && high - low <= step).toBe(true)
      },
    ),
  )
})
