/**
 * A queue of messages from a socket, which pushes, to a reader, which pulls. It ends when the socket closes.
 */
export class Inbox<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = []
  #wake: (() => void) | undefined
  #ended = false
  #failure: { reason: unknown } | undefined

  put(message: T): void {
    this.#waiting.push(message)
    this.#wake?.()
  }

  /** Ends the queue with an error. The reader gets it after all earlier messages. */
  fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.end()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) yield next
      if (this.#failure) throw this.#failure.reason
      if (this.#ended) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
