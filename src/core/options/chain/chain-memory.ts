import type { Quote, QuoteOrError } from '../../market/index.js'
import type { Rung } from './ladder.js'

/** What a chain was computed from, besides its request. */
export interface ChainFacts {
  second: number
  ladder: readonly Rung[]
  underlying: Quote
  quotes: readonly QuoteOrError[]
}

/** The number of kept chains; one of 40 strikes takes about 60 kB. */
const MAX_KEPT = 32

/** The chains of the last requests. A chain is valid while its second and its quotes are the same objects. */
export class ChainMemory<Chain extends object> {
  readonly #chains = new Map<string, { facts: ChainFacts; chain: Chain }>()

  find(key: string, facts: ChainFacts): Chain | undefined {
    const known = this.#chains.get(key)
    return known && isSame(known.facts, facts) ? known.chain : undefined
  }

  keep(key: string, facts: ChainFacts, chain: Chain): void {
    this.#chains.delete(key)
    this.#chains.set(key, { facts, chain })
    if (this.#chains.size <= MAX_KEPT) return
    const oldest = this.#chains.keys().next().value
    if (oldest !== undefined) this.#chains.delete(oldest)
  }
}

function isSame(a: ChainFacts, b: ChainFacts): boolean {
  return (
    a.second === b.second &&
    a.ladder === b.ladder &&
    a.underlying === b.underlying &&
    (a.quotes === b.quotes ||
      (a.quotes.length === b.quotes.length && a.quotes.every((quote, place) => quote === b.quotes[place])))
  )
}
