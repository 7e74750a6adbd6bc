import {
  marketProblem,
  orderProblem,
  productProblem,
  type RuledMarket,
  tradableProblem,
  unsettledContract,
} from '../../instruments/index.js'
import type { Instrument } from '../../instruments/schema.js'
import { hasPrice, type OrderRequest } from '../schema.js'

/** What the checks and the value of an order need of its instrument. */
export interface InstrumentTerms
  extends Pick<Instrument, 'exchange' | 'name' | 'lotSize' | 'tickSize' | 'contractValue'> {
  freezeQuantity: number | undefined
}

/**
 * Returns why a broker would refuse an order for its symbol, product, prices, tick, lot size or freeze quantity, the side of its
 * trigger, or the day's price band; undefined if these allow it. Only a dry run asks: a real order is checked by the broker.
 */
export function instrumentProblem(
  order: OrderRequest,
  instrument: InstrumentTerms | undefined,
  market: Omit<RuledMarket, 'tickSize'>,
): string | undefined {
  const { exchange, price, priceType, symbol, triggerPrice } = order
  const unfit = tradableProblem(order) ?? productProblem(order)
  if (unfit) return unfit.message
  if (!instrument) return `Symbol ${symbol} not found on ${exchange}`
  const unsettled = unsettledContract(instrument)
  if (unsettled !== undefined) return unsettled
  const hasLimit = hasPrice(priceType, 'price')
  const hasTrigger = hasPrice(priceType, 'trigger')
  if (hasLimit && !(price > 0)) return `${priceType} orders require price`
  if (hasTrigger && !(triggerPrice > 0)) return `${priceType} orders require trigger_price`
  const asked = { ...order, price: hasLimit ? price : 0, triggerPrice: hasTrigger ? triggerPrice : 0 }
  const { tickSize } = instrument
  const problem = orderProblem(asked, instrument) ?? marketProblem(asked, { ...market, tickSize })
  return problem?.message
}
