import type { RouteAnswer, SvcClient } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { LogFeed, type LogPages, type LogRow } from './feed.js'

type Entry = RouteAnswer<'GET /admin/api/errors'>['data'][number]

/** The most entries of one answer. Older ones are in the files of the daemon only. */
const MOST = 200

const PAGES: LogPages = {
  async first(client, search) {
    const { data } = await client.request('GET /admin/api/errors', { query: { q: search, limit: MOST } })
    return { rows: withIds(data), hasOlder: false, mark: 0 }
  },
  figures,
  isChangedBy: () => false,
}

async function figures(client: SvcClient): Promise<string> {
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
    super(daemon, PAGES)
  }
}
