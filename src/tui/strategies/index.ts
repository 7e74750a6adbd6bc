import type { Screen } from '../screen/screen.js'
import { KEYS } from './keys.js'
import { StrategyScreen } from './StrategyScreen.js'

export const strategies: Screen = {
  id: 'strategies',
  title: 'Strategies',
  short: 'Strat',
  keys: KEYS,
  opens: ['strategy'],
  View: StrategyScreen,
}
