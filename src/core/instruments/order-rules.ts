import type { PriceBand } from '../market/schema.js'
import { decimalsOf, formatMoney, isMultipleOf, type Money, toMoney } from '../money/index.js'
import type { Action, PriceType } from '../orders/schema.js'
import { freezeLimit, freezeProblem } from './freeze/largest-order.js'
import { CASH_EXCHANGES, DERIVATIVE_EXCHANGES, INDEX_EXCHANGES } from './schema.js'

/*
 * The rules by which an exchange refuses an order because of its instrument. The sandbox, dry runs and the simulated exchange
 * all use them, so that an order which passes a rehearsal passes there, too.
 */

/** An order as the rules see it. A price that its type does not use is 0. */
export interface RuledOrder {
  action: Action
  priceType: PriceType
  quantity: number
  price: number
  triggerPrice: number
}

type RuledPrices = Pick<RuledOrder, 'price' | 'triggerPrice'>

/** The facts of an instrument. A fact that is not known is not checked. */
export interface RuledInstrument {
  exchange: string
  lotSize: number
  tickSize: number
  freezeQuantity: number | undefined
}

/** What the rules need of the market. A fact that is not known is not checked. */
export interface RuledMarket {
  lastPrice: number | undefined
  band: PriceBand | undefined
  /** The tick size, which sets the decimals of the texts; 0 if it is not known. */
  tickSize: number
}

/** The rule that an order breaks, and the text for its sender. */
export interface RuleProblem {
  code:
    | 'NOT_TRADABLE'
    | 'PRODUCT'
    | 'LOT_SIZE'
    | 'FREEZE_QUANTITY'
    | 'TICK_SIZE'
    | 'TRIGGER_PRICE'
    | 'PRICE_BAND'
  message: string
}

/** Checks that the instrument has orders at all: an index has only quotes. */
export function tradableProblem({
  exchange,
  symbol,
}: {
  symbol: string
  exchange: string
}): RuleProblem | undefined {
  if (!INDEX_EXCHANGES.has(exchange)) return undefined
  return { code: 'NOT_TRADABLE', message: `${symbol} is an index and cannot be traded` }
}

/** Checks that the segment has the product: shares are not carried as NRML, contracts not held as CNC. */
export function productProblem({
  exchange,
  product,
}: {
  exchange: string
  product: string
}): RuleProblem | undefined {
  if (product === 'NRML' && CASH_EXCHANGES.has(exchange)) {
    const message = `NRML product not allowed for ${exchange} equity segment. Use CNC for delivery or MIS for intraday.`
    return { code: 'PRODUCT', message }
  }
  if (product === 'CNC' && DERIVATIVE_EXCHANGES.has(exchange)) {
    const message = `CNC product not allowed for ${exchange} derivatives segment. Use NRML for carryforward or MIS for intraday.`
    return { code: 'PRODUCT', message }
  }
  return undefined
}

/** Returns the first rule that an order breaks, whatever the market does; undefined if it keeps all. */
export function orderProblem(order: RuledOrder, instrument: RuledInstrument): RuleProblem | undefined {
  return (
    sizeProblem(order.quantity, instrument) ?? tickProblem(order, instrument.tickSize) ?? stopProblem(order)
  )
}

/** Returns the first rule that an order breaks because of the market of this day; undefined if it keeps all. */
export function marketProblem(
  order: RuledOrder,
  { band, lastPrice, tickSize }: RuledMarket,
): RuleProblem | undefined {
  return triggerProblem(order, lastPrice) ?? bandProblem(order, band, tickSize)
}

/** Checks the lot size and the freeze quantity: cash trades in any number, contracts in whole lots up to the largest order. */
export function sizeProblem(
  quantity: number,
  { exchange, freezeQuantity, lotSize }: Omit<RuledInstrument, 'tickSize'>,
): RuleProblem | undefined {
  if (DERIVATIVE_EXCHANGES.has(exchange) && lotSize > 0 && !isMultipleOf(quantity, lotSize)) {
    return { code: 'LOT_SIZE', message: `Quantity must be in multiples of lot size ${lotSize}` }
  }
  const limit = freezeQuantity === undefined ? undefined : freezeLimit(freezeQuantity, lotSize)
  const message = freezeProblem(quantity, limit)
  return message === undefined ? undefined : { code: 'FREEZE_QUANTITY', message }
}

/** Checks that price and trigger are on a tick. */
export function tickProblem(prices: RuledPrices, tickSize: number): RuleProblem | undefined {
  const off = named(prices).find(([, value]) => value > 0 && tickSize > 0 && !isMultipleOf(value, tickSize))
  if (!off) return undefined
  return { code: 'TICK_SIZE', message: `${off[0]} ${off[1]} is not a multiple of the tick size ${tickSize}` }
}

/** Checks that the trigger of a stop with a limit is on the right side of the limit. */
export function stopProblem({
  action,
  price,
  priceType,
  triggerPrice,
}: Omit<RuledOrder, 'quantity'>): RuleProblem | undefined {
  const isWrong = action === 'BUY' ? triggerPrice > price : triggerPrice < price
  if (priceType !== 'SL' || !isWrong) return undefined
  const side = action === 'BUY' ? 'above' : 'below'
  return {
    code: 'TRIGGER_PRICE',
    message: `Trigger price of a ${action} stop must not be ${side} its limit price`,
  }
}

/**
 * Checks that a stop waits for the market to come to its trigger: an exchange refuses one that would trigger at once.
 * @param last the last price; undefined if it is not known
 */
export function triggerProblem(
  { action, triggerPrice }: Pick<RuledOrder, 'action' | 'triggerPrice'>,
  last: number | undefined,
): RuleProblem | undefined {
  if (!(triggerPrice > 0) || last === undefined || !(last > 0)) return undefined
  if (action === 'BUY' ? triggerPrice > last : triggerPrice < last) return undefined
  const side = action === 'BUY' ? 'buy orders should be higher' : 'sell orders should be lower'
  return {
    code: 'TRIGGER_PRICE',
    message: `Trigger price for stoploss ${side} than the last traded price (${last})`,
  }
}

/** Checks that price and trigger are within the day's price band, its edges included. */
export function bandProblem(
  prices: RuledPrices,
  band: PriceBand | undefined,
  tickSize: number,
): RuleProblem | undefined {
  if (!band) return undefined
  const [lower, upper] = [toMoney(band.lower), toMoney(band.upper)]
  const isOutside = (price: Money) => price > 0n && (price < lower || price > upper)
  const outside = named(prices).find(([, price]) => isOutside(toMoney(price)))
  if (!outside) return undefined
  const show = (price: Money) => formatMoney(price, Math.min(4, Math.max(2, decimalsOf(tickSize))))
  const [name, price] = outside
  return {
    code: 'PRICE_BAND',
    message: `${name} ${show(toMoney(price))} is outside the day's price band ${show(lower)} to ${show(upper)}`,
  }
}

/** Returns the prices of an order with their names for the texts. */
const named = ({ price, triggerPrice }: RuledPrices) =>
  [
    ['Price', price],
    ['Trigger price', triggerPrice],
  ] as const
