import { Box, Text } from 'ink'
import { NoAnswerError, SvcError } from '../../client/index.js'
import { visible } from '../../views/table/cells.js'
import type { Change } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Store } from '../live/store.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import { cut } from '../terminal/fit.js'
import { useTone } from '../terminal/theme.js'

/** The newest doubts; the rest is counted. */
const MOST = 3

/** Returns the changes in doubt, the newest first, and the lines that they take. */
export function useDoubts(): { doubts: readonly Doubt[]; lines: number } {
  const doubts = useStore(useDaemon().part(Doubts).list)
  return { doubts: doubts.toReversed(), lines: Math.min(MOST, doubts.length) }
}

/** The changes whose outcome is not known, each with the command that looks it up. */
export function DoubtLines({ doubts, width }: { doubts: readonly Doubt[]; width: number }) {
  const tone = useTone()
  const rest = doubts.length - MOST
  return (
    <Box flexDirection="column">
      {doubts.slice(0, MOST).map(({ name, check }, index) => {
        const more = index === MOST - 1 && rest > 0 ? `, and ${rest} more` : ''
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two doubts may be alike
          <Text key={index} bold {...tone('warning')}>
            {cut(visible(`IN DOUBT ${check} (${name})${more}`), width)}
          </Text>
        )
      })}
    </Box>
  )
}

/** A change that was sent, and whose outcome is not known. */
interface Doubt {
  name: string
  /** The command that shows what became of it. */
  check: string
  /** The change as its question had it. */
  change: Change
}

/** The changes in doubt of this program. They stay on the screen until the user says that they are looked up. */
export class Doubts {
  readonly list = new Store<readonly Doubt[]>([])
  readonly #daemon: LiveDaemon

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
  }

  /** Returns a change that enters the list of a daemon when its outcome is not known. */
  static watchedBy(change: Change, daemon: LiveDaemon): Change {
    return daemon.part(Doubts).watched(change)
  }

  /** Returns a change that enters the list when its outcome is not known. */
  watched(change: Change): Change {
    return {
      ...change,
      send: async (client) => {
        try {
          return await change.send(client)
        } catch (thrown) {
          const check = doubtCheck(thrown, change)
          if (check !== undefined) this.#add({ name: change.name, check, change })
          throw thrown
        }
      },
    }
  }

  #add(doubt: Doubt): void {
    this.list.set([...this.list.get(), doubt])
  }

  /** Returns whether the outcome of a change is not known, and the user has not looked it up. */
  has(change: Change): boolean {
    return this.list.get().some((doubt) => doubt.change === change)
  }

  /** Removes a change whose outcome is known now. */
  settle(change: Change): void {
    if (this.has(change)) this.list.set(this.list.get().filter((doubt) => doubt.change !== change))
  }

  /** Removes all: the user has looked them up. */
  forget(): void {
    if (this.list.get().length === 0) this.#daemon.changes.say('No order is in doubt.')
    this.list.set([])
  }
}

/** The key that forgets the doubts; each screen gives it an id of its own. */
export const FORGET_DOUBTS = {
  keys: ['d'],
  explained: 'forget the requests in doubt, when you have looked them up',
  act: ({ daemon }: { daemon: LiveDaemon }) => daemon.part(Doubts).forget(),
} as const

/** Returns the command that looks up a change whose outcome is not known; undefined for a known one. */
function doubtCheck(thrown: unknown, { check }: Change): string | undefined {
  if (thrown instanceof NoAnswerError) return thrown.sent ? check : undefined
  if (!(thrown instanceof SvcError) || thrown.code !== 'outcome_unknown') return undefined
  return thrown.orderRef === undefined ? check : `svc order status ${thrown.orderRef}`
}
