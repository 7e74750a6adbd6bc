import type { Screen } from '../screen/screen.js'
import { CHAIN_KEYS, SYMBOL_KEYS, WATCH_KEYS } from './keys.js'
import { MarketScreen } from './MarketScreen.js'

/** The market: a watch list, the details of a symbol, and option chains. */
export const market: Screen = {
  id: 'market',
  title: 'Market',
  short: 'Mkt',
  keys: [...WATCH_KEYS, ...SYMBOL_KEYS, ...CHAIN_KEYS],
  opens: ['symbol'],
  View: MarketScreen,
}
