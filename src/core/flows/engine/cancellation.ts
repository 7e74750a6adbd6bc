/**
 * Ends a run from outside. The signal, which costs more than most nodes do, is made for the first who asks for it.
 */
export class Cancellation {
  #reason: Error | undefined
  #controller: AbortController | undefined

  cancel(reason: Error): void {
    this.#reason ??= reason
    this.#controller?.abort(this.#reason)
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#reason) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  get isCancelled(): boolean {
    return this.#reason !== undefined
  }

  /** @throws the reason of the cancellation */
  throwIfCancelled(): void {
    if (this.#reason) throw this.#reason
  }
}
