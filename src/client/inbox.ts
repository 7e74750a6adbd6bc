/** Messages between a socket, which pushes, and a reader, who pulls. Ends when the socket does. */
export class Inbox<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = []
  #wake: (() => void) | undefined
  #ended = false
  #failure: { reason: unknown } | undefined

  put(message: T): void {
    this.#waiting.push(message)
    this.#wake?.()
  }

  /** Ends with an error, once what came before it is read. */
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
