import { divRound, toScaled } from './scaled.js'

/**
 * Exact money. An amount is a whole number of ten-thousandths of a rupee, so every tick size in use (0.05,
 * 0.01, 0.0025) is exact and sums never drift. Conversions from and to floats happen only in the functions
 * here.
 */
export type Money = bigint

/** Ten-thousandths per rupee. */
export const MONEY_SCALE = 10_000n
const DECIMALS = 4
/** Averages and fractional quantities are exact to eight decimals; their products have sixteen. */
const FINE_DECIMALS = 8
const FINE_SCALE = 10n ** BigInt(2 * FINE_DECIMALS - DECIMALS)
/** The largest amount that SQLite and JSON store without loss: about 900 billion rupees. */
export const MAX_MONEY: Money = BigInt(Number.MAX_SAFE_INTEGER)

/** Below this amount, a float identifies at most one decimal of four places. */
const EVIDENT_RUPEES = 1e10

/** Converts rupees (number or decimal text) to money. @throws RangeError if it is not a finite decimal */
export function toMoney(rupees: number | string): Money {
  if (typeof rupees === 'number' && Math.abs(rupees) < EVIDENT_RUPEES) {
    const units = Math.round(rupees * Number(MONEY_SCALE))
    if (units / Number(MONEY_SCALE) === rupees) return BigInt(units)
  }
  return toScaled(rupees, DECIMALS)
}

/** Converts money to rupees, for responses and displays; exact up to {@link MAX_MONEY}. */
export function fromMoney(money: Money): number {
  return Number(money) / Number(MONEY_SCALE)
}

/** Converts money to rupees rounded to whole paise, as responses show amounts. */
export function toRupees(money: Money): number {
  return Number(divRound(money, 100n)) / 100
}

/** Returns whether two amounts in rupees are the same money: 812.5500000000001 and 812.55 are. */
export function isSameMoney(one: number, other: number): boolean {
  return one === other || toMoney(one) === toMoney(other)
}

/** Returns the sum of amounts in rupees, rounded to paise: floats would leave noise such as 798802.9999999999. */
export function sumOfRupees(amounts: readonly number[]): number {
  return toRupees(amounts.reduce((sum, amount) => sum + toMoney(amount), 0n))
}

/** Formats money with `places` (0 to 4) decimals, rounded half away from zero, without grouping. */
export function formatMoney(money: Money, places = 2): string {
  const units = divRound(money, 10n ** BigInt(DECIMALS - places))
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const sign = units < 0n ? '-' : ''
  return places === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-places)}`
}

/** Returns an amount for a message to a person, with the grouping of India: `₹12,34,567.50`. */
export function rupeesText(money: Money): string {
  return `₹${formatMoney(money).replace(/\B(?=(\d{2})*\d{3}\.)/g, ',')}`
}

/**
 * Multiplies a price with more decimals than money has (an average) by a quantity. Rounds once, at the end.
 */
export function costAt(price: number, quantity: number): Money {
  return divRound(toScaled(price, FINE_DECIMALS) * toScaled(quantity, FINE_DECIMALS), FINE_SCALE)
}

/** Returns `part` of `whole` in percent, rounded to two decimals; 0 if `whole` is 0. */
export function percentOf(part: Money, whole: Money): number {
  return whole === 0n ? 0 : Number(divRound(part * 10_000n, whole)) / 100
}

/** Returns the largest multiple of `step` that is not above the amount. */
export function floorTo(amount: Money, step: Money): Money {
  const over = amount % step
  return amount - (over < 0n ? over + step : over)
}

/** Returns the smallest multiple of `step` that is not below the amount. */
export function ceilTo(amount: Money, step: Money): Money {
  return -floorTo(-amount, step)
}

/**
 * Converts money to a SQLite integer. @throws RangeError above {@link MAX_MONEY}: failing an order is better
 * than a wrong ledger
 */
export function toColumn(money: Money): number {
  if (money > MAX_MONEY || money < -MAX_MONEY)
    throw new RangeError('amount exceeds the maximum of the ledger')
  return Number(money)
}

/** Converts a SQLite integer to money. */
export function fromColumn(value: number): Money {
  return BigInt(value)
}
