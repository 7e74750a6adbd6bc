import type { ScreenSpec } from '../shell/screen-spec.js'
import { FIELD_KEYS, PROBE_KEYS, TABLE_KEYS } from './keys.js'
import { SystemScreen } from './SystemScreen.js'

export const system: ScreenSpec = {
  id: 'system',
  title: 'System',
  short: 'System',
  bindings: [...FIELD_KEYS, ...PROBE_KEYS, ...TABLE_KEYS],
  opens: [],
  Screen: SystemScreen,
}
