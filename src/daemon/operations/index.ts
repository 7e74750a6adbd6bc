import { ACCESS_OPERATIONS } from './access/index.js'
import { ACCOUNT_OPERATIONS } from './account/index.js'
import { ADMIN_OPERATIONS } from './admin/index.js'
import { ALERT_OPERATIONS } from './alerts/index.js'
import { AUDIT_OPERATIONS } from './audit/index.js'
import { BACKUP_OPERATIONS } from './backup/index.js'
import { CONTROL_OPERATIONS } from './control/index.js'
import { DIAGNOSTIC_OPERATIONS } from './diagnostics/index.js'
import { FLOW_OPERATIONS } from './flows/index.js'
import { HEALTH_OPERATIONS } from './health/index.js'
import { LOG_OPERATIONS } from './logs/index.js'
import { CHART_OPERATIONS } from './market/bars/chart.js'
import { MARKET_OPERATIONS } from './market/index.js'
import { SEARCH_OPERATIONS } from './market/search.js'
import { MESSAGE_OPERATIONS } from './messages/index.js'
import { operationList } from './named.js'
import { OAUTH_OPERATIONS } from './oauth/index.js'
import type { OperationName } from './operation.js'
import { ORDER_OPERATIONS } from './orders/index.js'
import { PAGE_OPERATIONS } from './pages/index.js'
import { PNL_OPERATIONS } from './pnl/index.js'
import { SANDBOX_OPERATIONS } from './sandbox/index.js'
import { SECURITY_OPERATIONS } from './security/index.js'
import { SERVICE_OPERATIONS } from './service/index.js'
import { STRATEGY_OPERATIONS } from './strategies/index.js'
import { STREAM_OPERATIONS } from './stream/index.js'
import { TELEMETRY_OPERATIONS } from './telemetry/index.js'
import { WHY_OPERATIONS } from './why/index.js'

export type { RateGroup } from './facts.js'
export type { NamedOperation } from './named.js'

/**
 * The operations of the areas: every route of the daemon but those of assistants (`all.ts`), with its schemas, facts and
 * function. HTTP mounting, the OpenAPI document, the typed client, the tools of assistants and the read port of workflows
 * use them.
 */
export const OPERATIONS = {
  ...ORDER_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...CHART_OPERATIONS,
  ...MESSAGE_OPERATIONS,
  ...MARKET_OPERATIONS,
  ...CONTROL_OPERATIONS,
  ...PNL_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  ...STREAM_OPERATIONS,
  ...SEARCH_OPERATIONS,
  ...HEALTH_OPERATIONS,
  ...LOG_OPERATIONS,
  ...TELEMETRY_OPERATIONS,
  ...FLOW_OPERATIONS,
  ...ALERT_OPERATIONS,
  ...STRATEGY_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...SECURITY_OPERATIONS,
  ...PAGE_OPERATIONS,
  ...ADMIN_OPERATIONS,
  ...BACKUP_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...DIAGNOSTIC_OPERATIONS,
  ...OAUTH_OPERATIONS,
  ...WHY_OPERATIONS,
} satisfies Readonly<Record<OperationName, unknown>>
export type Operations = typeof OPERATIONS

/** These operations as a list, in the order of the reference. */
export const OPERATION_LIST = operationList(OPERATIONS)
