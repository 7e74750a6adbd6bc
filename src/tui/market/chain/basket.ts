import { ageText } from '../../../views/text/age.js'
import { isOld } from '../../live/prices/quote.js'
import type { BasketBody } from '../../orders/basket-review.js'
import { typedSymbol } from '../../orders/form/instrument.js'
import { STRATEGY } from '../../question/review.js'
import { actionOf } from './legs.js'
import type { PricedLeg } from './payoff.js'

/**
 * Returns the marked options as a basket, or why there is none. Each is a limit order at the price that the payoff counts with: a
 * market order in a thin option may fill anywhere.
 * @param now in milliseconds: an old price is no price to trade at
 */
export function basketOf(legs: readonly PricedLeg[], now: number): BasketBody | { problem: string } {
  if (legs.length === 0) return { problem: 'No option is marked: space marks the one under the cursor.' }
  const unsized = legs.find(({ lotsize }) => !(lotsize > 0))
  if (unsized !== undefined) return { problem: `The lot size of ${unsized.symbol} is not known.` }
  const unpriced = legs.find(({ entry }) => entry === undefined)
  if (unpriced !== undefined) return { problem: `${unpriced.symbol} has no price.` }
  const old = legs.find(({ entry }) => entry !== undefined && isOld(entry, now))
  if (old?.entry !== undefined) {
    return {
      problem: `The price of ${old.symbol} is ${ageText(now - old.entry.at)} old: wait for a new one.`,
    }
  }
  const untraded = legs.find(({ symbol }) => typedSymbol(symbol) === undefined)
  if (untraded !== undefined) return { problem: `${untraded.symbol} takes no orders.` }
  return { strategy: STRATEGY, orders: legs.flatMap(orderOf) }
}

function orderOf(leg: PricedLeg): BasketBody['orders'] {
  const typed = typedSymbol(leg.symbol)
  if (typed === undefined || leg.entry === undefined) return []
  const quantity = Math.abs(leg.lots) * leg.lotsize
  const terms = { pricetype: 'LIMIT', price: leg.entry.price, product: 'NRML' } as const
  return [{ ...typed, action: actionOf(leg), quantity, ...terms }]
}
