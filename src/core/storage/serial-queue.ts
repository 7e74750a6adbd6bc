/** Runs asynchronous tasks one after the other, so that memory and database change in the same order. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work)
    this.#tail = result.catch(() => undefined)
    return result
  }
}
