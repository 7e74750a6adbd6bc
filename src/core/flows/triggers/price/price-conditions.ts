/** What price alerts wait for (specification, "Price alert conditions"). */

/** The levels of an alert; which of them a condition needs, {@link PRICE_CONDITIONS} says. */
export interface PriceLevels {
  /** Canonical name of the condition. */
  condition: string
  price?: number | undefined
  lower?: number | undefined
  upper?: number | undefined
  percentage?: number | undefined
}

/** `none` compares with the price of the last look only. */
export type Needs = 'price' | 'channel' | 'percentage' | 'none'

/** What is not there is not a number, so that every comparison with it fails. */
interface Look {
  ltp: number
  /** The price of the last look. */
  previous: number
  price: number
  lower: number
  upper: number
  percentage: number
}

interface PriceCondition {
  needs: Needs
  holds(look: Look): boolean
  /** The question without a previous price; undefined when it cannot be asked then. */
  atOnce?(look: Look): boolean
}

/** `crossing` is within this share of the target. */
const CROSSING_SHARE = 0.001
/** Prices have few decimals and fractions have none that are exact: forgives the rounding of a subtraction. */
const ROUNDING = 1e-9

const inside = ({ ltp, lower, upper }: Look): boolean => ltp >= lower && ltp <= upper
const outside = ({ ltp, lower, upper }: Look): boolean => ltp < lower || ltp > upper
const risenBy = ({ ltp, previous }: Look): number => ((ltp - previous) / previous) * 100
const above = ({ ltp, price }: Look): boolean => ltp > price
const below = ({ ltp, price }: Look): boolean => ltp < price
const near = ({ ltp, price }: Look): boolean => Math.abs(ltp - price) <= price * (CROSSING_SHARE + ROUNDING)

export const PRICE_CONDITIONS: Readonly<Record<string, PriceCondition>> = {
  greater_than: { needs: 'price', holds: above, atOnce: above },
  less_than: { needs: 'price', holds: below, atOnce: below },
  crossing: { needs: 'price', holds: near, atOnce: near },
  crossing_up: { needs: 'price', holds: (look) => look.previous <= look.price && above(look), atOnce: above },
  crossing_down: {
    needs: 'price',
    holds: (look) => look.previous >= look.price && below(look),
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
    holds: (look) => risenBy(look) >= look.percentage - ROUNDING,
  },
  moving_down_percent: {
    needs: 'percentage',
    holds: (look) => -risenBy(look) >= look.percentage - ROUNDING,
  },
}

/** Other words for conditions in saved graphs. */
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

/** The name under which a condition is known; undefined for a word that is none. */
export function canonicalCondition(text: string): string | undefined {
  const word = text.trim().toLowerCase().replaceAll('-', '_')
  const name = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word
  return name !== undefined && Object.hasOwn(PRICE_CONDITIONS, name) ? name : undefined
}

/** Thrown for a condition nobody knows: it must be told, not taken for a no. */
export class UnknownConditionError extends Error {
  constructor(condition: string) {
    super(`Unknown price alert condition: ${condition}`)
    this.name = 'UnknownConditionError'
  }
}

/**
 * Whether a price meets an alert, given the price of the last look. Without one, crossings up and down and moves
 * do not hold. @throws UnknownConditionError
 */
export function priceMeets(levels: PriceLevels, ltp: number, previous: number | undefined): boolean {
  return conditionOf(levels).holds(lookOf(levels, ltp, previous))
}

/**
 * The same in a run that no alert started, where there is no last look: crossings up and down ask on which side
 * the price is. @throws UnknownConditionError and Error for a condition that needs the last look
 */
export function priceMeetsAtOnce(levels: PriceLevels, ltp: number): boolean {
  const { atOnce } = conditionOf(levels)
  if (atOnce) return atOnce(lookOf(levels, ltp, undefined))
  throw new Error(
    `${levels.condition} needs the previous tick and can only be evaluated by the price monitor; start the workflow by its alert`,
  )
}

function conditionOf({ condition }: PriceLevels): PriceCondition {
  const found = Object.hasOwn(PRICE_CONDITIONS, condition) ? PRICE_CONDITIONS[condition] : undefined
  if (!found) throw new UnknownConditionError(condition)
  return found
}

function lookOf(levels: PriceLevels, ltp: number, previous: number | undefined): Look {
  const { price = Number.NaN, lower = Number.NaN, upper = Number.NaN, percentage = Number.NaN } = levels
  return { price, lower, upper, percentage, ltp, previous: previous ?? Number.NaN }
}
