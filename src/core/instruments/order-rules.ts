import { isMultipleOf } from '../money/index.js'
import { freezeLimit, freezeProblem } from './freeze/largest-order.js'
import { DERIVATIVE_EXCHANGES } from './schema.js'

/*
 * The rules by which an exchange refuses an order because of its instrument. The sandbox, dry runs and the simulated exchange
 * all use them, so that an order which passes a rehearsal passes there, too.
 */

/** An order as the rules see it. A price that its type does not use is 0. */
export interface RuledOrder {
  action: 'BUY' | 'SELL'
  priceType: 'MARKET' | 'LIMIT' | 'SL' | 'SL-M'
  quantity: number
  price: number
  triggerPrice: number
}

/** The facts of an instrument. A fact that is not known is not checked. */
export interface RuledInstrument {
  exchange: string
  lotSize: number
  tickSize: number
  freezeQuantity: number | undefined
}

/** The rule that an order breaks, and the text for its sender. */
export interface RuleProblem {
  code: 'LOT_SIZE' | 'FREEZE_QUANTITY' | 'TICK_SIZE' | 'TRIGGER_PRICE'
  message: string
}

/** Returns the first rule that an order breaks, whatever the market does; undefined if it keeps all. */
export function orderProblem(order: RuledOrder, instrument: RuledInstrument): RuleProblem | undefined {
  return (
    sizeProblem(order.quantity, instrument) ?? tickProblem(order, instrument.tickSize) ?? stopProblem(order)
  )
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
export function tickProblem(
  { price, triggerPrice }: Pick<RuledOrder, 'price' | 'triggerPrice'>,
  tickSize: number,
): RuleProblem | undefined {
  const named = [
    ['Price', price],
    ['Trigger price', triggerPrice],
  ] as const
  const off = named.find(([, value]) => value > 0 && tickSize > 0 && !isMultipleOf(value, tickSize))
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
