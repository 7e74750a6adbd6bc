import { type SymbolRef, symbolKey } from '../../market/schema.js'
import type { Clock, Timer } from '../../time/index.js'
import type { PricedRow } from '../store.js'
import { priceColumn } from './drift.js'

/** Orders that are queued within this time share one read of prices. */
const GATHER_MS = 250
/** The most orders that wait for a price: a burst must not become a queue of calls to the broker. */
const MOST_WAITING = 500

export interface LatePricesParts {
  clock: Clock
  /** Reads the last prices of some instruments, by `symbolKey`; leaves out the unknown ones. */
  lastPrices(refs: readonly SymbolRef[]): Promise<ReadonlyMap<string, number>>
  /** Stores the prices of rows that are pending and have none. */
  store(rows: readonly PricedRow[]): Promise<void>
  failed(fault: unknown): void
}

/**
 * Adds the price to orders that were queued while no feed had one. Queueing never waits for it; best effort: an order
 * whose price the broker does not return keeps none.
 */
export class LatePrices {
  readonly #parts: LatePricesParts
  #waiting = new Map<number, SymbolRef>()
  #timer: Timer | undefined
  #reading: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: LatePricesParts) {
    this.#parts = parts
  }

  add(id: number, ref: SymbolRef): void {
    if (this.#isStopped || this.#waiting.size >= MOST_WAITING) return
    this.#waiting.set(id, ref)
    this.#timer ??= this.#parts.clock.setTimeout(() => this.#start(), GATHER_MS)
  }

  /** Stops, and resolves when no read runs. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#parts.clock.clear(this.#timer)
    await this.#reading
  }

  #start(): void {
    const rows = this.#waiting
    this.#waiting = new Map()
    this.#timer = undefined
    this.#reading = this.#reading
      .then(() => this.#read(rows))
      .catch((fault: unknown) => this.#parts.failed(fault))
  }

  async #read(rows: ReadonlyMap<number, SymbolRef>): Promise<void> {
    const prices = await this.#parts.lastPrices([...rows.values()])
    const priced = [...rows].flatMap(([id, ref]) => {
      const createdLtp = priceColumn(prices.get(symbolKey(ref)))
      return createdLtp === null ? [] : [{ id, createdLtp }]
    })
    if (priced.length > 0) await this.#parts.store(priced)
  }
}
