import { BOOK_PAGES } from '../account/pages.js'
import { QUEUE_PAGES } from '../approvals/queue.js'
import { LOG_PAGES } from '../logs/order-log.js'
import { PNL_PAGE } from '../pnl/index.js'
import { STRATEGY_PAGES } from '../strategies/pages.js'
import { LATENCY_PAGE } from '../telemetry/latency.js'
import { TRAFFIC_PAGE } from '../telemetry/traffic.js'
import { INSTALLED_OPERATIONS } from './installed.js'
import { LANDING_OPERATIONS } from './landing.js'
import { SECURITY_PAGE_OPERATIONS } from './security.js'
import { PROOF_PAGE_OPERATIONS, VISITOR_PAGE_OPERATIONS } from './visitor.js'

/**
 * The addresses that a browser sees as pages, and a script as JSON. The rows of other chapters with the type
 * `text/html` are pages too.
 */
export const PAGE_OPERATIONS = {
  ...QUEUE_PAGES,
  ...BOOK_PAGES,
  ...PNL_PAGE,
  ...STRATEGY_PAGES,
  ...PROOF_PAGE_OPERATIONS,
  ...LANDING_OPERATIONS,
  ...LOG_PAGES,
  ...TRAFFIC_PAGE,
  ...LATENCY_PAGE,
  ...SECURITY_PAGE_OPERATIONS,
  ...VISITOR_PAGE_OPERATIONS,
  ...INSTALLED_OPERATIONS,
}
