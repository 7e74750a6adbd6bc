import { divRound, type Money, timesQuantity, toMoney, unitsIn } from '../../../money/index.js'
import type { OrderProduct, OrderRequest } from '../../../orders/schema.js'
import { BrokerError } from '../../broker.js'
import type { ContractKind } from '../market/contract.js'
import type { SimulatedMarket } from '../market/simulated-market.js'

/** Leverage of each kind of exposure; the same as the sandbox's defaults. */
const LEVERAGE = { intraday: 5n, delivery: 1n, future: 10n, option: 1n } as const

/** Returns the margin for an exposure of `value`. A delivery sale needs none, because the shares cover it. */
export function marginOf(value: Money, kind: ContractKind, product: OrderProduct, sells: boolean): Money {
  if (kind === 'cash' && product === 'CNC') return sells ? 0n : value
  const leverage =
    kind === 'option' ? LEVERAGE.option : kind === 'future' ? LEVERAGE.future : LEVERAGE.intraday
  return divRound(value, leverage)
}

/**
 * Returns the price used for margin: the order's limit or trigger, but never less than the price at which it
 * can trade. A BUY stop whose trigger is already passed and a SELL limit below the market trade immediately
 * at the market price. Otherwise a BUY stop with a trigger of five paise would need only five paise of margin
 * per unit. The sandbox has the same rule.
 * @param last the last price in rupees, like every price of the order
 */
export function marginPrice(
  {
    action,
    priceType,
    price,
    triggerPrice,
  }: Pick<OrderRequest, 'action' | 'priceType' | 'price' | 'triggerPrice'>,
  last: number,
): number {
  if (priceType === 'MARKET') return last
  const own = priceType === 'LIMIT' ? price : triggerPrice
  const tradesAbove = (action === 'BUY') === (priceType !== 'LIMIT')
  return own > 0 && !(tradesAbove && last > own) ? own : last
}

/**
 * Returns the margin of one order at the prices of a second. @throws BrokerError not_found for an unknown symbol
 */
export function requiredMargin(request: OrderRequest, market: SimulatedMarket, second: number): Money {
  const contract = market.contract(request)
  if (!contract) {
    const message = `Symbol ${request.symbol} not found on ${request.exchange}`
    throw new BrokerError('not_found', message, { brokerStatus: 404, sent: 'yes' })
  }
  const price = marginPrice(request, market.lastPrice(contract, second))
  const value = timesQuantity(toMoney(price), unitsIn(request.quantity, contract.multiplier))
  return marginOf(value, contract.kind, request.product, request.action === 'SELL')
}
