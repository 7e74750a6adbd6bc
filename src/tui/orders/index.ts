import type { Screen } from '../screen/screen.js'
import { KEYS } from './keys.js'
import { OrderScreen } from './OrderScreen.js'

export const orders: Screen = {
  id: 'orders',
  title: 'Orders',
  keys: KEYS,
  opens: ['order'],
  View: OrderScreen,
  badge: ({ inDoubt }) => inDoubt,
}
