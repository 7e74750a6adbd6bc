import type { Screen } from '../screen/screen.js'
import { ApprovalScreen } from './ApprovalScreen.js'
import { KEYS } from './keys.js'

export { ringForNewOrders } from './feed.js'

export const approvals: Screen = {
  id: 'approvals',
  title: 'Approvals',
  keys: KEYS,
  opens: ['approval'],
  View: ApprovalScreen,
  badge: ({ pendingApprovals }) => pendingApprovals,
}
