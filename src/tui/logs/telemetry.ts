import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { countText } from '../../views/text/count.js'
import type { LiveDaemon } from '../live/daemon.js'
import { LogFeed, type LogPages, type LogRow, PAGE } from './feed.js'

interface Row {
  readonly id: number
}

interface PageQuery {
  limit: number
  search?: string | undefined
  before?: number
  after?: number
}

const NEWER = 1000

/** A log whose pages are read by the ids of its rows, newest first. Its rows have no events. */
function telemetryPages(
  read: (client: SvcClient, query: PageQuery) => Promise<readonly Row[]>,
  figures: (client: SvcClient) => Promise<string>,
): LogPages {
  return {
    async first(client, { search }) {
      // Read before the page, so that no row between them is missed.
      const newest = search === undefined ? [] : await read(client, { limit: 1 })
      const rows = await read(client, { limit: PAGE, search })
      return { rows, hasOlder: rows.length === PAGE, mark: markOf([...rows, ...newest], 0) }
    },
    async newer(client, { search }, mark) {
      const rows = await read(client, { limit: NEWER, search, after: mark })
      return { rows, mark: markOf(rows, mark) }
    },
    async older(client, { search }, last) {
      const rows = await read(client, { limit: PAGE, search, before: Number(last.id) })
      return { rows, hasOlder: rows.length === PAGE }
    },
    figures,
    isChangedBy: () => false,
  }
}

/** Rows are sorted by their time, and a row with a later time may have a smaller id. */
function markOf(rows: readonly Row[], least: number): number {
  return rows.reduce((most, { id }) => Math.max(most, id), least)
}

const ms = (value: number) => `${value.toFixed(1)} ms`

async function trafficFigures(client: SvcClient): Promise<string> {
  const { total_requests, error_requests, avg_duration } = (
    await client.request('GET /traffic/api/stats', {})
  ).overall
  return `${countText(total_requests, 'request')}, ${countText(error_requests, 'error')}, ${ms(avg_duration)} on average`
}

async function latencyFigures(client: SvcClient): Promise<string> {
  const stats = await client.request('GET /latency/api/stats', {})
  const { total_orders, failed_orders, avg_total, p50_total, p99_total } = stats
  const times = `${ms(avg_total)} on average, p50 ${ms(p50_total)}, p99 ${ms(p99_total)}`
  return `${countText(total_orders, 'order')}, ${failed_orders} failed, ${times}`
}

export class TrafficLogFeed extends LogFeed {
  constructor(daemon: LiveDaemon) {
    super(
      daemon,
      telemetryPages((client, query) => client.request('GET /traffic/api/logs', { query }), trafficFigures),
    )
  }
}

export class LatencyLogFeed extends LogFeed {
  constructor(daemon: LiveDaemon) {
    super(
      daemon,
      telemetryPages((client, query) => client.request('GET /latency/api/logs', { query }), latencyFigures),
    )
  }
}

type Entry = RouteAnswer<'GET /admin/api/errors'>['data'][number]

/** The most entries of one answer. Older ones are in the files of the daemon only. */
const MOST = 200

const ERROR_PAGES: LogPages = {
  async first(client, { search }) {
    const { data } = await client.request('GET /admin/api/errors', { query: { q: search, limit: MOST } })
    return { rows: withIds(data), hasOlder: false, mark: 0 }
  },
  figures: errorFigures,
  isChangedBy: () => false,
}

async function errorFigures(client: SvcClient): Promise<string> {
  const { total, last_24h, last_1h } = await client.request('GET /admin/api/errors/stats', {})
  return `${total} in the log, ${last_24h} in 24 hours, ${last_1h} in 1 hour`
}

/** Returns the entries, newest first. They have no ids: equal ones are counted from the oldest. */
function withIds(entries: readonly Entry[]): readonly LogRow[] {
  const seen = new Map<string, number>()
  return entries
    .map((entry) => {
      const name = `${entry.at} ${entry.logger} ${entry.message}`
      const count = (seen.get(name) ?? 0) + 1
      seen.set(name, count)
      return { ...entry, id: `${name} ${count}` }
    })
    .reverse()
}

export class ErrorLogFeed extends LogFeed {
  constructor(daemon: LiveDaemon) {
    super(daemon, ERROR_PAGES)
  }
}
