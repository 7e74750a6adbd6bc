import type { BrokerClient, BrokerGtt, BrokerGtts } from '../../../brokers/broker.js'
import { crashPoint } from '../../../errors/index.js'
import type { JournalRow, OpenGtt, OrderJournal, StateDetail } from '../journal.js'
import type { OrderState } from '../states.js'

/** The news of a GTT that ended at the broker by itself: `gtt.failed` if it fired and its order was refused. */
export interface GttEnd {
  topic: 'gtt.triggered' | 'gtt.expired' | 'gtt.failed'
  row: JournalRow
  gtt: BrokerGtt
}

interface OpenGttsParts {
  journal: Pick<OrderJournal, 'openGttsAt' | 'move' | 'find'>
  publish(end: GttEnd): void
}

const NEWS_OF_STATUS = {
  active: undefined,
  cancelled: undefined,
  expired: 'gtt.expired',
  rejected: 'gtt.failed',
  triggered: 'gtt.triggered',
} as const satisfies Record<BrokerGtt['status'], GttEnd['topic'] | undefined>

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
   * Compares the GTTs with one reading of the broker's list. One that is not listed is looked up; if nobody knows it,
   * that proves nothing, and the row stays open.
   * @returns the number of ended GTTs
   */
  async compare(broker: string, { gtts }: BrokerClient): Promise<number> {
    if (!gtts) return 0
    const open = await this.parts.journal.openGttsAt(broker)
    if (open.length === 0) return 0
    const listed = new Map((await gtts.list()).map((gtt) => [gtt.triggerId, gtt]))
    let ended = 0
    for (const row of open) {
      const known = row.triggerId === null ? undefined : listed.get(row.triggerId)
      const gtt = known ?? (await lookUp(gtts, row))
      if (gtt && (await this.#end(row.orderRef, gtt))) ended += 1
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
    const topic = NEWS_OF_STATUS[gtt.status]
    if (row && topic) publish({ topic, row, gtt })
    return true
  }
}

/** Returns a GTT that the list does not show: by our tag where the broker stores tags, otherwise by its id. */
async function lookUp(gtts: BrokerGtts, { orderRef, triggerId }: OpenGtt): Promise<BrokerGtt | undefined> {
  if (gtts.findByTag) return gtts.findByTag(orderRef)
  return triggerId === null ? undefined : gtts.gtt?.(triggerId)
}

/** Returns the change that a GTT's status means for its row; undefined while it may still fire. */
function endOfGtt({
  rejectionReason,
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
      return { state: 'rejected', detail: { reason: gttRefusal(rejectionReason) } }
  }
}

/** Returns why a GTT was rejected: the broker names a reason if it had fired. */
export function gttRefusal(rejectionReason: string | undefined): string {
  if (rejectionReason === undefined) return 'The broker rejected the GTT'
  return `The GTT has fired, and its order was refused: ${rejectionReason || 'the broker gave no reason'}`
}
