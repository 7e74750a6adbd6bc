import { type Quote, type SymbolRef, symbolKey } from '../../market/schema.js'
import type { SandboxMarket } from '../schema.js'

interface Watched {
  unwatch: () => void
  last: Quote | undefined
  /** Epoch milliseconds of the last tick, or of the first watch. */
  heardAt: number
}

/**
 * The symbols whose price the sandbox follows, each watched once, no matter how many orders and positions
 * need it.
 */
export class Watchlist {
  readonly #market: SandboxMarket
  readonly #onQuote: (quote: Quote) => void
  readonly #now: () => number
  readonly #watched = new Map<string, Watched>()

  constructor(market: SandboxMarket, onQuote: (quote: Quote) => void, now: () => number) {
    this.#market = market
    this.#now = now
    this.#onQuote = onQuote
  }

  add(ref: SymbolRef): void {
    const key = symbolKey(ref)
    if (this.#watched.has(key)) return
    const watched: Watched = { unwatch: () => undefined, last: undefined, heardAt: this.#now() }
    this.#watched.set(key, watched)
    watched.unwatch = this.#market.watch({ symbol: ref.symbol, exchange: ref.exchange }, (quote) => {
      // A tick may still arrive after the symbol was released.
      if (this.#watched.get(key) !== watched) return
      watched.last = quote
      watched.heardAt = this.#now()
      this.#onQuote(quote)
    })
  }

  remove(ref: SymbolRef): void {
    const key = symbolKey(ref)
    const watched = this.#watched.get(key)
    this.#watched.delete(key)
    watched?.unwatch()
  }

  clear(): void {
    const all = [...this.#watched.values()]
    this.#watched.clear()
    for (const { unwatch } of all) unwatch()
  }

  /** Returns when a symbol last ticked or was first watched; now, for a symbol that is not watched. */
  heardAt(ref: SymbolRef): number {
    return this.#watched.get(symbolKey(ref))?.heardAt ?? this.#now()
  }

  /** Returns the last tick of a watched symbol. */
  last(ref: SymbolRef): Quote | undefined {
    return this.#watched.get(symbolKey(ref))?.last
  }
}
