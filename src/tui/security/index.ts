import type { ScreenSpec } from '../shell/screen-spec.js'
import { SECURITY_KEYS } from './keys.js'
import { SecurityScreen } from './SecurityScreen.js'

export const security: ScreenSpec = {
  id: 'security',
  title: 'Security',
  short: 'Security',
  bindings: SECURITY_KEYS,
  opens: [],
  Screen: SecurityScreen,
}
