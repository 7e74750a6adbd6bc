import type { Instrument } from '../../../instruments/schema.js'
import { ceilTo, divRound, floorTo, fromMoney, type Money, toMoney } from '../../../money/index.js'
import type { Action } from '../../../orders/schema.js'

/** A band of prices and how far a protected limit is away from them, in hundredths of a percent. */
interface Slab {
  /** The prices below it belong to the band. */
  below: number
  away: bigint
}

/** The top of a band that ends with 500 itself: prices have four decimals at most. */
const ABOVE_500 = 500.0001
/** The first slab that has the price counts; the last has no end. */
const SHARES_AND_FUTURES: readonly Slab[] = [
  { below: 100, away: 200n },
  { below: ABOVE_500, away: 100n },
  { below: Number.POSITIVE_INFINITY, away: 50n },
]
const OPTIONS: readonly Slab[] = [
  { below: 10, away: 500n },
  { below: 100, away: 300n },
  { below: ABOVE_500, away: 200n },
  { below: Number.POSITIVE_INFINITY, away: 100n },
]

/**
 * Returns the limit of an order that trades at the market within the exchange's protection: above the base price for a
 * BUY, below it for a SELL, on a tick.
 * @param base rupees: the price at which the order is sent
 */
export function protectedLimit(
  action: Action,
  base: number,
  { instrumentType, tickSize }: Instrument,
): number {
  const price = toMoney(base)
  const distance = divRound(price * awayFrom(base, instrumentType), 10_000n)
  const limit = action === 'BUY' ? price + distance : price - distance
  return fromMoney(onTick(limit, toMoney(tickSize)))
}

/**
 * Returns the limit of a stop order that is to trade at the market: the protection beyond its trigger, rounded away from it to a
 * tick, and at least one tick past it. Undefined if no price above zero lies there.
 */
export function limitBeyond(
  action: Action,
  trigger: number,
  { instrumentType, tickSize }: Instrument,
): number | undefined {
  const [price, tick] = [toMoney(trigger), toMoney(tickSize)]
  const distance = divRound(price * awayFrom(trigger, instrumentType), 10_000n)
  const past = distance > tick ? distance : tick
  const beyond = action === 'BUY' ? price + past : price - past
  const limit = tick <= 0n ? beyond : action === 'BUY' ? ceilTo(beyond, tick) : floorTo(beyond, tick)
  return limit > 0n ? fromMoney(limit) : undefined
}

/** Returns the protection of an order that is sent at a price in whole percent, rounded up: 1 to 5. */
export function protectionPercent(
  base: number,
  { instrumentType }: Pick<Instrument, 'instrumentType'>,
): number {
  return Math.ceil(Number(awayFrom(base, instrumentType)) / 100)
}

function awayFrom(base: number, instrumentType: string): bigint {
  const slabs = instrumentType === 'CE' || instrumentType === 'PE' ? OPTIONS : SHARES_AND_FUTURES
  return slabs.find(({ below }) => base < below)?.away ?? 0n
}

/** Returns the nearest price on a tick, at least one tick. */
function onTick(price: Money, tick: Money): Money {
  if (tick <= 0n) return price
  const below = floorTo(price, tick)
  const nearest = price - below < ceilTo(price, tick) - price ? below : ceilTo(price, tick)
  return nearest > 0n ? nearest : tick
}
