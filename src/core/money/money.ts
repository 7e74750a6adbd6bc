/**
 * Exact money. An amount is a whole number of ten-thousandths of a rupee, so every tick size in use (0.05,
 * 0.01, 0.0025) is exact and sums never drift. Floats enter and leave only through the functions here.
 */
export type Money = bigint

/** Ten-thousandths in a rupee. */
export const MONEY_SCALE = 10_000n
const DECIMALS = 4
/** Fractional quantities (crypto) are exact to eight decimals. */
const QUANTITY_SCALE = 100_000_000n
const QUANTITY_DECIMALS = 8
/** Largest amount SQLite and JSON carry without loss: about 900 billion rupees. */
export const MAX_MONEY: Money = BigInt(Number.MAX_SAFE_INTEGER)

/** Below this, floats lie so dense that at most one decimal of four places reads as a given one. */
const EVIDENT_RUPEES = 1e10

const DECIMAL_TEXT = /^([+-]?)(\d+)(?:\.(\d+))?$/

/** Parses a decimal text or number into units of 10^-decimals, rounding half away from zero past the last. */
function toScaled(value: number | string, decimals: number): bigint {
  const text = typeof value === 'number' ? plainDecimal(value, decimals) : value.trim()
  const match = DECIMAL_TEXT.exec(text)
  if (!match) throw new RangeError(`not a decimal amount: ${JSON.stringify(value)}`)
  const fraction = (match[3] ?? '').padEnd(decimals + 1, '0')
  const units =
    BigInt((match[2] ?? '0') + fraction.slice(0, decimals)) + ((fraction[decimals] ?? '0') >= '5' ? 1n : 0n)
  return match[1] === '-' ? -units : units
}

/** A number's shortest decimal, without an exponent. */
function plainDecimal(value: number, decimals: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`not a decimal amount: ${value}`)
  const text = String(value)
  if (!text.includes('e')) return text
  // From 1e21 on `toFixed` answers with an exponent too; such numbers are whole.
  return Math.abs(value) < 1e21 ? value.toFixed(decimals + 1) : BigInt(value).toString()
}

/** Rupees (number or decimal text) to money. @throws RangeError when it is not a finite decimal */
export function toMoney(rupees: number | string): Money {
  if (typeof rupees === 'number' && Math.abs(rupees) < EVIDENT_RUPEES) {
    const units = Math.round(rupees * Number(MONEY_SCALE))
    if (units / Number(MONEY_SCALE) === rupees) return BigInt(units)
  }
  return toScaled(rupees, DECIMALS)
}

/** Money to rupees, for answers and displays; exact up to {@link MAX_MONEY}. */
export function fromMoney(money: Money): number {
  return Number(money) / Number(MONEY_SCALE)
}

/** Rupees rounded to whole paise, as answers show amounts. */
export function toRupees(money: Money): number {
  return Number(divRound(money, 100n)) / 100
}

/** Decimal text with `places` (0 to 4) digits after the point, rounded half away from zero, no grouping. */
export function formatMoney(money: Money, places = 2): string {
  const units = divRound(money, 10n ** BigInt(DECIMALS - places))
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const sign = units < 0n ? '-' : ''
  return places === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-places)}`
}

/** Price times quantity. Exact for whole quantities; fractional ones (crypto) round to the last unit. */
export function timesQuantity(price: Money, quantity: number): Money {
  if (Number.isInteger(quantity)) return price * BigInt(quantity)
  return divRound(price * toScaled(quantity, QUANTITY_DECIMALS), QUANTITY_SCALE)
}

/** Division rounded half away from zero. @throws RangeError on a zero divisor */
export function divRound(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n !== divisor < 0n
  const a = dividend < 0n ? -dividend : dividend
  const b = divisor < 0n ? -divisor : divisor
  const rounded = (2n * a + b) / (2n * b)
  return negative ? -rounded : rounded
}

/** The share `part / whole` of an amount, rounded towards zero, so that shares never add up to more. */
export function shareOf(amount: Money, part: number, whole: number): Money {
  if (part === whole) return amount
  if (Number.isInteger(part) && Number.isInteger(whole)) return (amount * BigInt(part)) / BigInt(whole)
  return (amount * toScaled(part, QUANTITY_DECIMALS)) / toScaled(whole, QUANTITY_DECIMALS)
}

/** Whether a quantity is a whole number of units of the given size, and at least one. Both count to eight decimals. */
export function isMultipleOf(quantity: number, unit: number): boolean {
  const [amount, size] = [toScaled(quantity, QUANTITY_DECIMALS), toScaled(unit, QUANTITY_DECIMALS)]
  return size > 0n && amount >= size && amount % size === 0n
}

/** Money as a SQLite integer. @throws RangeError past {@link MAX_MONEY}: better no order than a wrong ledger */
export function toColumn(money: Money): number {
  if (money > MAX_MONEY || money < -MAX_MONEY) throw new RangeError('amount exceeds what the ledger can hold')
  return Number(money)
}

/** A SQLite integer as money. */
export function fromColumn(value: number): Money {
  return BigInt(value)
}
