import type { Screen } from '../screen/screen.js'
import { KEYS } from './keys.js'
import { PositionScreen } from './PositionScreen.js'

export const positions: Screen = {
  id: 'positions',
  title: 'Positions',
  short: 'Pos',
  keys: KEYS,
  View: PositionScreen,
}
