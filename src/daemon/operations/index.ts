import { ACCESS_OPERATIONS } from './access.js'
import { ACCOUNT_OPERATIONS } from './account.js'
import { ADMIN_OPERATIONS } from './admin.js'
import { ALERT_TEMPLATE_OPERATIONS } from './alert-templates.js'
import { AUDIT_OPERATIONS } from './audit.js'
import { BACKUP_OPERATIONS } from './backup.js'
import { CONTROL_OPERATIONS } from './control.js'
import { DIAGNOSTIC_OPERATIONS } from './diagnostics.js'
import { FLOW_OPERATIONS } from './flows.js'
import { HEALTH_OPERATIONS } from './health.js'
import { LOG_OPERATIONS } from './logs.js'
import { MARKET_OPERATIONS } from './market.js'
import { MESSAGE_OPERATIONS } from './messages.js'
import { type NamedOperation, named, type OperationName } from './operation.js'
import { ORDER_OPERATIONS } from './orders.js'
import { PAGE_OPERATIONS } from './pages.js'
import { PNL_OPERATIONS } from './pnl.js'
import { SANDBOX_OPERATIONS } from './sandbox.js'
import { SECURITY_OPERATIONS } from './security.js'
import { STRATEGY_WEBHOOK_OPERATIONS } from './strategy-webhook.js'
import { TELEMETRY_OPERATIONS } from './telemetry.js'

export type { NamedOperation, RateGroup } from './operation.js'

/**
 * The table of all operations: every route of the daemon with its payload, answer, credential, scopes and
 * rate group. HTTP mounting, the OpenAPI document, the typed client and the read port of workflows use these
 * rows.
 */
export const OPERATIONS = {
  ...ORDER_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...MESSAGE_OPERATIONS,
  ...MARKET_OPERATIONS,
  ...CONTROL_OPERATIONS,
  ...PNL_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  ...HEALTH_OPERATIONS,
  ...LOG_OPERATIONS,
  ...TELEMETRY_OPERATIONS,
  ...FLOW_OPERATIONS,
  ...STRATEGY_WEBHOOK_OPERATIONS,
  ...ALERT_TEMPLATE_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...SECURITY_OPERATIONS,
  ...PAGE_OPERATIONS,
  ...ADMIN_OPERATIONS,
  ...BACKUP_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...DIAGNOSTIC_OPERATIONS,
} satisfies Readonly<Record<OperationName, unknown>>
export type Operations = typeof OPERATIONS

/** All operations as a list, in the order of the reference. */
export const OPERATION_LIST: readonly NamedOperation[] = Object.entries(OPERATIONS).map(([name, row]) =>
  named(name as OperationName, row),
)
