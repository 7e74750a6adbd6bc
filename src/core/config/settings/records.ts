import { flag, integer } from '../kinds.js'
import { setting } from './describe.js'

/** How long the service keeps its records. */
export const RECORDS = {
  ORDER_LOG_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '0',
    'How many days live order logs are kept. 0: forever.',
  ),
  ANALYZER_LOG_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '90',
    'How many days analyzer logs are kept. 0: forever.',
  ),
  LATENCY_RETENTION_DAYS: setting(
    integer(1, 36_500, 'days'),
    '7',
    'How many days timings of data calls are kept. Timings of orders are kept forever.',
  ),
  AUDIT_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '1826',
    'How many days the audit trail is kept. 0: forever.',
  ),
  TRAFFIC_LOG: setting(flag, 'true', 'Records every request in the traffic log.'),
  TRAFFIC_LOG_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '30',
    'How many days requests are kept in the traffic log. 0: forever.',
  ),
}
