import type { BrokerClient, BrokerGtt } from '../../../brokers/broker.js'
import { crashPoint } from '../../../errors/index.js'
import type { JournalRow, OrderJournal, StateDetail } from '../journal.js'
import type { OrderState } from '../states.js'

/** The news of a GTT that ended at the broker by itself. */
export interface GttEnd {
  topic: 'gtt.triggered' | 'gtt.expired'
  row: JournalRow
  gtt: BrokerGtt
}

interface OpenGttsParts {
  journal: Pick<OrderJournal, 'openGttsAt' | 'move' | 'find'>
  publish(end: GttEnd): void
}

/**
 * Records the end of GTTs that the broker no longer lists as active. A GTT that fired takes the id of the order
 * that it sent; from then on its row follows this order.
 */
export class OpenGtts {
  constructor(private readonly parts: OpenGttsParts) {}

  /** Returns whether a GTT at the broker may still fire. */
  async any(broker: string): Promise<boolean> {
    return (await this.parts.journal.openGttsAt(broker)).length > 0
  }

  /**
   * Compares the GTTs with the broker's list. Without a lookup by tag a missing GTT proves nothing, and the row
   * stays open.
   * @returns the number of ended GTTs
   */
  async compare(broker: string, { gtts }: BrokerClient): Promise<number> {
    if (!gtts?.findByTag) return 0
    const open = await this.parts.journal.openGttsAt(broker)
    if (open.length === 0) return 0
    const active = new Set((await gtts.list()).map(({ triggerId }) => triggerId))
    let ended = 0
    for (const { orderRef, triggerId } of open) {
      if (triggerId !== null && active.has(triggerId)) continue
      const gtt = await gtts.findByTag(orderRef)
      if (gtt && (await this.#end(orderRef, gtt))) ended += 1
    }
    return ended
  }

  /** Returns whether the journal changed. */
  async #end(orderRef: string, gtt: BrokerGtt): Promise<boolean> {
    const { journal, publish } = this.parts
    const end = endOfGtt(gtt)
    if (end) crashPoint('gtts.end.beforeRecord')
    if (!end || !(await journal.move(orderRef, end.state, end.detail))) return false
    const row = await journal.find(orderRef)
    if (row && gtt.status === 'triggered') publish({ topic: 'gtt.triggered', row, gtt })
    if (row && gtt.status === 'expired') publish({ topic: 'gtt.expired', row, gtt })
    return true
  }
}

/** Returns the change that a GTT's status means for its row; undefined while it may still fire. */
function endOfGtt({
  status,
  triggeredOrderId,
}: BrokerGtt): { state: OrderState; detail: StateDetail } | undefined {
  switch (status) {
    case 'active':
      return undefined
    case 'triggered':
      if (triggeredOrderId !== undefined) {
        const reason = `The GTT has fired and sent order ${triggeredOrderId}`
        return { state: 'triggered', detail: { orderId: triggeredOrderId, reason } }
      }
      return {
        state: 'lapsed',
        detail: { reason: 'The GTT has fired. The broker does not name its order: look at the order book.' },
      }
    case 'cancelled':
      return { state: 'cancelled', detail: { reason: 'The GTT was cancelled' } }
    case 'expired':
      return { state: 'cancelled', detail: { reason: 'The GTT has expired' } }
    case 'rejected':
      return { state: 'rejected', detail: { reason: 'The broker rejected the GTT' } }
  }
}
