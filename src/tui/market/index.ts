import type { ScreenSpec } from '../shell/screen-spec.js'
import { CHAIN_KEYS, SYMBOL_KEYS, WATCH_KEYS } from './keys.js'
import { MarketScreen } from './MarketScreen.js'

/** The market: a watch list, the details of a symbol, and option chains. */
export const market: ScreenSpec = {
  id: 'market',
  title: 'Market',
  short: 'Mkt',
  bindings: [...WATCH_KEYS, ...SYMBOL_KEYS, ...CHAIN_KEYS],
  opens: ['symbol'],
  Screen: MarketScreen,
}
