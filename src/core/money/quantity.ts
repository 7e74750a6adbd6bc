import type { Money } from './money.js'
import { divRound, toScaled } from './scaled.js'

/**
 * Quantities. Shares and contracts are whole numbers; fractions (crypto) are exact to eight decimals. They travel as
 * numbers, and everything that is done with them but adding is done here.
 */
const SCALE = 100_000_000n
const DECIMALS = 8

/** A sum or a difference of quantities without binary dust: whole numbers stay whole, fractions keep eight decimals. */
export function exactQuantity(quantity: number): number {
  return Number.isInteger(quantity) ? quantity : Math.round(quantity * 1e8) / 1e8
}

/** Price times quantity. Exact for whole quantities; fractional ones round to the last unit of money. */
export function timesQuantity(price: Money, quantity: number): Money {
  if (Number.isInteger(quantity)) return price * BigInt(quantity)
  return divRound(price * toScaled(quantity, DECIMALS), SCALE)
}

/** Units of the underlying in a quantity of a contract that is worth `contractValue` of them each. */
export function unitsIn(quantity: number, contractValue: number): number {
  if (contractValue === 1) return quantity
  const units = divRound(toScaled(quantity, DECIMALS) * toScaled(contractValue, DECIMALS), SCALE)
  return Number(units) / Number(SCALE)
}

/** What one unit cost, rounded to the last unit of money; 0 for no units, which less than eight decimals tell are. */
export function unitPrice(cost: Money, quantity: number): Money {
  if (quantity === 0) return 0n
  if (Number.isInteger(quantity)) return divRound(cost, BigInt(quantity))
  const units = toScaled(quantity, DECIMALS)
  return units === 0n ? 0n : divRound(cost * SCALE, units)
}

/** The share `part / whole` of an amount, rounded towards zero, so that shares never add up to more. */
export function shareOf(amount: Money, part: number, whole: number): Money {
  if (part === whole) return amount
  if (Number.isInteger(part) && Number.isInteger(whole)) return (amount * BigInt(part)) / BigInt(whole)
  return (amount * toScaled(part, DECIMALS)) / toScaled(whole, DECIMALS)
}

/** Whether a quantity is a whole number of units of the given size, and at least one. Both count to eight decimals. */
export function isMultipleOf(quantity: number, unit: number): boolean {
  const [amount, size] = [toScaled(quantity, DECIMALS), toScaled(unit, DECIMALS)]
  return size > 0n && amount >= size && amount % size === 0n
}

/** How many parts of at most `size` a quantity makes; infinitely many of no size at all. */
export function partCount(quantity: number, size: number): number {
  const [amount, most] = [toScaled(quantity, DECIMALS), toScaled(size, DECIMALS)]
  return most > 0n ? Number((amount + most - 1n) / most) : Number.POSITIVE_INFINITY
}

/** The parts themselves: full ones first, the remainder last. They add up to the quantity. */
export function partsOf(quantity: number, size: number): number[] {
  const most = toScaled(size, DECIMALS)
  let left = toScaled(quantity, DECIMALS)
  return Array.from({ length: partCount(quantity, size) }, () => {
    const part = left < most ? left : most
    left -= part
    return Number(part) / Number(SCALE)
  })
}
