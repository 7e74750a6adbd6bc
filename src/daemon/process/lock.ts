import { join } from 'node:path'
import { messageOf, ServiceError } from '../../core/errors/index.js'
import { FileLock } from '../../core/storage/index.js'
import type { Clock } from '../../core/time/index.js'

/**
 * The time for which one check of the lock file counts: far shorter than the start of a second daemon.
 */
const LOOK_MS = 100
/** A command that only looks whether a daemon has the lock takes it for less than this: no start fails because of it. */
const LOOKED_AT_MS = 500

/**
 * The lock of a home, so that only one daemon runs in it. The lock is an open transaction on a file of its
 * own. The operating system releases it when the process ends in any way, so a crash leaves no stale lock.
 */
export class HomeLock {
  readonly #lock: FileLock
  readonly #clock: Pick<Clock, 'monotonic'>
  #lookedAt = Number.NEGATIVE_INFINITY
  #missing: string | undefined

  private constructor(lock: FileLock, clock: Pick<Clock, 'monotonic'>) {
    this.#lock = lock
    this.#clock = clock
  }

  /** @throws ServiceError `conflict` when another daemon has the lock */
  static async acquire(home: string, clock: Pick<Clock, 'monotonic'>): Promise<HomeLock> {
    try {
      return new HomeLock(await FileLock.acquire(join(home, 'daemon.lock'), LOOKED_AT_MS), clock)
    } catch (error) {
      if (!/SQLITE_(BUSY|LOCKED)/.test(messageOf(error))) throw error
      throw new ServiceError(
        'conflict',
        `Another svc daemon is running in ${home}, or is starting there. Stop it with: svc down (${messageOf(error)})`,
        { cause: error },
      )
    }
  }

  /**
   * Returns the path of the lock file when it was removed or replaced. A second daemon can start then, so the
   * first must execute nothing more. Every commit asks for it.
   */
  missing(): string | undefined {
    const now = this.#clock.monotonic()
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#missing = this.#lock.missing()
      this.#lookedAt = now
    }
    return this.#missing
  }

  release(): Promise<void> {
    return this.#lock.release()
  }
}
