import type { Clock, Timer } from '../../../time/index.js'

/** Most runs that start at the same time. */
const WORKERS = 4
/** The time after which a run holds no worker any more: it waits, or for somebody slow. */
const HELD_MS = 1_000

type Task = () => Promise<void>

interface Waiting {
  task: Task
  /** A monotonic reading. */
  since: number
}

/** Runs tasks, a few at a time. Those that find no worker wait in order of arrival, but not for long. */
export class RunPool<K> {
  readonly #clock: Clock
  readonly #keptMs: number
  readonly #waiting = new Map<K, Waiting>()
  #held = 0

  /** @param keptMs the time after which a task that waits is dropped */
  constructor(clock: Clock, keptMs: number) {
    this.#clock = clock
    this.#keptMs = keptMs
  }

  /**
   * Runs a task at once if a worker is free. Otherwise it waits, in the place of an earlier one with its key. It must not
   * reject. @returns whether it has begun
   */
  submit(key: K, task: Task): boolean {
    if (this.#held < WORKERS) {
      this.#begin(task)
      return true
    }
    this.#waiting.set(key, { task, since: this.#clock.monotonic() })
    return false
  }

  /** Drops the task of a key if it has not begun. */
  withdraw(key: K): void {
    this.#waiting.delete(key)
  }

  #begin(task: Task): void {
    this.#held += 1
    let isHeld = true
    const release = () => {
      this.#clock.clear(timer)
      if (!isHeld) return
      isHeld = false
      this.#held -= 1
      this.#next()
    }
    const timer: Timer = this.#clock.setTimeout(release, HELD_MS)
    void task().then(release)
  }

  #next(): void {
    for (const [key, { task, since }] of this.#waiting) {
      this.#waiting.delete(key)
      if (this.#clock.monotonic() - since > this.#keptMs) continue
      this.#begin(task)
      return
    }
  }
}
