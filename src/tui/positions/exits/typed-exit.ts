import { ceilTo, divRound, floorTo, fromMoney, type Money, toMoney } from '../../../core/money/index.js'
import { isMultiple } from '../../../views/orders/lot.js'
import { rupeePrice } from '../../../views/table/cells.js'

/** A distance from a price, as it is typed: in percent, or in points, which are rupees. */
export type TypedDistance = { percent: number } | { points: number }
/** The price of an exit, as it is typed: itself, or its distance from another price. */
export type TypedExit = { price: number } | TypedDistance

const EXIT = /^(?<number>\d{1,9}(?:\.\d{1,4})?)\s*(?<unit>%|pt)?$/i

/** Parses `940`, `2%` or `15pt`; undefined for anything else, and for nothing. */
export function typedExit(text: string): TypedExit | undefined {
  const typed = EXIT.exec(text.trim())?.groups
  const value = Number(typed?.number)
  if (!(value > 0)) return undefined
  if (typed?.unit === undefined) return { price: value }
  return typed.unit === '%' ? { percent: value } : { points: value }
}

/** Parses `2%` or `15pt`; undefined for anything else. A number alone may be a price or points, so it is neither. */
export function typedDistance(text: string): TypedDistance | undefined {
  const typed = typedExit(text)
  return typed === undefined || 'price' in typed ? undefined : typed
}

/** The price that a distance counts from, its side of it, and the tick. */
interface From {
  base: number
  side: 'above' | 'below'
  tick: number
}

/** Returns the price of an exit, or why it is none. A distance ends on the tick that is not nearer than was typed. */
export function exitPrice(typed: TypedExit, from: From): number | { problem: string } {
  const { tick } = from
  if ('price' in typed) {
    const isOnTick = tick <= 0 || isMultiple(typed.price, tick)
    return isOnTick
      ? typed.price
      : { problem: `${rupeePrice(typed.price)} is no price of it: the tick is ${tick}.` }
  }
  const price = fromMoney(placed(typed, from))
  return price > 0 ? price : { problem: 'the distance is more than the price.' }
}

function placed(typed: TypedDistance, { base, side, tick }: From): Money {
  const [price, step] = [toMoney(base), toMoney(tick)]
  const distance = 'points' in typed ? toMoney(typed.points) : divRound(price * toMoney(typed.percent), WHOLE)
  const at = side === 'above' ? price + distance : price - distance
  if (step <= 0n) return at
  return side === 'above' ? ceilTo(at, step) : floorTo(at, step)
}

/** A hundred percent, in the units of money. */
const WHOLE = toMoney(100)
