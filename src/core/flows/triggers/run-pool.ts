/** Most runs that the monitors execute at the same time. */
const MONITOR_WORKERS = 4

/** Runs tasks in order of arrival, a few at a time. Tasks must not reject. */
export class RunPool {
  readonly #workers: number
  readonly #waiting: (() => Promise<void>)[] = []
  #active = 0

  constructor(workers: number = MONITOR_WORKERS) {
    this.#workers = workers
  }

  submit(task: () => Promise<void>): void {
    this.#waiting.push(task)
    if (this.#active < this.#workers) void this.#work()
  }

  /** Drops the tasks that have not begun. */
  clear(): void {
    this.#waiting.length = 0
  }

  async #work(): Promise<void> {
    this.#active += 1
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift()) await task()
    this.#active -= 1
  }
}
