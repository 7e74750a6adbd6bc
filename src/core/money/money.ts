import { divRound, toScaled } from './scaled.js'

/**
 * Exact money. An amount is a whole number of ten-thousandths of a rupee, so every tick size in use (0.05,
 * 0.01, 0.0025) is exact and sums never drift. Floats enter and leave only through the functions here.
 */
export type Money = bigint

/** Ten-thousandths in a rupee. */
export const MONEY_SCALE = 10_000n
const DECIMALS = 4
/** Averages and fractional quantities are exact to eight decimals; their products have twice as many. */
const FINE_DECIMALS = 8
const FINE_SCALE = 10n ** BigInt(2 * FINE_DECIMALS - DECIMALS)
/** Largest amount SQLite and JSON carry without loss: about 900 billion rupees. */
export const MAX_MONEY: Money = BigInt(Number.MAX_SAFE_INTEGER)

/** Below this, floats lie so dense that at most one decimal of four places reads as a given one. */
const EVIDENT_RUPEES = 1e10

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

/** A price of more decimals than money has (an average) times a quantity, rounded once, at the end. */
export function costAt(price: number, quantity: number): Money {
  return divRound(toScaled(price, FINE_DECIMALS) * toScaled(quantity, FINE_DECIMALS), FINE_SCALE)
}

/** `part` of `whole` in percent, rounded to two decimals; 0 of nothing. */
export function percentOf(part: Money, whole: Money): number {
  return whole === 0n ? 0 : Number(divRound(part * 10_000n, whole)) / 100
}

/** The largest multiple of a step that is not above an amount. */
export function floorTo(amount: Money, step: Money): Money {
  const over = amount % step
  return amount - (over < 0n ? over + step : over)
}

/** The smallest multiple of a step that is not below an amount. */
export function ceilTo(amount: Money, step: Money): Money {
  return -floorTo(-amount, step)
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
