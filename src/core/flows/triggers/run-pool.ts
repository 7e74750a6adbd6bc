/** How many runs monitors have under way at a time (contract, flow section 5.2). */
export const MONITOR_WORKERS = 4

/** Runs tasks in the order in which they came, a few at a time. Tasks must not reject. */
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

  /** Forgets what has not begun. */
  clear(): void {
    this.#waiting.length = 0
  }

  async #work(): Promise<void> {
    this.#active += 1
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift()) await task()
    this.#active -= 1
  }
}
