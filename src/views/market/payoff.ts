import type { Action } from '../../core/orders/vocabulary.js'

/** A contract of one expiry, bought or sold. */
export type PayoffLeg = (OptionTerms | FutureTerms) & {
  action: Action
  /** In units of the underlying. */
  quantity: number
  /** The entry price, with at most four decimals. */
  price: number
}

interface OptionTerms {
  kind: 'CE' | 'PE'
  strike: number
}

interface FutureTerms {
  kind: 'FUT'
}

/** The result of all legs together at one price of the underlying. */
export interface PayoffPoint {
  price: number
  profit: number
}

/** A result that grows with the price of the underlying has no limit. Below it always has one: no price is under zero. */
export type Limit = number | 'unlimited'

/** What legs of one expiry are worth at that expiry, before costs. */
export interface Payoff {
  /** The prices of the underlying where the result is zero, lowest first. A stretch of zeros has its ends. */
  breakEvens: readonly number[]
  /** The best result: a profit is above zero. */
  best: Limit
  /** The worst result: a loss is below zero. */
  worst: Limit
  /** The premium received for the options, less the premium paid. A future has none. */
  premium: number
}

/** Prices of the underlying. */
export interface PriceRange {
  from: number
  to: number
}

/** The finest tick is a quarter of a hundredth: whole numbers of this share add up without an error. */
const SHARES = 10_000

const whole = (price: number) => Math.round(price * SHARES)
const signed = ({ action, quantity }: PayoffLeg) => (action === 'BUY' ? quantity : -quantity)

/** Returns the payoff of legs at their expiry. */
export function payoffOf(legs: readonly PayoffLeg[]): Payoff {
  const kinks = kinksOf(legs).map((at) => ({ at, value: valueAt(legs, at) }))
  const slope = lastSlope(legs)
  const values = kinks.map(({ value }) => value / SHARES)
  const premium = legs.reduce(
    (sum, leg) => (leg.kind === 'FUT' ? sum : sum - signed(leg) * whole(leg.price)),
    0,
  )
  return {
    breakEvens: breakEvensOf(kinks, slope),
    best: slope > 0 ? 'unlimited' : Math.max(...values) + 0,
    worst: slope < 0 ? 'unlimited' : Math.min(...values) + 0,
    premium: premium / SHARES + 0,
  }
}

/** Returns the result at expiry for a price of the underlying. */
export const profitAt = (legs: readonly PayoffLeg[], price: number): number =>
  valueAt(legs, price * SHARES) / SHARES + 0

/** Returns the line of the payoff over a range: its ends and each kink between them. */
export function payoffPoints(legs: readonly PayoffLeg[], { from, to }: PriceRange): readonly PayoffPoint[] {
  const kinks = kinksOf(legs).map((at) => at / SHARES)
  const inside = kinks.filter((price) => price > from && price < to)
  return [from, ...inside, to].map((price) => ({ price, profit: profitAt(legs, price) }))
}

/** The room at both sides of a chart, as a share of its span and of its prices. */
const [SPAN_ROOM, PRICE_ROOM] = [0.25, 0.02]
/** Break-evens farther than this share of the price are named only: a chart with them would show nothing else. */
const FAR = 0.5

/**
 * Returns the range in which the legs are decided: their strikes, the price of the underlying, and the break-evens that
 * are not far away, with room at both sides.
 */
export function payoffRange(
  legs: readonly PayoffLeg[],
  breakEvens: readonly number[],
  price?: number,
): PriceRange {
  const marks = legs.map((leg) => (leg.kind === 'FUT' ? leg.price : leg.strike))
  if (price !== undefined) marks.push(price)
  const [low, high] = [Math.min(...marks), Math.max(...marks)]
  const near = breakEvens.filter((one) => one >= low * (1 - FAR) && one <= high * (1 + FAR))
  const [first, last] = [Math.min(low, ...near), Math.max(high, ...near)]
  const room = Math.max(SPAN_ROOM * (last - first), PRICE_ROOM * last)
  return { from: Math.max(0, first - room), to: last + room }
}

/** Returns the prices where the line of the payoff turns, with zero, where it begins; in shares of a rupee. */
function kinksOf(legs: readonly PayoffLeg[]): readonly number[] {
  const strikes = legs.flatMap((leg) => (leg.kind === 'FUT' ? [] : whole(leg.strike)))
  return [...new Set([0, ...strikes])].sort((one, other) => one - other)
}

/** Returns the result for a price of the underlying, both in shares of a rupee. */
const valueAt = (legs: readonly PayoffLeg[], at: number): number =>
  legs.reduce((sum, leg) => sum + signed(leg) * (worthAt(leg, at) - whole(leg.price)), 0)

/** Returns the worth of one unit at expiry. */
function worthAt(leg: PayoffLeg, at: number): number {
  if (leg.kind === 'FUT') return at
  const above = at - whole(leg.strike)
  return Math.max(0, leg.kind === 'CE' ? above : -above)
}

/** Returns what the result gains with each unit of the price above all strikes. */
const lastSlope = (legs: readonly PayoffLeg[]): number =>
  legs.reduce((sum, leg) => sum + (leg.kind === 'PE' ? 0 : signed(leg)), 0)

interface Kink {
  at: number
  value: number
}

function breakEvensOf(kinks: readonly Kink[], slope: number): readonly number[] {
  const zeros = kinks.flatMap((kink, index) => {
    const [before, after] = [kinks[index - 1], kinks[index + 1]]
    if (kink.value !== 0)
      return (after === undefined ? zeroAfter(kink, slope) : zeroBetween(kink, after)) ?? []
    const wasFlat = before === undefined || before.value === 0
    const isFlat = (after === undefined ? slope : after.value) === 0
    // Inside a stretch of zeros nothing turns to a profit or a loss.
    return wasFlat && isFlat ? [] : kink.at
  })
  return zeros.map((at) => at / SHARES)
}

function zeroBetween(one: Kink, other: Kink): number | undefined {
  if (one.value * other.value >= 0) return undefined
  return one.at + ((other.at - one.at) * one.value) / (one.value - other.value)
}

/** Returns where the line beyond the last strike meets zero. */
function zeroAfter({ at, value }: Kink, slope: number): number | undefined {
  return value * slope < 0 ? at - value / slope : undefined
}
