import { divRound, type Money } from '../../money/index.js'
import type { Product } from '../../orders/schema.js'
import type { ContractKind } from './contract.js'

/** Leverage of each kind of exposure; the sandbox's defaults. */
const LEVERAGE = { intraday: 5n, delivery: 1n, future: 10n, option: 1n } as const

/** Margin of an exposure worth `value`. Delivery sales need none: the shares are the cover. */
export function marginOf(value: Money, kind: ContractKind, product: Product, sells: boolean): Money {
  if (kind === 'cash' && product === 'CNC') return sells ? 0n : value
  const leverage =
    kind === 'option' ? LEVERAGE.option : kind === 'future' ? LEVERAGE.future : LEVERAGE.intraday
  return divRound(value, leverage)
}
