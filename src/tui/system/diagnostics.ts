import type { RouteAnswer } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { PROBE_COLUMNS } from '../../views/system/probe.js'
import type { Column } from '../../views/table/column.js'
import { ageText } from '../../views/text/age.js'
import { countText } from '../../views/text/count.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { Live, LiveSource } from '../live/feed.js'
import { Store } from '../live/store.js'
import { DETAILS_KEYS, listView, MOVE_KEYS } from '../screen/list-view.js'
import { TURN_KEYS } from '../screen/view.js'
import { MODE_KEYS } from './modes.js'

/** The probes have limits of a few seconds each. */
const LIMIT_MS = 60_000

type Check = RouteAnswer<'POST /admin/api/system/diagnostics'>['checks'][number]
type Probe = Omit<Check, 'ok'> & { ok: 'yes' | 'NO' }

interface Probed {
  probes: readonly Probe[]
  /** The time of the results in milliseconds; 0 before the first. */
  probedAt: number
  /** The start of the run that has no result yet. */
  runningSince: number | undefined
}

/** Before the first run there is nothing to wait for. */
const READY: Live<Probed> = {
  content: { probes: [], probedAt: 0, runningSince: undefined },
  problem: undefined,
  readAt: 1,
}

/** The probes of the daemon, which run when the user asks. A run goes on while other screens are shown. */
class Probes implements LiveSource<Probed> {
  readonly #live = new Store(READY)
  readonly #daemon: LiveDaemon

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
  }

  readonly state = this.#live.get
  readonly subscribe = this.#live.subscribe

  /** Nothing is read until the user asks. */
  hold(): () => void {
    return () => undefined
  }

  /** Runs the probes, unless they run. */
  async refresh(): Promise<void> {
    const before = this.#live.get().content
    if (before.runningSince !== undefined) return
    this.#live.set({ ...READY, content: { ...before, runningSince: Date.now() } })
    try {
      const client = this.#daemon.access.client(LIMIT_MS)
      const { checks } = await client.request('POST /admin/api/system/diagnostics', {})
      const probes = checks.map((check): Probe => ({ ...check, ok: check.ok ? 'yes' : 'NO' }))
      const probedAt = Date.now()
      this.#live.set({
        content: { probes, probedAt, runningSince: undefined },
        problem: undefined,
        readAt: probedAt,
      })
    } catch (thrown) {
      const content = { ...before, runningSince: undefined }
      this.#live.set({ content, problem: messageOf(thrown), readAt: before.probedAt })
    }
  }
}

/** How often the age of the results is shown again, and that of a run. */
const [IDLE_MS, RUNNING_MS] = [10_000, 1000]

/** The probes of the daemon: database, HTTP, market stream, broker. */
export const diagnostics = listView({
  name: 'diagnostics',
  feed: Probes,
  useRows: ({ content }) => content.probes,
  columns: PROBE_COLUMNS.map(
    (column): Column => (column.key === 'ok' ? { ...column, kind: 'status' } : column),
  ),
  empty: ({ content }) =>
    content.runningSince === undefined ? 'No probe has run. Run them: p' : 'Running the probes …',
  summary: ({ content, now }) => probedText(content, now),
  redrawMs: ({ runningSince }) => (runningSince === undefined ? IDLE_MS : RUNNING_MS),
  // `o` changes the order mode here, so the list is not filtered and sorted.
  commonKeys: [...TURN_KEYS, ...DETAILS_KEYS, ...MOVE_KEYS],
  keys: [
    {
      id: 'system.probe',
      keys: ['p'],
      does: 'probe',
      explained: 'run the probes',
      command: 'svc admin diagnostics',
      act: ({ refresh }) => refresh(),
    },
    ...MODE_KEYS,
  ],
})

function probedText({ probes, probedAt, runningSince }: Probed, now: number): string {
  if (runningSince !== undefined) return `running the probes for ${ageText(now - runningSince)} …`
  if (probedAt === 0) return 'not probed yet'
  const failed = probes.filter(({ ok }) => ok === 'NO').length
  const result = failed === 0 ? 'all probes passed' : `${countText(failed, 'probe')} FAILED`
  return `${result} ${ageText(now - probedAt)} ago`
}
