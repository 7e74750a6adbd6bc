import { z } from 'zod'
import { describeSession } from '../../broker/session-view.js'
import type { RunningService } from '../../daemon.js'
import { VERSION } from '../../version.js'
import { backupHealth, backupHealthView } from '../backup/index.js'
import { count, ok, text } from '../common/answers.js'
import { userFields, userView } from '../common/user.js'
import { sessionFields } from '../control/broker/state.js'
import { signedIn } from '../running.js'

const BYTES_PER_MIB = 1_048_576

const status = ok({
  data: z.strictObject({
    state: z.enum(['running', 'stopping']),
    pid: count,
    url: text,
    ws_url: text,
    events_url: text,
    version: text,
    mode: z.enum(['live', 'analyze']),
    ...userFields,
    broker_session: z.strictObject({ broker: text, ...sessionFields }),
    ready_for_orders: z.boolean(),
    uptime_ms: count,
    pending_approvals: count,
    in_doubt: count,
    kill_switch: z.boolean(),
    calendar_gaps: z
      .array(z.strictObject({ year: count, coverage: z.enum(['partial', 'none']), warning: text }))
      .meta({
        description: 'The years of today and of the next 60 days whose holidays the calendar does not have.',
      }),
    backup: backupHealth,
    event_bus: z.strictObject({ pending: count, max_pending: count, dropped: count }),
    event_clients: count,
    market_clients: count,
    memory_rss_mb: count,
    databases: z.record(z.string(), z.strictObject({ file: count, wal: count })),
  }),
})

/** The state of the service, for `svc status`. */
export const STATUS_OPERATIONS = {
  'GET /status': signedIn(
    'Service',
    'api',
    'read',
  )('Returns the state of the service.', {
    answer: status,
    run: async (service, _input, { username }) => ({
      status: 'success',
      data: await statusView(service, username),
    }),
  }),
}

async function statusView(service: RunningService, username: string) {
  const { approvals, backups, brokers, bus, calendar, daemon, databases, journal, mode, risk } = service
  const sizes = await Promise.all(
    Object.entries(databases).map(async ([name, database]) => [name, await database.size()] as const),
  )
  return {
    state: daemon.ready() ? ('running' as const) : ('stopping' as const),
    pid: process.pid,
    url: daemon.url,
    ws_url: daemon.wsUrl,
    events_url: daemon.eventsUrl,
    version: VERSION,
    mode: mode(),
    ...userView(service, username),
    uptime_ms: Math.round(daemon.uptimeMs()),
    broker_session: describeSession(brokers.sessionStatus()),
    ready_for_orders: daemon.readyForOrders(),
    pending_approvals: approvals.count(username),
    in_doubt: (await journal.inState('unknown')).length,
    kill_switch: risk.killSwitch.on,
    calendar_gaps: calendar.gaps().map(({ year, coverage, warning }) => ({ year, coverage, warning })),
    backup: backupHealthView(backups),
    event_bus: bus.stats(),
    event_clients: daemon.eventClients(),
    market_clients: daemon.marketClients().open,
    memory_rss_mb: Math.round(process.memoryUsage.rss() / BYTES_PER_MIB),
    databases: Object.fromEntries(sizes),
  }
}
