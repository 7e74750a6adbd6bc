import type { Instrument } from '../../../instruments/schema.js'
import { type SymbolRef, symbolKey } from '../../../market/schema.js'

/** Some symbols, and the contracts on them: the part of a master that a rehearsal needs. */
export class MasterSelection {
  readonly #keys: ReadonlySet<string>
  readonly #names: ReadonlySet<string>

  constructor(refs: readonly SymbolRef[]) {
    this.#keys = new Set(refs.map(symbolKey))
    this.#names = new Set(refs.map(({ symbol }) => symbol))
  }

  /** Returns whether the row belongs to the selection. */
  has({ exchange, expiry, name, symbol }: Instrument): boolean {
    const isContract = expiry !== '' && (this.#names.has(name) || this.#names.has(symbol))
    return isContract || this.#keys.has(symbolKey({ symbol, exchange }))
  }

  /** Returns whether a contract on `name` may belong to it; the symbols of contracts begin with that name. */
  mayHaveOn(name: string): boolean {
    return this.#names.has(name) || [...this.#names].some((symbol) => symbol.startsWith(name))
  }
}
