import type { RouteAnswer, SvcClient } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'
import { Store } from '../live/store.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'

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

/** Returns how many workflows are active, run now, and failed when they ran last. */
export function flowCounts(rows: readonly FlowRow[]): { active: number; running: number; failed: number } {
  const withLast = (status: FlowRow['last_execution_status']) =>
    rows.filter(({ last_execution_status: last }) => last === status).length
  return {
    active: rows.filter((row) => row.is_active).length,
    running: withLast('running'),
    failed: withLast('failed'),
  }
}

/** Returns the workflow that a word of the command line names: an id, a key, or a name. */
export function flowNamed(rows: readonly FlowRow[], word: string): FlowRow | undefined {
  if (/^\d+$/.test(word)) return rows.find(({ id }) => String(id) === word)
  return rows.find(({ file_key: key }) => key === word) ?? rows.find(({ name }) => name === word)
}

interface Place {
  /** The open workflow as the command line names it; undefined for the list. */
  opened: string | undefined
  /** The chosen run; undefined for the newest one. */
  run: number | undefined
}

/** The workflow that is open, and its chosen run. They outlive the screen. */
export class FlowPlace {
  readonly at = new Store<Place>({ opened: undefined, run: undefined })

  /** Opens a workflow with its newest run, or the list. */
  open(opened: string | undefined): void {
    this.at.set({ opened, run: undefined })
  }

  chooseRun(run: number): void {
    this.at.set({ ...this.at.get(), run })
  }
}

/** A hook: returns the open workflow; undefined while the list is shown, or it is not read. */
export function useOpenedRow(): FlowRow | undefined {
  const daemon = useDaemon()
  const { content } = useFeed(daemon.part(FlowFeed))
  const { opened } = useStore(daemon.part(FlowPlace).at)
  return opened === undefined ? undefined : flowNamed(content, opened)
}
