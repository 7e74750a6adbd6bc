import { type RouteAnswer, type SvcClient, SvcError } from '../../client/index.js'
import { SESSION_WORDS } from '../../views/system/broker-session.js'
import { budgetText } from '../../views/system/budget.js'
import { feedText } from '../../views/system/feed.js'
import type { Column } from '../../views/table/column.js'
import { ageText } from '../../views/text/age.js'
import { countText } from '../../views/text/count.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed } from '../live/feed.js'
import { fieldsView } from '../screen/fields-view.js'
import { MODE_KEYS } from './modes.js'

type Service = RouteAnswer<'GET /status'>['data']
type Broker = RouteAnswer<'GET /broker/status'>['data']
type Installation = RouteAnswer<'GET /admin/api/system'>['data']

interface Overview {
  service: Service
  broker: Broker
  /** Undefined for a token without the scope for it. */
  installation: Installation | undefined
}

const CHANGES: ReadonlySet<string> = new Set([
  'kill_switch',
  'broker_session',
  'broker_drift',
  'master_contract_download',
  'order_in_doubt',
  'backup_failed',
])

/** The state of the service, its broker and its installation. */
class OverviewFeed extends Feed<Overview | undefined> {
  constructor(daemon: LiveDaemon) {
    const source = {
      read: readOverview,
      pauseMs: 5000,
      gatherMs: 250,
      isChangedBy: ({ event }: { event: string }) => CHANGES.has(event),
    }
    super(daemon, source, undefined)
  }
}

/** The installation stays as it is while the daemon runs, so it is read once. */
async function readOverview(client: SvcClient, before: Overview | undefined): Promise<Overview> {
  const [{ data: service }, { data: broker }, installation] = await Promise.all([
    client.request('GET /status', {}),
    client.request('GET /broker/status', {}),
    before?.installation ?? readInstallation(client),
  ])
  return { service, broker, installation }
}

async function readInstallation(client: SvcClient): Promise<Installation | undefined> {
  try {
    return (await client.request('GET /admin/api/system', {})).data
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.status === 403) return undefined
    throw thrown
  }
}

/** The fields of the overview, the ones that matter most first. */
const OVERVIEW_FIELDS: readonly Column[] = [
  { key: 'mode' },
  { key: 'order_mode', title: 'ORDER MODE' },
  { key: 'kill_switch', title: 'KILL SWITCH' },
  { key: 'broker' },
  { key: 'session_since', title: 'SESSION SINCE', kind: 'time' },
  { key: 'session_expires_at', title: 'SESSION UNTIL', kind: 'time' },
  { key: 'next_step', title: 'NEXT STEP' },
  { key: 'failed', title: 'LAST FAILED CALL' },
  { key: 'instruments' },
  { key: 'loaded_at', title: 'LOADED', kind: 'time' },
  { key: 'feed' },
  { key: 'budget', title: 'CALLS LEFT' },
  { key: 'drift', title: 'NOT FROM HERE' },
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

/** The state of the service, its broker and its installation. */
export const overview = fieldsView({
  name: 'overview',
  feed: OverviewFeed,
  record: ({ content }) => ({
    record: content === undefined ? {} : overviewRecord(content),
    fields: OVERVIEW_FIELDS,
  }),
  summary: ({ content }) =>
    content === undefined ? '' : `svc ${content.service.version}, up ${ageText(content.service.uptime_ms)}`,
  keys: MODE_KEYS,
})

const MB = 1024 * 1024

/** Returns the overview in words. A fact that the caller may not read is left out. */
function overviewRecord({ service, broker, installation }: Overview): object {
  const { backup, event_bus: bus } = service
  const { instruments, failed_call: failed } = broker
  return {
    mode: service.analyze_mode ? 'ANALYZE: orders are simulated' : `LIVE: orders reach ${service.broker}`,
    order_mode: service.order_mode === 'auto' ? 'auto: orders are executed at once' : SEMI_AUTO,
    kill_switch: service.kill_switch ? 'ON: no new order is sent' : 'off',
    broker: brokerText(broker),
    session_since: broker.session.since,
    session_expires_at: broker.session_expires_at,
    next_step: broker.session.next_step,
    failed: failed && `${failed.call}: ${failed.message}`,
    instruments: instrumentText(instruments),
    loaded_at: instruments.loaded_at,
    feed: feedText(broker.feed),
    budget: budgetText(broker.budgets),
    drift: broker.drift && (broker.drift.summary ?? 'nothing'),
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

function brokerText({ available, broker, reason, session }: Overview['broker']): string {
  const state = available ? SESSION_WORDS[session.state] : 'no plugin'
  return [broker, state, reason ?? session.reason].filter((part) => part !== null && part !== '').join(', ')
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
