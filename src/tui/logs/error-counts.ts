import type { RouteAnswer, SvcClient } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed } from '../live/feed.js'

type Entry = RouteAnswer<'GET /admin/api/errors'>['data'][number]

/** The counts of the error log. */
export interface ErrorCounts {
  total: number
  lastDay: number
  lastHour: number
  /** Undefined for an empty log. */
  newest: Entry | undefined
}

const NONE: ErrorCounts = { total: 0, lastDay: 0, lastHour: 0, newest: undefined }
/** The daemon reads its file for each count. */
const PAUSE_MS = 15_000

/** The counts of the error log with its newest entry, for who does not look at the log itself. */
export class ErrorCountFeed extends Feed<ErrorCounts> {
  constructor(daemon: LiveDaemon) {
    const source = { read: readCounts, isChangedBy: () => false, pauseMs: PAUSE_MS, gatherMs: 250 }
    super(daemon, source, NONE)
  }
}

async function readCounts(client: SvcClient): Promise<ErrorCounts> {
  const { total, last_24h, last_1h } = await client.request('GET /admin/api/errors/stats', {})
  const newest = total === 0 ? undefined : await readNewest(client)
  return { total, lastDay: last_24h, lastHour: last_1h, newest }
}

async function readNewest(client: SvcClient): Promise<Entry | undefined> {
  const { data } = await client.request('GET /admin/api/errors', { query: { limit: 1 } })
  return data.at(-1)
}
