import { feedText } from '../../views/system/feed.js'
import type { Column } from '../../views/table/column.js'
import { ageText } from '../../views/text/age.js'
import { countText } from '../../views/text/count.js'
import type { Overview } from './feeds/overview.js'

/** The fields of the overview, the ones that matter most first. */
export const OVERVIEW_FIELDS: readonly Column[] = [
  { key: 'mode' },
  { key: 'order_mode', title: 'ORDER MODE' },
  { key: 'kill_switch', title: 'KILL SWITCH' },
  { key: 'broker' },
  { key: 'session_expires_at', title: 'SESSION UNTIL', kind: 'time' },
  { key: 'failed', title: 'LAST FAILED CALL' },
  { key: 'instruments' },
  { key: 'loaded_at', title: 'LOADED', kind: 'time' },
  { key: 'feed' },
  { key: 'waiting' },
  { key: 'databases' },
  { key: 'event_bus', title: 'EVENT BUS' },
  { key: 'clients' },
  { key: 'backup' },
  { key: 'newest_backup', title: 'NEWEST BACKUP', kind: 'time' },
  { key: 'calendar' },
  { key: 'version' },
  { key: 'uptime' },
  { key: 'process' },
  { key: 'address' },
  { key: 'machine' },
  { key: 'log_dir', title: 'LOG FOLDER' },
]

const MB = 1024 * 1024

/** Returns the overview in words. A fact that the caller may not read is left out. */
export function overviewRecord({ service, broker, installation }: Overview): object {
  const { backup, event_bus: bus } = service
  const { instruments, failed_call: failed } = broker
  return {
    mode: service.analyze_mode ? 'ANALYZE: orders are simulated' : `LIVE: orders reach ${service.broker}`,
    order_mode: service.order_mode === 'auto' ? 'auto: orders are executed at once' : SEMI_AUTO,
    kill_switch: service.kill_switch ? 'ON: no new order is sent' : 'off',
    broker: brokerText(broker),
    session_expires_at: broker.session_expires_at,
    failed: failed && `${failed.call}: ${failed.message}`,
    instruments: instrumentText(instruments),
    loaded_at: instruments.loaded_at,
    feed: feedText(broker.feed),
    waiting: `${countText(service.pending_approvals, 'approval')}, ${countText(service.in_doubt, 'order')} in doubt`,
    databases: databaseText(service.databases),
    event_bus: `${bus.pending} waiting (at most ${bus.max_pending}), ${bus.dropped} dropped`,
    clients: `${service.event_clients} of events, ${service.market_clients} of prices`,
    backup: backupText(backup),
    newest_backup: backup.newest_at,
    calendar: service.calendar_gaps.map(({ warning }) => warning).join(' '),
    version: service.version,
    uptime: ageText(service.uptime_ms),
    process: `pid ${service.pid}, ${service.memory_rss_mb} MB`,
    address: `${service.url}, ${service.ws_url}`,
    ...(installation && {
      machine: `${installation.host.platform}, Node ${installation.runtime.node_version}`,
      log_dir: installation.config.log_dir,
    }),
  }
}

const SEMI_AUTO = 'semi_auto: orders wait for approval'

function brokerText({ available, broker, connected, reason }: Overview['broker']): string {
  const state = connected ? 'signed in' : available ? 'signed out' : 'no plugin'
  return [broker, state, reason].filter((part) => part !== null && part !== '').join(', ')
}

function instrumentText({ count, last_error, source, state }: Overview['broker']['instruments']): string {
  const facts = [`${count.toLocaleString('en-IN')} ${state}`, source && `from ${source}`, last_error]
  return facts.filter((fact) => fact !== null && fact !== '').join(', ')
}

function databaseText(databases: Overview['service']['databases']): string {
  const sizes = Object.entries(databases).map(
    ([name, { file, wal }]) => `${name} ${megabytes(file)} (log ${megabytes(wal)})`,
  )
  return sizes.join(', ')
}

const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`

function backupText({ failure, newest_at, overdue, schedule }: Overview['service']['backup']): string {
  if (failure !== null) return `FAILED: ${failure.message}`
  if (overdue) return `OVERDUE: scheduled ${schedule ?? ''}`
  if (schedule !== null) return `scheduled ${schedule}`
  return newest_at === null ? 'none, and none scheduled' : 'none scheduled'
}
