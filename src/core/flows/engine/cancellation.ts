/**
 * Cancels a run from outside. The abort signal is created on first use, because it costs more than most
 * nodes.
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
