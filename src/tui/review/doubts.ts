import { NoAnswerError, SvcError } from '../../client/index.js'
import type { Change } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Store } from '../live/store.js'

/** A change that was sent, and whose outcome is not known. */
export interface Doubt {
  name: string
  /** The command that shows what became of it. */
  check: string
}

/** The changes in doubt of this program. They stay on the screen until the user says that they are looked up. */
export class Doubts {
  readonly list = new Store<readonly Doubt[]>([])
  readonly #daemon: LiveDaemon

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
  }

  /** Returns a change that enters the list when its outcome is not known. */
  watched(change: Change): Change {
    return {
      ...change,
      send: async (client) => {
        try {
          return await change.send(client)
        } catch (thrown) {
          const check = checkOf(thrown, change)
          if (check !== undefined) this.list.set([...this.list.get(), { name: change.name, check }])
          throw thrown
        }
      },
    }
  }

  /** Removes all: the user has looked them up. */
  forget(): void {
    if (this.list.get().length === 0) this.#daemon.changes.say('No order is in doubt.')
    this.list.set([])
  }
}

/** Returns the command that looks up a change whose outcome is not known; undefined for a known one. */
function checkOf(thrown: unknown, { check }: Change): string | undefined {
  if (thrown instanceof NoAnswerError) return thrown.sent ? check : undefined
  if (!(thrown instanceof SvcError) || thrown.code !== 'outcome_unknown') return undefined
  return thrown.orderRef === undefined ? check : `svc order status ${thrown.orderRef}`
}
