import type { LiveDaemon, Sender } from '../../live/daemon.js'
import type { CommandRun } from './run.js'

/** The commands that may have changed something and have not ended: an end of the program names each of them. */
export class CommandRuns implements Sender {
  /** Each with the command that shows what became of it. */
  readonly #going = new Map<CommandRun, string>()

  constructor(daemon: LiveDaemon) {
    daemon.addSender(this)
  }

  /** Watches a command until it ends. */
  add(run: CommandRun, check: string): void {
    this.#going.set(run, check)
    void run.ended.then(() => this.#going.delete(run))
  }

  unanswered(): readonly string[] {
    return [...this.#going.values()]
  }

  isSettled(): boolean {
    return this.#going.size === 0
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#going.keys()].map(({ ended }) => ended))
  }
}
