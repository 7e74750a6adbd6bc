import { unsettledContract } from '../../instruments/index.js'
import { DERIVATIVE_EXCHANGES, type Instrument } from '../../instruments/schema.js'
import { isMultipleOf } from '../../money/index.js'
import type { OrderRequest } from '../schema.js'

/** What the checks and the value of an order need of its instrument. */
export type InstrumentTerms = Pick<Instrument, 'exchange' | 'name' | 'lotSize' | 'tickSize' | 'contractValue'>

/**
 * Returns why a broker would refuse an order for its symbol, prices, tick or lot size; undefined if the
 * instrument master allows it. Only a dry run asks: a real order is checked by the broker.
 */
export function instrumentProblem(
  order: OrderRequest,
  instrument: InstrumentTerms | undefined,
): string | undefined {
  const { exchange, price, priceType, quantity, symbol, triggerPrice } = order
  if (!instrument) return `Symbol ${symbol} not found on ${exchange}`
  const unsettled = unsettledContract(instrument)
  if (unsettled !== undefined) return unsettled
  const hasLimit = priceType === 'LIMIT' || priceType === 'SL'
  const hasTrigger = priceType === 'SL' || priceType === 'SL-M'
  if (hasLimit && !(price > 0)) return `${priceType} orders require price`
  if (hasTrigger && !(triggerPrice > 0)) return `${priceType} orders require trigger_price`
  const { lotSize, tickSize } = instrument
  if (DERIVATIVE_EXCHANGES.has(exchange) && lotSize > 0 && !isMultipleOf(quantity, lotSize)) {
    return `Quantity must be in multiples of lot size ${lotSize}`
  }
  const offTick = (value: number) => value > 0 && tickSize > 0 && !isMultipleOf(value, tickSize)
  if (hasLimit && offTick(price)) return `Price ${price} is not a multiple of the tick size ${tickSize}`
  if (hasTrigger && offTick(triggerPrice)) {
    return `Trigger price ${triggerPrice} is not a multiple of the tick size ${tickSize}`
  }
  return undefined
}
