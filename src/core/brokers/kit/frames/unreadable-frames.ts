import type { Logger } from '../../../logging/index.js'
import type { Clock } from '../../../time/index.js'
import { BrokerError } from '../../broker.js'

/** Takes why a packet cannot be read. */
export type OnUnreadable = (reason: string) => void

/**
 * Reads a packet whose end is known. One that cannot be read is left out, and those after it count.
 * @returns undefined for one that cannot be read
 */
export function packetRead<T>(read: () => T, onUnreadable: OnUnreadable): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error
    onUnreadable(error.message)
    return undefined
  }
}

/** So often at most a line tells of them: a feed sends hundreds of frames a second. */
const PAUSE_MS = 60_000

/** Logs the frames and packets of a feed that cannot be read: the first at once, then how many there were in each minute. */
export class UnreadableFrames {
  #count = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  /** @param event the name of the line */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly event: string,
  ) {}

  note(reason: string): void {
    this.#count += 1
    const now = this.clock.monotonic()
    if (now - this.#loggedAt < PAUSE_MS) return
    this.log.warn(this.event, { reason, count: this.#count })
    this.#count = 0
    this.#loggedAt = now
  }
}
