import type { ScreenSpec } from '../shell/screen-spec.js'
import { LOG_KEYS } from './keys.js'
import { LogScreen } from './LogScreen.js'

export const logs: ScreenSpec = {
  id: 'logs',
  title: 'Logs',
  short: 'Logs',
  bindings: LOG_KEYS,
  opens: [],
  Screen: LogScreen,
}
