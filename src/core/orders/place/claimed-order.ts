import type { JournalEntry } from '../journal/journal.js'
import type { Caller } from '../ports.js'
import type { GttRequest, OrderRequest } from '../schema.js'

/** An order whose claim is durable: its row in the journal, or the id of the sandbox under a key, a batch or an approval. */
export interface ClaimedOrder {
  entry: JournalEntry
  /** The gate decides on this object and counts it. Of a GTT it is the order behind its dearest leg. */
  order: OrderRequest
  /** The GTT to place in its stead, and the price its triggers are set against. */
  gtt?: { request: GttRequest; lastPrice: number }
  /** False for orders that only reduce what is held: they pass when trading is stopped. */
  gated: boolean
  /** The gate has let it through already. */
  admitted?: boolean
  caller?: Caller
}
