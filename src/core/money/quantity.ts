import type { Money } from './money.js'
import { divRound, toScaled } from './scaled.js'

/**
 * Quantities. Shares and contracts are whole numbers; fractions (crypto) are exact to eight decimals. A
 * quantity is a JavaScript number, and all arithmetic except addition happens in this file.
 */
const SCALE = 100_000_000n
const DECIMALS = 8
/** Units of money per paisa. */
const UNITS_PER_PAISA = 100n

/**
 * Removes binary rounding errors from a sum or difference of quantities: whole numbers stay whole, fractions
 * keep eight decimals.
 */
export function exactQuantity(quantity: number): number {
  return Number.isInteger(quantity) ? quantity : Math.round(quantity * 1e8) / 1e8
}

/**
 * Multiplies a price by a quantity. Exact for whole quantities; fractional ones round to the last unit of
 * money.
 */
export function timesQuantity(price: Money, quantity: number): Money {
  if (Number.isInteger(quantity)) return price * BigInt(quantity)
  return divRound(price * toScaled(quantity, DECIMALS), SCALE)
}

/**
 * Returns a quantity in hundred-millionths. Values of such quantities ({@link exactValue}) round only once, in
 * {@link valueToRupees}, after they are summed.
 */
export function quantityUnits(quantity: number): bigint {
  return toScaled(quantity, DECIMALS)
}

/** Multiplies an amount by the value of one contract. */
export function timesContract(amount: Money, contractValue: number): Money {
  return contractValue === 1 ? amount : timesQuantity(amount, contractValue)
}

/** Returns the value of a quantity: price × quantity × the value of one contract. */
export function orderValue(price: Money, quantity: number, contractValue = 1): Money {
  return timesContract(timesQuantity(price, quantity), contractValue)
}

/** Multiplies a price by {@link quantityUnits}, without rounding. */
export function exactValue(price: Money, units: bigint): bigint {
  return price * units
}

/** Returns the {@link quantityUnits} that a value buys at a price. */
export function unitsFor(value: Money, price: Money): bigint {
  return divRound(value * SCALE, price)
}

/** Converts a sum of exact values to rupees rounded to whole paise. */
export function valueToRupees(sum: bigint): number {
  return Number(divRound(sum, SCALE * UNITS_PER_PAISA)) / 100
}

/** Returns the units of the underlying in a quantity of contracts of `contractValue` units each. */
export function unitsIn(quantity: number, contractValue: number): number {
  if (contractValue === 1) return quantity
  const units = divRound(toScaled(quantity, DECIMALS) * toScaled(contractValue, DECIMALS), SCALE)
  return Number(units) / Number(SCALE)
}

/**
 * Returns the cost per unit, rounded to the last unit of money. Returns 0 if the quantity is 0 to eight
 * decimals.
 */
export function unitPrice(cost: Money, quantity: number): Money {
  if (quantity === 0) return 0n
  if (Number.isInteger(quantity)) return divRound(cost, BigInt(quantity))
  const units = toScaled(quantity, DECIMALS)
  return units === 0n ? 0n : divRound(cost * SCALE, units)
}

/**
 * Returns the share `part / whole` of an amount. It rounds towards zero, so the sum of shares never exceeds
 * the amount.
 */
export function shareOf(amount: Money, part: number, whole: number): Money {
  if (part === whole) return amount
  if (Number.isInteger(part) && Number.isInteger(whole)) return (amount * BigInt(part)) / BigInt(whole)
  return (amount * toScaled(part, DECIMALS)) / toScaled(whole, DECIMALS)
}

/** Returns whether a quantity is a whole multiple (at least one) of the unit, compared to eight decimals. */
export function isMultipleOf(quantity: number, unit: number): boolean {
  const [amount, size] = [toScaled(quantity, DECIMALS), toScaled(unit, DECIMALS)]
  return size > 0n && amount >= size && amount % size === 0n
}

/** Returns how many parts of at most `size` a quantity is split into; infinity if `size` is 0. */
export function partCount(quantity: number, size: number): number {
  const [amount, most] = [toScaled(quantity, DECIMALS), toScaled(size, DECIMALS)]
  return most > 0n ? Number((amount + most - 1n) / most) : Number.POSITIVE_INFINITY
}

/** Returns the sizes of the parts: full ones first, the remainder last. Their sum is the quantity. */
export function partsOf(quantity: number, size: number): number[] {
  const most = toScaled(size, DECIMALS)
  let left = toScaled(quantity, DECIMALS)
  return Array.from({ length: partCount(quantity, size) }, () => {
    const part = left < most ? left : most
    left -= part
    return Number(part) / Number(SCALE)
  })
}

/** Returns the decimals needed to write a multiple of the tick exactly: 0.05 has 2, 0.0025 has 4. */
export function decimalsOf(tick: number): number {
  for (let decimals = 0; decimals < 8; decimals++) {
    const scaled = tick * 10 ** decimals
    if (Math.abs(scaled - Math.round(scaled)) < 1e-9) return decimals
  }
  return 8
}
