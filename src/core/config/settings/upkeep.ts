import { flag, integer, schedule, text } from '../kinds.js'
import { optional, setting } from './describe.js'

/** How the daemon watches itself and its prices, and when it makes backups. */
export const UPKEEP = {
  HEALTH_MONITOR_ENABLED: setting(
    flag,
    'true',
    'Samples the daemon itself: memory, file descriptors, threads, connections. Alerts depend on it.',
  ),
  METRICS_ALLOW_LOCAL: setting(
    flag,
    'false',
    'Lets every program on this machine read /metrics without a token.',
  ),
  HEALTH_SAMPLE_INTERVAL: setting(integer(1, 3600, 'seconds'), '10', 'Time between two health samples.'),
  HEALTH_RETENTION_DAYS: setting(integer(1, 3650, 'days'), '7', 'How many days health samples are kept.'),
  HEALTH_MEMORY_WARNING_THRESHOLD: setting(
    integer(1, 10_000_000, 'megabytes'),
    '500',
    'Resident memory from which health is "warn".',
  ),
  HEALTH_MEMORY_CRITICAL_THRESHOLD: setting(
    integer(1, 10_000_000, 'megabytes'),
    '1000',
    'Resident memory from which health is "fail".',
  ),
  HEALTH_FD_WARNING_THRESHOLD: setting(
    integer(1, 10_000_000),
    '700',
    'Open file descriptors from which health is "warn".',
  ),
  HEALTH_FD_CRITICAL_THRESHOLD: setting(
    integer(1, 10_000_000),
    '900',
    'Open file descriptors from which health is "fail".',
  ),
  HEALTH_DB_WARNING_THRESHOLD: setting(
    integer(1, 100_000),
    '10',
    'Database connections from which health is "warn".',
  ),
  HEALTH_DB_CRITICAL_THRESHOLD: setting(
    integer(1, 100_000),
    '20',
    'Database connections from which health is "fail".',
  ),
  HEALTH_WS_WARNING_THRESHOLD: setting(
    integer(1, 1_000_000),
    '10',
    'Clients of the event and market streams from which health is "warn".',
  ),
  HEALTH_WS_CRITICAL_THRESHOLD: setting(
    integer(1, 1_000_000),
    '20',
    'Clients of the event and market streams from which health is "fail".',
  ),
  HEALTH_THREAD_WARNING_THRESHOLD: setting(integer(1, 100_000), '50', 'Threads from which health is "warn".'),
  HEALTH_THREAD_CRITICAL_THRESHOLD: setting(
    integer(1, 100_000),
    '100',
    'Threads from which health is "fail".',
  ),
  STRATEGY_TICK_STALE_THRESHOLD_SEC: setting(
    integer(1, 3600, 'seconds'),
    '10',
    'A symbol of a strategy without a streamed price for this long is polled.',
  ),
  STRATEGY_TICK_POLL_INTERVAL_SEC: setting(
    integer(1, 3600, 'seconds'),
    '2',
    'Time between two polls of the symbols of strategies whose stream is silent.',
  ),
  STRATEGY_TICK_POLL_BATCH_MAX: setting(integer(1, 1000, 'symbols'), '50', 'Most symbols of one poll.'),
  STRATEGY_TICK_STALE_FATAL_SEC: setting(
    integer(1, 86_400, 'seconds'),
    '60',
    'A symbol of a strategy without any price for this long is stale.',
  ),
  BACKUP_SCHEDULE: optional(
    schedule,
    'When the daemon makes a backup by itself. Without it, backups are made only with svc backup.',
  ),
  BACKUP_KEEP: setting(
    integer(1, 10_000, 'backups'),
    '7',
    'How many scheduled backups are kept. Those made with svc backup are never removed.',
  ),
  BACKUP_DIR: setting(
    text('a path', /^[^\0\n]{1,1024}$/),
    'backups',
    'Folder of the backups, on another disk if possible; relative to the home.',
  ),
}
