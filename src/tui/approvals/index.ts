import type { ScreenSpec } from '../shell/screen-spec.js'
import { ApprovalScreen } from './ApprovalScreen.js'
import { KEYS } from './keys.js'

export { ringForNewOrders } from './feed.js'

export const approvals: ScreenSpec = {
  id: 'approvals',
  title: 'Approvals',
  short: 'Approvals',
  bindings: KEYS,
  opens: ['approval'],
  Screen: ApprovalScreen,
  badge: ({ pendingApprovals }) => pendingApprovals,
}
