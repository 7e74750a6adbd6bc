import type { RouteAnswer } from '../../../client/index.js'
import type { Desk } from '../../live/desk.js'
import type { Live } from '../../live/feed.js'
import { messageOf } from '../../live/message-of.js'
import { Store } from '../../live/store.js'

/** The probes have limits of a few seconds each. */
const LIMIT_MS = 60_000

type Check = RouteAnswer<'POST /admin/api/system/diagnostics'>['checks'][number]
export type Probe = Omit<Check, 'ok'> & { ok: 'yes' | 'NO' }

export interface Probed extends Live<readonly Probe[]> {
  /** The start of the run that has no result yet. */
  runningSince: number | undefined
}

const NOT_PROBED: Probed = { content: [], problem: undefined, readAt: 0, runningSince: undefined }

/** The probes of the daemon, which run when the user asks. A run goes on while other screens are shown. */
export class Probes {
  readonly state = new Store(NOT_PROBED)
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** Runs the probes, unless they run. */
  run(): void {
    if (this.state.get().runningSince === undefined) void this.#run()
  }

  async #run(): Promise<void> {
    this.state.set({ ...this.state.get(), runningSince: Date.now(), problem: undefined })
    try {
      const client = this.#desk.access.client(LIMIT_MS)
      const { checks } = await client.request('POST /admin/api/system/diagnostics', {})
      const content = checks.map(({ ok, ...row }) => ({
        ...row,
        ok: ok ? ('yes' as const) : ('NO' as const),
      }))
      this.state.set({ content, problem: undefined, readAt: Date.now(), runningSince: undefined })
    } catch (thrown) {
      this.state.set({ ...this.state.get(), problem: messageOf(thrown), runningSince: undefined })
    }
  }
}
