import type { Quote } from './quote.js'

export type Quotes = ReadonlyMap<string, Quote>

interface QuoteSource {
  quoteOf(key: string): Quote | undefined
  /** Keeps the symbols of a watch live. @returns the release */
  hold(watch: QuoteWatch): () => void
}

/** The prices of some symbols. They are live, and change only together with one of these symbols, while somebody listens. */
export class QuoteWatch {
  readonly #keys: readonly string[]
  readonly #source: QuoteSource
  readonly #listeners = new Set<() => void>()
  #release: (() => void) | undefined
  #quotes: Quotes

  constructor(keys: readonly string[], source: QuoteSource) {
    this.#keys = keys
    this.#source = source
    this.#quotes = this.#read()
  }

  readonly quotes = (): Quotes => this.#quotes

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#release ??= this.#source.hold(this)
    // Prices may have come since the watch was made.
    if (this.#keys.some((key) => this.#source.quoteOf(key) !== this.#quotes.get(key)))
      this.#quotes = this.#read()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#release?.()
      this.#release = undefined
    }
  }

  /** Takes the new prices of some symbols, and notifies the listeners if one of its own is among them. */
  notify(changed: ReadonlySet<string>): void {
    if (!this.#keys.some((key) => changed.has(key))) return
    this.#quotes = this.#read()
    for (const listener of [...this.#listeners]) listener()
  }

  #read(): Quotes {
    const found = new Map<string, Quote>()
    for (const key of this.#keys) {
      const quote = this.#source.quoteOf(key)
      if (quote !== undefined) found.set(key, quote)
    }
    return found
  }
}
