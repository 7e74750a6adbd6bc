import { SerialQueue } from '../../core/storage/index.js'

/**
 * Runs acts on the same values one after the other, so that the values before and after in the trail are those of one
 * act. Routes and chats share the turns.
 */
export class ActTurns {
  readonly #queues = new Map<unknown, SerialQueue>()

  /** @param key the same for acts on the same values; there is a fixed number of keys */
  run<T>(key: unknown, act: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? new SerialQueue()
    this.#queues.set(key, queue)
    return queue.run(act)
  }
}
