import { type GttTerms, hasPrice, type OrderTerms } from '../schema.js'

type PriceType = OrderTerms['priceType']

/** The price types that an order of each type may change to, and be no likelier to fill: it keeps its limit and its trigger. */
const NO_LIKELIER: Readonly<Record<PriceType, readonly PriceType[]>> = {
  MARKET: ['MARKET', 'LIMIT', 'SL-M', 'SL'],
  LIMIT: ['LIMIT', 'SL'],
  'SL-M': ['SL-M', 'SL'],
  SL: ['SL'],
}

type Named = Pick<OrderTerms, 'symbol' | 'exchange' | 'action' | 'product' | 'quantity'>

/**
 * Returns whether an order is no larger and no likelier to fill after a change: the same side of the same position, no
 * greater quantity, no better limit price, no nearer trigger. A person may make such a change although trading is stopped.
 */
export function lowersRisk(now: OrderTerms, changed: OrderTerms): boolean {
  return (
    isNoLarger(now, changed) &&
    NO_LIKELIER[now.priceType].includes(changed.priceType) &&
    (!hasPrice(now.priceType, 'price') || isNoBetter(now.action, now.price, changed.price)) &&
    // A stop to buy triggers when the price rises to it, one to sell when the price falls to it.
    (!hasPrice(now.priceType, 'trigger') || isNoBetter(now.action, changed.triggerPrice, now.triggerPrice))
  )
}

/** As {@link lowersRisk}, for a GTT: each of its legs keeps its side of the market. */
export function gttLowersRisk(now: GttTerms, changed: GttTerms): boolean {
  return (
    isNoLarger(now, changed) &&
    (now.priceType === 'MARKET' || changed.priceType === 'LIMIT') &&
    now.legs.length === changed.legs.length &&
    now.legs.every((leg) => {
      const then = changed.legs.find(({ kind }) => kind === leg.kind)
      if (!then) return false
      const isFarther =
        leg.kind === 'stop' ? then.triggerPrice <= leg.triggerPrice : then.triggerPrice >= leg.triggerPrice
      return isFarther && (now.priceType === 'MARKET' || isNoBetter(now.action, leg.price, then.price))
    })
  )
}

function isNoLarger(now: Named, changed: Named): boolean {
  return (
    now.symbol === changed.symbol &&
    now.exchange === changed.exchange &&
    now.action === changed.action &&
    now.product === changed.product &&
    changed.quantity <= now.quantity
  )
}

/** Returns whether `then` is no better for the market than `now`: no more is paid, or no less is asked. */
function isNoBetter(action: OrderTerms['action'], now: number, then: number): boolean {
  return action === 'BUY' ? then <= now : then >= now
}
