import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'

/** The log for problems that somebody should look at. */
export type IdentityLog = Pick<Logger, 'warn' | 'error'>

/** A list of callbacks. An exception in one is logged and affects neither the others nor the caller. */
export class IdentityListeners<T> {
  readonly #listeners = new Set<(value: T) => void>()
  readonly #log: IdentityLog

  constructor(log: IdentityLog) {
    this.#log = log
  }

  /** Adds a listener. @returns a function that removes it */
  add(listener: (value: T) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  emit(value: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(value)
      } catch (error) {
        this.#log.error('identity.listener_failed', { reason: messageOf(error) })
      }
    }
  }
}
