import type { Screen } from '../screen/screen.js'
import { FlowScreen } from './FlowScreen.js'
import { FLOW_KEYS } from './keys.js'

export const flows: Screen = {
  id: 'flows',
  title: 'Flows',
  keys: FLOW_KEYS,
  opens: ['workflow'],
  View: FlowScreen,
}
