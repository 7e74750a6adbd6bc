import type { SandboxRefusal } from '../../sandbox/schema.js'
import type { JournalEntry } from '../journal/entry.js'
import type { Caller } from '../ports.js'
import type { GttRequest, OrderRequest } from '../schema.js'

/**
 * An order with a durable claim: a row of the journal, or a sandbox id stored with a key, a batch or an
 * approval.
 */
export interface ClaimedOrder {
  entry: JournalEntry
  /** The gate checks and counts this order. For a GTT it is the order behind the most expensive leg. */
  order: OrderRequest
  /** The GTT to place instead, and the reference price of its triggers. */
  gtt?: { request: GttRequest; lastPrice: number } | undefined
  /** False for orders that only reduce positions: they pass when trading is stopped. */
  gated: boolean
  /**
   * True for an exit of a strategy: the position is at the broker, so the order leaves in every mode and order
   * mode.
   */
  exits?: boolean
  /** The account at the broker that the order was decided for. Any account if absent. */
  accountId?: string | undefined
  /** True when the gate has already admitted it. */
  admitted?: boolean
  /** The sandbox asks it just before it decides on the order. */
  veto?: () => SandboxRefusal | undefined
  /** Absent for an approval: nobody waits. */
  caller?: Caller | undefined
  /**
   * Aborted once the service stops. What the stop prevents from being sent then counts as left unsent, because a retry may
   * send it. Absent for an order that nothing sends later.
   */
  stopping?: AbortSignal | undefined
}
