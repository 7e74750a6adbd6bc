import type { Screen } from '../screen/screen.js'
import { LOG_KEYS } from './keys.js'
import { LogScreen } from './LogScreen.js'

export const logs: Screen = {
  id: 'logs',
  title: 'Logs',
  keys: LOG_KEYS,
  View: LogScreen,
}
