import type { ScreenSpec } from '../shell/screen-spec.js'
import { KEYS } from './keys.js'
import { PositionScreen } from './PositionScreen.js'

export const positions: ScreenSpec = {
  id: 'positions',
  title: 'Positions',
  short: 'Pos',
  bindings: KEYS,
  opens: [],
  Screen: PositionScreen,
}
