import type { RouteAnswer, SvcClient } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'

export type Listed = RouteAnswer<'GET /flow/api/workflows'>[number]

/** A workflow of the list. */
export interface FlowRow extends Listed {
  state: 'active' | 'inactive'
}

const SOURCE: Source<readonly FlowRow[]> = {
  read: readRows,
  isChangedBy: ({ event }) => event === 'flow_execution',
  // An activation has no event.
  pauseMs: 5000,
  gatherMs: 500,
}

async function readRows(client: SvcClient): Promise<readonly FlowRow[]> {
  const rows = await client.request('GET /flow/api/workflows', {})
  return rows.map((row) => ({ ...row, state: row.is_active ? 'active' : 'inactive' }))
}

/** The workflows, live: last changed first. */
export class FlowFeed extends Feed<readonly FlowRow[]> {
  constructor(daemon: LiveDaemon) {
    super(daemon, SOURCE, [])
  }
}

/** Returns the workflow that a word of the command line names: an id, a key, or a name. */
export function flowNamed(rows: readonly FlowRow[], word: string): FlowRow | undefined {
  if (/^\d+$/.test(word)) return rows.find(({ id }) => String(id) === word)
  return rows.find(({ file_key: key }) => key === word) ?? rows.find(({ name }) => name === word)
}
