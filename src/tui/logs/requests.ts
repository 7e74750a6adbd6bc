import type { ClientEvent, SvcClient } from '../../client/index.js'
import { requestRow } from '../../views/logs/request.js'
import { countText } from '../../views/text/count.js'
import type { LiveDaemon } from '../live/daemon.js'
import { type Asked, LogFeed, type LogPages, type LogRow, PAGE } from './feed.js'

type RequestLog = 'orders' | 'analyzer'

/** The rows of one look for new ones; the next look reads on. */
const NEWER = 1000

const CHANGES: ReadonlySet<string> = new Set([
  ...['order_event', 'order_failed', 'order_notification', 'order_in_doubt', 'modify_order_event'],
  ...['cancel_order_event', 'close_position_event', 'gtt_event', 'analyzer_update'],
])

/** Returns whether the order log or the analyzer log may have new rows after an event. */
export function changesRequestLogs({ event }: Pick<ClientEvent, 'event'>): boolean {
  return CHANGES.has(event)
}

/** The order log and the analyzer log: every order request writes a row, and has an event. */
function requestPages(log: RequestLog): LogPages {
  return {
    async first(client, asked) {
      const query = { log, ...queryOf(asked), limit: PAGE }
      const page = await client.request('GET /logs/entries', { query })
      return { rows: page.data.map(requestRow), hasOlder: page.next_before !== null, mark: page.newest_id }
    },
    async newer(client, asked, mark) {
      const query = { log, ...queryOf(asked), after: mark, limit: NEWER }
      const page = await client.request('GET /logs/entries', { query })
      return { rows: page.data.map(requestRow).reverse(), mark: page.newest_id }
    },
    async older(client, asked, last) {
      const query = { log, ...queryOf(asked), before: positionOf(last), limit: PAGE }
      const page = await client.request('GET /logs/entries', { query })
      return { rows: page.data.map(requestRow), hasOlder: page.next_before !== null }
    },
    ...(log === 'analyzer' && { figures: analyzerFigures }),
    isChangedBy: changesRequestLogs,
  }
}

/** The screens of this program read all the time, so the daemon leaves reads out unless they are asked for. */
const queryOf = ({ search, reads }: Asked) => ({ search, ...(!reads && { reads: 'false' as const }) })

/** The position of a row is its time and its id, as in `next_before`. */
function positionOf(row: LogRow & { readonly time?: unknown }): string {
  return `${Date.parse(String(row.time))}-${row.id}`
}

async function analyzerFigures(client: SvcClient): Promise<string> {
  const { total_requests, issues } = await client.request('GET /analyzer/stats', {})
  return `24 hours: ${countText(total_requests, 'request')}, ${countText(issues.total, 'issue')}`
}

export class OrderLogFeed extends LogFeed {
  constructor(daemon: LiveDaemon) {
    super(daemon, requestPages('orders'))
  }
}

export class AnalyzerLogFeed extends LogFeed {
  constructor(daemon: LiveDaemon) {
    super(daemon, requestPages('analyzer'))
  }
}
