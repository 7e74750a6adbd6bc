import type { RiskGate, RiskRefusal } from '../../risk/index.js'
import { type RowsFirst, type StatementRows, storedWith } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { JournalEntry } from '../journal/entry.js'
import type { KeyClaim } from '../journal/idempotency.js'
import type { OrderJournal } from '../journal/journal.js'
import { newOrderRef } from '../order-ref.js'
import { SANDBOX } from '../ports.js'
import type { OrderRequest } from '../schema.js'

/** The reference of an order, and its broker. */
export type OrderIdentity = Pick<JournalEntry, 'orderRef' | 'broker'>

/** All that must be durable before the first order of a request leaves. */
interface Intent {
  mode: TradingMode
  /** What the key of the caller leads to: the only order, or the record of several. */
  ref: string
  entries: readonly JournalEntry[]
  claim?: KeyClaim | undefined
  /** The record of a request of several orders. One order needs none. */
  record?: StatementRows
  /** What the caller stores before anything leaves. */
  first?: RowsFirst | undefined
}

/** Gives new orders their references, and claims them: their intent is durable before anything is sent. */
export class Claims {
  constructor(
    private readonly journal: Pick<OrderJournal, 'open'>,
    private readonly clock: Clock,
  ) {}

  /** Returns the reference of a new order. In Analyzer mode it is its id in the sandbox. */
  reference(mode: TradingMode, newSimulatedId: () => string): string {
    return mode === 'analyze' ? newSimulatedId() : newOrderRef(this.clock)
  }

  /**
   * Returns the identity of a new order.
   * @param brokerId the broker that the order was decided for: another one may be active by now
   */
  identity(mode: TradingMode, newSimulatedId: () => string, brokerId: string): OrderIdentity {
    const broker = mode === 'analyze' ? SANDBOX : brokerId
    return { orderRef: this.reference(mode, newSimulatedId), broker }
  }

  /**
   * Stores the intent of a request in one commit. The journal has no orders of Analyzer mode: of a single one only the
   * caller's key is stored, and without a key nothing.
   */
  async store({ claim, entries, first, mode, record, ref }: Intent): Promise<void> {
    if (mode === 'analyze' && !record) {
      // Many keys share one INSERT.
      if (claim) await storedWith(first, (rows) => claim.write(mode, ref, undefined, rows))
      else await first?.store()
      return
    }
    const claimed = mode === 'live' ? entries : []
    const recorded = record ? [record] : []
    await storedWith(first, (rows) =>
      this.journal.open(claimed, () => [...recorded, ...(claim?.rows(mode, ref) ?? []), ...rows]),
    )
  }
}

/** An order that the gate is asked about. */
interface Asked {
  userId: string
  mode: TradingMode
  order: OrderRequest
}

/** A claimed order, or why it was not claimed. */
export type Claimed<C, R> = { claimed: C } | { refused: R }

/**
 * Asks the gate about an order before it is claimed. An order that is not claimed after all gives its place in the day's
 * count back.
 */
export async function claimAdmitted<C, R>(
  risk: Pick<RiskGate, 'admit' | 'release'>,
  { mode, order, userId }: Asked,
  claim: () => Promise<Claimed<C, R>>,
): Promise<Claimed<C, R> | { byGate: RiskRefusal }> {
  const byGate = await risk.admit(userId, mode, order)
  if (byGate) return { byGate }
  let isClaimed = false
  try {
    const result = await claim()
    isClaimed = 'claimed' in result
    return result
  } finally {
    if (!isClaimed) risk.release(order)
  }
}
