import type { ScreenSpec } from '../shell/screen-spec.js'
import { KEYS } from './keys.js'
import { OrderScreen } from './OrderScreen.js'

export const orders: ScreenSpec = {
  id: 'orders',
  title: 'Orders',
  short: 'Orders',
  bindings: KEYS,
  opens: ['order'],
  Screen: OrderScreen,
  badge: ({ inDoubt }) => inDoubt,
}
