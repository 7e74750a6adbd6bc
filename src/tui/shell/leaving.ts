import type { LiveDaemon } from '../live/daemon.js'

const WAITING = 'It ends when all is sent and answered. ctrl-c ends it now, other keys go on.'
const TAKEN_BACK = 'The program goes on. q ends it.'

/** The end of the program: it waits for every answer, and the user sees each that is a bad one. */
export class Leaving {
  readonly #daemon: LiveDaemon
  #isWaiting = false
  /** False once the user has gone on: a later key must not reach the shell, nor a later act stay unsent. */
  #isWanted = false

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
  }

  /** Takes the end back, because the user goes on. The key that ends the program wants it again. */
  takeBack(): void {
    if (!this.#isWanted) return
    this.#isWanted = false
    this.#daemon.changes.message.set(TAKEN_BACK)
  }

  /**
   * Waits until no decision and no change is on its way.
   * @returns whether the program may end: not when one failed meanwhile, which the message then says, and not when
   *   the user went on
   */
  async mayEnd(): Promise<boolean> {
    this.#isWanted = true
    this.#daemon.changes.message.set(WAITING)
    // A second key would count what failed since the first as seen.
    if (this.#isWaiting) return false
    this.#isWaiting = true
    try {
      const before = this.#daemon.failures.length
      await this.#daemon.settled()
      return this.#isWanted && !this.#hasFailures(before)
    } finally {
      this.#isWaiting = false
      this.#isWanted = false
    }
  }

  /** Says what failed since a moment. */
  #hasFailures(before: number): boolean {
    const { changes, failures } = this.#daemon
    const [first, ...others] = failures.slice(before)
    if (first === undefined) return false
    const more = others.length === 0 ? '' : ` ${others.length} more failed, too.`
    changes.message.set(`Not ended. ${first.replace(/\.?$/, '.')}${more}`)
    return true
  }
}
