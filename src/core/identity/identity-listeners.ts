import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'

/** Where identity reports what needs a look. */
export type IdentityLog = Pick<Logger, 'warn' | 'error'>

/** Callbacks that are told of something. One that throws is logged and harms neither the rest nor the caller. */
export class IdentityListeners<T> {
  readonly #listeners = new Set<(value: T) => void>()
  readonly #log: IdentityLog

  constructor(log: IdentityLog) {
    this.#log = log
  }

  /** @returns takes the listener off again */
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
