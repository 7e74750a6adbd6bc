import { type Quote, type SymbolRef, symbolKey } from '../market/schema.js'
import type { SandboxMarket } from './schema.js'

interface Watched {
  unwatch: () => void
  last: Quote | undefined
}

/** The symbols whose price the sandbox follows, each watched once however many orders and positions need it. */
export class Watchlist {
  readonly #market: SandboxMarket
  readonly #onQuote: (quote: Quote) => void
  readonly #watched = new Map<string, Watched>()

  constructor(market: SandboxMarket, onQuote: (quote: Quote) => void) {
    this.#market = market
    this.#onQuote = onQuote
  }

  add(ref: SymbolRef): void {
    const key = symbolKey(ref)
    if (this.#watched.has(key)) return
    const watched: Watched = { unwatch: () => undefined, last: undefined }
    this.#watched.set(key, watched)
    watched.unwatch = this.#market.watch({ symbol: ref.symbol, exchange: ref.exchange }, (quote) => {
      // A tick may still be on its way after the symbol was let go.
      if (this.#watched.get(key) !== watched) return
      watched.last = quote
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

  /** The last tick of a watched symbol. */
  last(ref: SymbolRef): Quote | undefined {
    return this.#watched.get(symbolKey(ref))?.last
  }
}
