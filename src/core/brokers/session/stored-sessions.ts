import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock } from '../../time/index.js'
import type { BrokerSession } from '../auth.js'
import { expiryOf, type SessionEnd } from './session-watch.js'
import type { BrokerStore } from './store.js'

/** How a stored session ended. */
interface StoredEnd {
  session: BrokerSession
  end: SessionEnd
  /** False if its hour came while the service was down: nobody was told. */
  isNoted: boolean
}

/** The sessions in the store, with whether they are still valid. */
export class StoredSessions {
  constructor(
    private readonly store: BrokerStore,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly log: Logger,
  ) {}

  /** Returns the session of a broker while it is valid. */
  async valid(broker: string): Promise<BrokerSession | undefined> {
    return (await this.ended(broker)) ? undefined : this.store.session(broker)
  }

  /** Returns how the session of a broker ended: as it was noted, or at its hour. Undefined if it has not, or there is none. */
  async ended(broker: string): Promise<StoredEnd | undefined> {
    const session = await this.store.session(broker)
    if (session === undefined) return undefined
    const noted = await this.store.end(broker)
    if (noted) return { session, end: noted, isNoted: true }
    const { expiresAt } = session
    const isOver = expiresAt !== undefined && expiresAt <= this.clock.now()
    return isOver ? { session, end: expiryOf(expiresAt), isNoted: false } : undefined
  }

  /** Stores that a session ended by itself, so that a restart does not use it. A failure is only logged. */
  async noteEnd(broker: string, session: BrokerSession, end: SessionEnd): Promise<void> {
    await this.store.endSession(broker, session, end, this.clock.now()).catch((error: unknown) => {
      this.log.warn('broker.session_end_not_stored', { error: messageOf(error) })
    })
  }
}
