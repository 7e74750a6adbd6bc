import type { ScreenSpec } from '../shell/screen-spec.js'
import { FlowScreen } from './FlowScreen.js'
import { FLOW_KEYS } from './keys.js'

export const flows: ScreenSpec = {
  id: 'flows',
  title: 'Flows',
  short: 'Flows',
  bindings: FLOW_KEYS,
  opens: ['workflow'],
  Screen: FlowScreen,
}
