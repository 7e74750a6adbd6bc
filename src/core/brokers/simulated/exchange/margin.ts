import { divRound, type Money } from '../../../money/index.js'
import type { OrderRequest, Product } from '../../../orders/schema.js'
import type { ContractKind } from '../market/contract.js'

/** Leverage of each kind of exposure; the sandbox's defaults. */
const LEVERAGE = { intraday: 5n, delivery: 1n, future: 10n, option: 1n } as const

/** Margin of an exposure worth `value`. Delivery sales need none: the shares are the cover. */
export function marginOf(value: Money, kind: ContractKind, product: Product, sells: boolean): Money {
  if (kind === 'cash' && product === 'CNC') return sells ? 0n : value
  const leverage =
    kind === 'option' ? LEVERAGE.option : kind === 'future' ? LEVERAGE.future : LEVERAGE.intraday
  return divRound(value, leverage)
}

/**
 * The price margin is taken on: an order's limit or trigger, but never less than it can trade for. A BUY stop whose
 * trigger has been passed and a SELL limit below the market trade at the market at once: a trigger of five paise
 * must not buy for five paise a unit. The sandbox holds the same.
 * @param last the last price, in rupees like every price of the order
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
