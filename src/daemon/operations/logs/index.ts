import { ANALYZER_LOG_OPERATIONS } from './analyzer-log.js'
import { ORDER_LOG_OPERATIONS } from './order-log.js'

/** The operations of the order log and the analyzer log (docs/logs.md). */
export const LOG_OPERATIONS = { ...ORDER_LOG_OPERATIONS, ...ANALYZER_LOG_OPERATIONS }
