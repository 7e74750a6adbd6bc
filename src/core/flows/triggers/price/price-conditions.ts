/** The levels of a price alert. {@link PRICE_CONDITIONS} says which levels each condition needs. */
export interface PriceLevels {
  /** Canonical name of the condition. */
  condition: string
  price?: number | undefined
  lower?: number | undefined
  upper?: number | undefined
  percentage?: number | undefined
}

/** `none` compares only with the previous price. */
export type Needs = 'price' | 'channel' | 'percentage' | 'none'

/** The prices that a condition compares. A missing value is NaN, so every comparison with it fails. */
interface PriceCheck {
  ltp: number
  /** The price of the previous check. */
  previous: number
  price: number
  lower: number
  upper: number
  percentage: number
}

interface PriceCondition {
  needs: Needs
  holds(check: PriceCheck): boolean
  /** The check without a previous price; undefined if the condition needs one. */
  atOnce?(check: PriceCheck): boolean
}

/** `crossing` holds within this share of the target. */
const CROSSING_SHARE = 0.001
/** Tolerance for the rounding error of floating-point subtraction. */
const ROUNDING = 1e-9

const inside = ({ ltp, lower, upper }: PriceCheck): boolean => ltp >= lower && ltp <= upper
const outside = ({ ltp, lower, upper }: PriceCheck): boolean => ltp < lower || ltp > upper
const risenBy = ({ ltp, previous }: PriceCheck): number => ((ltp - previous) / previous) * 100
const above = ({ ltp, price }: PriceCheck): boolean => ltp > price
const below = ({ ltp, price }: PriceCheck): boolean => ltp < price
const near = ({ ltp, price }: PriceCheck): boolean =>
  Math.abs(ltp - price) <= price * (CROSSING_SHARE + ROUNDING)

export const PRICE_CONDITIONS: Readonly<Record<string, PriceCondition>> = {
  greater_than: { needs: 'price', holds: above, atOnce: above },
  less_than: { needs: 'price', holds: below, atOnce: below },
  crossing: { needs: 'price', holds: near, atOnce: near },
  crossing_up: {
    needs: 'price',
    holds: (check) => check.previous <= check.price && above(check),
    atOnce: above,
  },
  crossing_down: {
    needs: 'price',
    holds: (check) => check.previous >= check.price && below(check),
    atOnce: below,
  },
  entering_channel: { needs: 'channel', holds: inside, atOnce: inside },
  inside_channel: { needs: 'channel', holds: inside, atOnce: inside },
  exiting_channel: { needs: 'channel', holds: outside, atOnce: outside },
  outside_channel: { needs: 'channel', holds: outside, atOnce: outside },
  moving_up: { needs: 'none', holds: ({ ltp, previous }) => ltp > previous },
  moving_down: { needs: 'none', holds: ({ ltp, previous }) => ltp < previous },
  moving_up_percent: {
    needs: 'percentage',
    holds: (check) => risenBy(check) >= check.percentage - ROUNDING,
  },
  moving_down_percent: {
    needs: 'percentage',
    holds: (check) => -risenBy(check) >= check.percentage - ROUNDING,
  },
}

/** Other names of conditions in stored graphs. */
const ALIASES: Readonly<Record<string, string>> = {
  above: 'greater_than',
  price_above: 'greater_than',
  below: 'less_than',
  price_below: 'less_than',
  crosses: 'crossing',
  crosses_above: 'crossing_up',
  cross_above: 'crossing_up',
  crosses_below: 'crossing_down',
  cross_below: 'crossing_down',
}

/** The names of conditions, the older ones last. */
export const CONDITION_NAMES = [...Object.keys(PRICE_CONDITIONS), ...Object.keys(ALIASES)]

/** Returns the canonical name of a condition; undefined for an unknown word. */
export function canonicalCondition(text: string): string | undefined {
  const word = text.trim().toLowerCase().replaceAll('-', '_')
  const name = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word
  return name !== undefined && Object.hasOwn(PRICE_CONDITIONS, name) ? name : undefined
}

/** Thrown for an unknown condition, so that it is reported and does not count as false. */
class UnknownConditionError extends Error {
  constructor(condition: string) {
    super(`Unknown price alert condition: ${condition}`)
    this.name = 'UnknownConditionError'
  }
}

/**
 * Returns whether a price meets an alert. Without a previous price, crossings up and down and moves do not
 * hold.
 *
 * @throws UnknownConditionError
 */
export function priceMeets(levels: PriceLevels, ltp: number, previous: number | undefined): boolean {
  return conditionOf(levels).holds(checkOf(levels, ltp, previous))
}

/**
 * Returns whether a price meets an alert in a run that no alert started. There is no previous price, so
 * crossings up and down only test on which side of the target the price is.
 *
 * @throws UnknownConditionError, and Error for a condition that needs the previous price
 */
export function priceMeetsAtOnce(levels: PriceLevels, ltp: number): boolean {
  const { atOnce } = conditionOf(levels)
  if (atOnce) return atOnce(checkOf(levels, ltp, undefined))
  throw new Error(
    `${levels.condition} needs the previous tick, which only the price monitor has; start the workflow by its alert`,
  )
}

function conditionOf({ condition }: PriceLevels): PriceCondition {
  const found = Object.hasOwn(PRICE_CONDITIONS, condition) ? PRICE_CONDITIONS[condition] : undefined
  if (!found) throw new UnknownConditionError(condition)
  return found
}

function checkOf(levels: PriceLevels, ltp: number, previous: number | undefined): PriceCheck {
  const { price = Number.NaN, lower = Number.NaN, upper = Number.NaN, percentage = Number.NaN } = levels
  return { price, lower, upper, percentage, ltp, previous: previous ?? Number.NaN }
}
