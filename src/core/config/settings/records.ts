import { LOG_LEVELS, type LogLevel } from '../../logging/index.js'
import { flag, integer, oneOf, text } from '../kinds.js'
import { optional, setting } from './describe.js'

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

const logLevels = Object.keys(LOG_LEVELS) as LogLevel[]

/** The build, and the log files of the service. */
export const LOGS = {
  SVC_GIT_BRANCH: optional(
    text('a name of up to 200 characters', /^[^\0\n]{1,200}$/),
    'Branch that this program was built from, for the system snapshot. A container image sets it.',
  ),
  SVC_GIT_COMMIT: optional(
    text('7 to 64 hexadecimal digits', /^[0-9a-f]{7,64}$/i),
    'Commit that this program was built from, in the same way.',
  ),

  LOG_TO_FILE: setting(flag, 'false', 'Writes a log file per day.'),
  LOG_LEVEL: setting(oneOf(logLevels), 'INFO', 'The lowest severity that is logged.'),
  LOG_DIR: setting(
    text('a path', /^[^\0]{1,1024}$/),
    'log',
    'Folder of the log files; relative to the home.',
  ),
  LOG_RETENTION: setting(
    integer(1, 3650, 'files and days'),
    '14',
    'How many log files are kept, and for how many days.',
  ),
}
