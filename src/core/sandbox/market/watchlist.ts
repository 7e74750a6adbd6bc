import { type Quote, type SymbolRef, symbolKey } from '../../market/schema.js'
import type { SandboxMarket } from '../schema.js'

interface WatchlistEvents {
  onQuote(quote: Quote): void
  /** Called with the key of each symbol whose {@link Watchlist.last} changed, before {@link onQuote}. */
  onMoved(key: string): void
}

interface Watched {
  unwatch: () => void
  last: Quote | undefined
  /** The monotonic reading of the last tick, or of the first watch. */
  heardAt: number
}

/**
 * The symbols whose price the sandbox follows, each watched once, no matter how many orders and positions
 * need it.
 */
export class Watchlist {
  readonly #market: SandboxMarket
  readonly #events: WatchlistEvents
  readonly #now: () => number
  readonly #watched = new Map<string, Watched>()

  constructor(market: SandboxMarket, events: WatchlistEvents, now: () => number) {
    this.#market = market
    this.#now = now
    this.#events = events
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
      this.#events.onMoved(key)
      this.#events.onQuote(quote)
    })
  }

  remove(ref: SymbolRef): void {
    const key = symbolKey(ref)
    const watched = this.#watched.get(key)
    this.#watched.delete(key)
    watched?.unwatch()
    if (watched?.last) this.#events.onMoved(key)
  }

  clear(): void {
    const all = [...this.#watched]
    this.#watched.clear()
    for (const [key, { unwatch }] of all) {
      unwatch()
      this.#events.onMoved(key)
    }
  }

  /** Forgets the last ticks, which are those of another market. It goes on watching the same symbols. */
  forget(): void {
    for (const [key, watched] of this.#watched) {
      if (watched.last === undefined) continue
      watched.last = undefined
      this.#events.onMoved(key)
    }
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
