import type { Quote } from '../../market/schema.js'
import { type Money, toMoney } from '../../money/index.js'
import type { SandboxOrder } from '../schema.js'

/**
 * An arriving limit order that is marketable trades at the market price; a waiting one trades at its limit.
 */
export type MatchMoment = 'arriving' | 'waiting'

/** One hundred percent, as money. */
const PERCENT = toMoney(100)

type Match = { fill: Money } | { status: 'open' | 'trigger pending' }

export type Terms = Pick<
  SandboxOrder,
  'action' | 'priceType' | 'price' | 'triggerPrice' | 'status' | 'marketProtection' | 'opensAt'
>

/**
 * Matches an order with a quote: fills it completely at a price, or leaves it waiting in a status. A missing,
 * zero or self-contradicting quote changes nothing.
 */
export function match(order: Terms, quote: Quote | undefined, moment: MatchMoment): Match {
  if (!quote || !isUsable(quote))
    return { status: order.status === 'trigger pending' ? 'trigger pending' : 'open' }
  return RULES[order.priceType](order, quote, moment)
}

/** The status of an order before its first match. */
export function initialStatus(priceType: SandboxOrder['priceType']): 'open' | 'trigger pending' {
  return priceType === 'SL' || priceType === 'SL-M' ? 'trigger pending' : 'open'
}

const RULES: Record<SandboxOrder['priceType'], (order: Terms, quote: Quote, moment: MatchMoment) => Match> = {
  MARKET: (order, quote) => {
    const side = order.action === 'BUY' ? quote.ask : quote.bid
    const price = toMoney(isPrice(side) ? side : quote.ltp)
    return isProtected(order, price, order.price) ? { status: 'open' } : { fill: price }
  },
  LIMIT: (order, quote, moment) => {
    const ltp = toMoney(quote.ltp)
    if (!limitMet(order, ltp)) return { status: 'open' }
    return { fill: moment === 'arriving' ? ltp : order.price }
  },
  'SL-M': (order, quote) => {
    const ltp = toMoney(quote.ltp)
    if (order.status !== 'open' && !triggerMet(order, ltp)) return { status: 'trigger pending' }
    return isProtected(order, ltp, order.triggerPrice) ? { status: 'open' } : { fill: ltp }
  },
  SL: (order, quote) => {
    const ltp = toMoney(quote.ltp)
    if (order.status !== 'open' && !triggerMet(order, ltp)) return { status: 'trigger pending' }
    return limitMet(order, ltp) ? { fill: ltp } : { status: 'open' }
  },
}

/**
 * Returns the last prices at which a waiting order acts: every one up to a price, every one from a price on, or any.
 * At all others {@link match} leaves the order as it is.
 */
export function actsAt(order: Terms): { upTo: Money } | { from: Money } | 'any' {
  // The first price after the opening brings it to the market.
  if (order.opensAt !== null) return 'any'
  const isBuy = order.action === 'BUY'
  const limit = isBuy ? { upTo: order.price } : { from: order.price }
  const trigger = isBuy ? { from: order.triggerPrice } : { upTo: order.triggerPrice }
  switch (order.priceType) {
    case 'MARKET':
      return 'any'
    case 'LIMIT':
      return limit
    case 'SL-M':
      return order.status === 'open' ? 'any' : trigger
    case 'SL':
      return order.status === 'open' ? limit : trigger
  }
}

/**
 * Returns false for a quote whose last price lies outside the day's own range: such a quote is in the middle
 * of an update.
 */
export function isUsable(quote: Quote): boolean {
  if (!isPrice(quote.ltp)) return false
  return !(quote.high > 0 && quote.low > 0 && (quote.ltp > quote.high || quote.ltp < quote.low))
}

/** Returns the last price of a quote; 0 when it has none. */
export function lastPriceIn(quote: Quote | undefined): Money {
  return quote && isPrice(quote.ltp) ? toMoney(quote.ltp) : 0n
}

/** Returns true for a price above zero and within the range the ledger can store. */
export function isPrice(value: number): boolean {
  return value > 0 && value <= 1e9
}

/**
 * Returns whether a price lies farther from its reference than the protection of a MARKET or SL-M order allows. The order
 * then rests as a limit order would.
 */
function isProtected({ action, marketProtection }: Terms, price: Money, reference: Money): boolean {
  if (marketProtection === null || marketProtection <= 0) return false
  const band = (reference * toMoney(marketProtection)) / PERCENT
  return action === 'BUY' ? price > reference + band : price < reference - band
}

function limitMet(order: Terms, ltp: Money): boolean {
  return order.action === 'BUY' ? ltp <= order.price : ltp >= order.price
}

function triggerMet(order: Terms, ltp: Money): boolean {
  return order.action === 'BUY' ? ltp >= order.triggerPrice : ltp <= order.triggerPrice
}
