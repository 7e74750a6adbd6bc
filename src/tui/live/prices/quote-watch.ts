import type { Quote } from './quote.js'

export type Quotes = ReadonlyMap<string, Quote>

interface QuoteWatchParts {
  quoteOf(key: string): Quote | undefined
  /** Keeps the symbols of a watch live. @returns the release */
  hold(watch: QuoteWatch): () => void
}

/** The prices of some symbols. They are live, and change only together with one of these symbols, while somebody listens. */
export class QuoteWatch {
  readonly #keys: readonly string[]
  readonly #parts: QuoteWatchParts
  readonly #listeners = new Set<() => void>()
  #release: (() => void) | undefined
  #quotes: Quotes

  constructor(keys: readonly string[], parts: QuoteWatchParts) {
    this.#keys = keys
    this.#parts = parts
    this.#quotes = this.#read()
  }

  readonly quotes = (): Quotes => this.#quotes

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#release ??= this.#parts.hold(this)
    // Prices may have come since the watch was made.
    if (this.#keys.some((key) => this.#parts.quoteOf(key) !== this.#quotes.get(key)))
      this.#quotes = this.#read()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#release?.()
      this.#release = undefined
    }
  }

  /** Takes the new prices of some symbols, and tells the listeners if one of its own is among them. */
  tell(changed: ReadonlySet<string>): void {
    if (!this.#keys.some((key) => changed.has(key))) return
    this.#quotes = this.#read()
    for (const listener of [...this.#listeners]) listener()
  }

  #read(): Quotes {
    const found = new Map<string, Quote>()
    for (const key of this.#keys) {
      const quote = this.#parts.quoteOf(key)
      if (quote !== undefined) found.set(key, quote)
    }
    return found
  }
}
