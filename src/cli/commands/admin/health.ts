import type { RouteAnswer } from '../../../client/endpoints.js'
import { ALERT_COLUMNS } from '../../../views/system/health-alert.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'

/** Returns each measure in a line that fits a terminal of 80 columns; documents have the whole sample. */
function summaryOf({ database, fd, memory, threads, websocket }: RouteAnswer<'GET /health/api/current'>) {
  return {
    descriptors_text: `${fd.status}: ${fd.count ?? '-'} of ${fd.limit ?? '-'}`,
    memory_text: `${memory.status}: ${memory.rss_mb} MB (${memory.percent} %), ${memory.available_mb} MB free`,
    database_text: `${database.status}: ${database.total}`,
    streams_text: `${websocket.status}: ${websocket.total}, ${websocket.total_symbols} symbols`,
    threads_text: `${threads.status}: ${threads.count ?? '-'}, ${threads.stuck} stuck`,
  }
}

const current = declared({
  name: 'current',
  summary: 'Shows the newest health sample of the daemon.',
  examples: ['admin health current', 'admin health current --jq .memory.rss_mb'],
  calls: 'GET /health/api/current',
  record: (sample) => ({
    record: { ...sample, ...summaryOf(sample) },
    id: 'overall_status',
    fields: [
      { key: 'timestamp', title: 'SAMPLED', kind: 'time' },
      { key: 'overall_status', title: 'STATUS' },
      { key: 'descriptors_text', title: 'FILE DESCRIPTORS', human: true },
      { key: 'memory_text', title: 'MEMORY', human: true },
      { key: 'database_text', title: 'DATABASE CONNECTIONS', human: true },
      { key: 'streams_text', title: 'STREAM CLIENTS', human: true },
      { key: 'threads_text', title: 'THREADS', human: true },
    ],
  }),
})

const alerts = declared({
  name: 'alerts',
  summary: 'Lists the health alerts that are open, newest first.',
  examples: ['admin health alerts', 'admin health alerts --json'],
  calls: 'GET /health/api/alerts',
  list: (alerts) => ({ rows: alerts, id: 'id', empty: 'No open alerts.', columns: ALERT_COLUMNS }),
})

const ID = [{ syntax: '<id>', summary: 'id from svc admin health alerts' }] as const

const alertOf = (input: Input) => ({ params: { id: input.required(0) } })

const acknowledge = declared({
  name: 'acknowledge',
  aliases: ['ack'],
  summary: 'Marks a health alert as seen. It stays open until its cause ends.',
  examples: ['admin health acknowledge 3'],
  arguments: ID,
  calls: 'POST /health/api/alerts/:id/acknowledge',
  request: alertOf,
  acted: ({ message }) => `${message}.`,
})

const resolve = declared({
  name: 'resolve',
  summary: 'Closes a health alert. It opens again if its cause is still there.',
  examples: ['admin health resolve 3'],
  arguments: ID,
  calls: 'POST /health/api/alerts/:id/resolve',
  request: alertOf,
  acted: ({ message }) => `${message}.`,
})

export const health: CommandSpec = {
  name: 'health',
  summary: 'The health samples of the daemon, and their alerts.',
  details: 'Without a verb it shows the newest sample.',
  examples: ['admin health', 'admin health alerts', 'admin health acknowledge 3'],
  verbs: [current, alerts, acknowledge, resolve],
  run: current.run,
}
