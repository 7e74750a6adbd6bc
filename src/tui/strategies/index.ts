import type { ScreenSpec } from '../shell/screen-spec.js'
import { KEYS } from './keys.js'
import { StrategyScreen } from './StrategyScreen.js'

export const strategies: ScreenSpec = {
  id: 'strategies',
  title: 'Strategies',
  short: 'Strat',
  bindings: KEYS,
  opens: ['strategy'],
  Screen: StrategyScreen,
}
