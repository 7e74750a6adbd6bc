import type { LiveDaemon } from '../live/daemon.js'

const WAITING = 'It ends when every decision and change is answered. ctrl-c ends it now.'

/** The end of the program: it waits for every answer, and the user sees each that is a bad one. */
export class Leaving {
  readonly #daemon: LiveDaemon
  #isWaiting = false

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
  }

  /**
   * Waits until no decision and no change is on its way.
   * @returns whether the program may end: not when one failed meanwhile, which the message then says
   */
  async mayEnd(): Promise<boolean> {
    const { changes } = this.#daemon
    changes.message.set(WAITING)
    // A second key would count what failed since the first as seen.
    if (this.#isWaiting) return false
    this.#isWaiting = true
    try {
      const before = this.#daemon.failures.length
      await this.#daemon.settled()
      const [first, ...others] = this.#daemon.failures.slice(before)
      if (first === undefined) return true
      const more = others.length === 0 ? '' : ` ${others.length} more failed, too.`
      changes.message.set(`Not ended. ${first.replace(/\.?$/, '.')}${more}`)
      return false
    } finally {
      this.#isWaiting = false
    }
  }
}
