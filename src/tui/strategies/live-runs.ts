import { setTimeout as wait } from 'node:timers/promises'
import type { DaemonAccess } from '../../client/daemon-access.js'
import { type Following, type LiveRun, type StrategyFrame, stateAfter } from '../../client/index.js'
import { Store } from '../live/store.js'

/** A run with the time of its last frame, in milliseconds. */
export interface ShownRun {
  run: LiveRun
  at: number
}

export type LiveRuns = ReadonlyMap<number, ShownRun>

const TIMEOUT_MS = 10_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000
/** The daemon sends the runs of so many strategies on one connection. */
const MOST = 100

/** The runs of the followed strategies, as the daemon sends them. It connects again until it is stopped. */
export class LiveRunFeed {
  readonly runs = new Store<LiveRuns>(new Map())
  readonly #daemon: DaemonAccess
  #running = new AbortController()
  #followed: ReadonlySet<number> = new Set()
  #following: Following | undefined

  constructor(daemon: DaemonAccess) {
    this.#daemon = daemon
  }

  start(): void {
    this.#running = new AbortController()
    void this.#connect(this.#running.signal)
  }

  stop(): void {
    this.#running.abort()
  }

  /** Follows these strategies and no others. The first ones matter most. */
  follow(strategyIds: readonly number[]): void {
    const followed = new Set(strategyIds.slice(0, MOST))
    const before = this.#followed
    this.#followed = followed
    for (const id of before) if (!followed.has(id)) this.#following?.unfollow(id)
    for (const id of followed) if (!before.has(id)) this.#following?.follow(id)
    const runs = this.runs.get()
    if ([...runs.keys()].some((id) => !followed.has(id))) {
      this.runs.set(new Map([...runs].filter(([id]) => followed.has(id))))
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        const frames = this.#daemon.client(TIMEOUT_MS).strategyFrames({
          signal,
          onOpen: (following) => {
            pause = FIRST_PAUSE_MS
            this.#following = following
            for (const id of this.#followed) following.follow(id)
          },
        })
        for await (const frame of frames) this.#take(frame)
      } catch {
        // The other stream of the screen says why the daemon is away.
      }
      // A stopped feed may have been started again, with a connection of its own.
      if (signal.aborted) return
      this.#following = undefined
      this.runs.set(new Map())
      await wait(pause, undefined, { signal }).catch(() => undefined)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }

  #take(frame: StrategyFrame): void {
    const { strategy_id: id, ts_ms: at } = frame
    if (!this.#followed.has(id)) return
    const run = stateAfter(this.runs.get().get(id)?.run, frame)
    const runs = new Map(this.runs.get())
    if (run) runs.set(id, { run, at })
    else runs.delete(id)
    this.runs.set(runs)
  }
}
