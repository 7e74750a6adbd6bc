/** Counts the requests to stop each strategy: a signal that came before one opens no run after it. */
export class Stops {
  readonly #counts = new Map<number, number>()

  note(strategyId: number): void {
    this.#counts.set(strategyId, this.#of(strategyId) + 1)
  }

  /** Returns a question: was the strategy asked to stop after now? */
  since(strategyId: number): () => boolean {
    const before = this.#of(strategyId)
    return () => this.#of(strategyId) !== before
  }

  #of(strategyId: number): number {
    return this.#counts.get(strategyId) ?? 0
  }
}
