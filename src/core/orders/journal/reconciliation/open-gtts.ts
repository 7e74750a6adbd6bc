import {
  type BrokerClient,
  BrokerError,
  type BrokerErrorKind,
  type BrokerGtt,
  type BrokerOrder,
} from '../../../brokers/broker.js'
import { crashPoint, messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import { type Clock, within } from '../../../time/index.js'
import type { LiveExecution } from '../../ports.js'
import type { JournalRow, OpenGtt, OrderJournal, StateDetail } from '../journal.js'
import type { OrderState } from '../states.js'
import { type EndedGtt, gttOfRow } from './gtt-of-row.js'

/** The news of a GTT that ended at the broker by itself: `gtt.failed` if it fired and its order was refused. */
export interface GttEnd {
  topic: 'gtt.triggered' | 'gtt.expired' | 'gtt.failed'
  row: JournalRow
  gtt: EndedGtt
}

interface OpenGttsParts {
  clock: Clock
  log: Pick<Logger, 'warn'>
  journal: Pick<OrderJournal, 'openGttsAt' | 'move' | 'find'>
  broker: Pick<LiveExecution, 'manifest' | 'client'>
  publish(end: GttEnd): void
}

type ReportedOrder = Pick<BrokerOrder, 'orderId' | 'filledQuantity'>

/** What a comparison of GTTs has found. */
interface Compared {
  /** The number of ended GTTs. */
  ended: number
  /** True if one should be looked at again soon: its order is not named yet, or it could not be looked up. */
  isUnfinished: boolean
}

/**
 * How long the order of a GTT that fired may be unnamed: brokers mark a GTT as fired before they store what became of its order,
 * and before their book lists it.
 */
const ORDER_WAIT_MS = 60_000
/** The longest wait for the terms of a GTT whose order was pushed. */
const TERMS_WAIT_MS = 3_000

/** Errors of a read that the next read will have, too. */
const UNANSWERED: ReadonlySet<BrokerErrorKind> = new Set(['network', 'unavailable', 'rate_limit'])

const GTT = 'placegttorder'
const NEWS_OF_STATUS = {
  active: undefined,
  disabled: undefined,
  cancelled: undefined,
  expired: 'gtt.expired',
  rejected: 'gtt.failed',
  triggered: 'gtt.triggered',
} as const satisfies Record<BrokerGtt['status'], GttEnd['topic'] | undefined>

/**
 * Records the end of GTTs that the broker no longer lists as active. A GTT that fired takes the id of the order
 * that it sent; from then on its row follows this order. Whichever tells first, the list or the report of the order, takes the
 * row out of `accepted`, and only that publishes the news.
 */
export class OpenGtts {
  /** When each GTT was first seen to have fired without its order. Readings of the monotonic clock, by our reference. */
  readonly #firedAt = new Map<string, number>()
  /** GTTs whose order was reported before they were known to be at the broker. */
  readonly #early = new Set<string>()
  /** GTTs whose last look-up failed. */
  readonly #unread = new Set<string>()

  constructor(private readonly parts: OpenGttsParts) {}

  /** Returns whether a GTT at the broker may still fire. */
  async any(broker: string): Promise<boolean> {
    return (await this.parts.journal.openGttsAt(broker)).length > 0
  }

  /**
   * Accepts the report of an order that has one of our references. Where the order of a GTT has that of the GTT, this may be the
   * first word that it has fired.
   * @returns `early` if the GTT is not known to be at the broker yet: a comparison follows its order once it is. `itself` if the
   * report is of the GTT, or of one of its two legs: only the list of GTTs tells what became of it. Otherwise `its`: the report
   * tells the state of the row
   */
  async noteOrder(orderRef: string, order: ReportedOrder): Promise<'early' | 'its' | 'itself'> {
    const { broker, journal } = this.parts
    if (broker.manifest().gtt?.order !== 'tagged') return 'its'
    const row = await journal.find(orderRef)
    if (row?.operation !== GTT) return 'its'
    if (isItself(row, order)) return row.state === 'accepted' ? 'itself' : 'its'
    if (row.state === 'sending' || row.state === 'unknown') {
      this.#early.add(orderRef)
      return 'early'
    }
    if (row.state !== 'accepted' && row.state !== 'lapsed') return 'its'
    const gtt = (await this.#termsOf(row)) ?? gttOfRow(row)
    await this.#end(orderRef, { ...gtt, status: 'triggered', triggeredOrderId: order.orderId })
    return 'its'
  }

  /**
   * Compares the GTTs with one reading of the broker's list. One that is not listed is looked up; if nobody knows it,
   * that proves nothing, and the row stays open. So it does if its look-up fails, which does not concern the others. A broker that
   * does not answer one is asked for no further one now: the open orders wait for this comparison.
   */
  async compare(broker: string, client: BrokerClient): Promise<Compared> {
    const compared: Compared = { ended: 0, isUnfinished: await this.#hasEarly() }
    const { gtts } = client
    if (!gtts) return compared
    const open = await this.parts.journal.openGttsAt(broker)
    if (open.length === 0) return compared
    const listed = new Map((await gtts.list()).map((gtt) => [gtt.triggerId, gtt]))
    // Those that failed last time are asked for last, so that they keep nobody from his turn.
    const failed = ({ orderRef }: OpenGtt) => Number(this.#unread.has(orderRef))
    let answers = true
    for (const row of open.toSorted((a, b) => failed(a) - failed(b))) {
      const known = row.triggerId === null ? undefined : listed.get(row.triggerId)
      if (known) this.#unread.delete(row.orderRef)
      const read = known ?? (answers ? await this.#read(row, client) : 'unread')
      if (read === 'unanswered') answers = false
      const found = read === 'unanswered' ? 'unread' : read
      if (found === 'unread' || (found && this.#waitsForOrder(row.orderRef, found)))
        compared.isUnfinished = true
      else if (found && (await this.#end(row.orderRef, found))) compared.ended += 1
    }
    return compared
  }

  /** Returns whether a GTT whose order was reported is still on its way to the broker, or in doubt. */
  async #hasEarly(): Promise<boolean> {
    for (const orderRef of this.#early) {
      const state = (await this.parts.journal.find(orderRef))?.state
      if (state !== 'sending' && state !== 'unknown') this.#early.delete(orderRef)
    }
    return this.#early.size > 0
  }

  async #read(row: OpenGtt, client: BrokerClient): Promise<EndedGtt | 'unread' | 'unanswered' | undefined> {
    const { log } = this.parts
    const { orderRef } = row
    try {
      const found = (await lookUp(client, row)) ?? (await this.#firedUnlisted(row, client))
      this.#unread.delete(orderRef)
      return found
    } catch (error) {
      // Once: it is asked again and again.
      if (!this.#unread.has(orderRef))
        log.warn('gtt.unread', { order_ref: orderRef, error: messageOf(error) })
      this.#unread.add(orderRef)
      return error instanceof BrokerError && UNANSWERED.has(error.kind) ? 'unanswered' : 'unread'
    }
  }

  /** Returns a GTT that the broker does not show any more, but its order, which has our reference. */
  async #firedUnlisted(
    { orderRef, triggerId }: OpenGtt,
    { orders }: BrokerClient,
  ): Promise<EndedGtt | undefined> {
    const { broker, journal } = this.parts
    if (broker.manifest().gtt?.order !== 'tagged') return undefined
    const order = (await orders.findByTags([orderRef])).get(orderRef)
    const row = order && !isItself({ triggerId }, order) && (await journal.find(orderRef))
    return row ? { ...gttOfRow(row), status: 'triggered', triggeredOrderId: order.orderId } : undefined
  }

  /** Returns whether a GTT has fired just now, and the broker will still name its order. */
  #waitsForOrder(orderRef: string, { status, triggeredOrderId }: EndedGtt): boolean {
    const { broker, clock } = this.parts
    const isUnnamed = status === 'triggered' && triggeredOrderId === undefined
    if (!isUnnamed || broker.manifest().gtt?.order === 'unnamed') return false
    const firedAt = this.#firedAt.get(orderRef) ?? clock.monotonic()
    this.#firedAt.set(orderRef, firedAt)
    return clock.monotonic() - firedAt < ORDER_WAIT_MS
  }

  /** Returns a GTT as the broker has it; undefined if it does not say it in time. */
  #termsOf(row: JournalRow): Promise<EndedGtt | undefined> {
    const { broker, clock } = this.parts
    const read = async () => lookUp(broker.client(), row)
    return within(
      clock,
      TERMS_WAIT_MS,
      read().catch(() => undefined),
    )
  }

  /** Returns whether the journal changed. */
  async #end(orderRef: string, gtt: EndedGtt): Promise<boolean> {
    const { journal, publish } = this.parts
    const end = endOfGtt(gtt)
    if (end) crashPoint('gtts.end.beforeRecord')
    const from = end && (await journal.move(orderRef, end.state, end.detail))
    if (from === undefined) return false
    this.#firedAt.delete(orderRef)
    const row = await journal.find(orderRef)
    const topic = NEWS_OF_STATUS[gtt.status]
    // That a lapsed one has fired was told when it lapsed.
    if (row && topic && from !== 'lapsed') publish({ topic, row, gtt })
    return true
  }
}

/** Returns whether a report is of the GTT itself: it has the tag, too, and the broker may report it as it reports orders. */
function isItself({ triggerId }: Pick<OpenGtt, 'triggerId'>, order: ReportedOrder): boolean {
  return order.orderId === triggerId && order.filledQuantity === 0
}

/** Returns a GTT that the list does not show: by our tag where the broker stores tags, otherwise by its id. */
async function lookUp(
  { gtts }: BrokerClient,
  { orderRef, triggerId }: OpenGtt,
): Promise<BrokerGtt | undefined> {
  if (gtts?.findByTag) return gtts.findByTag(orderRef)
  return triggerId === null ? undefined : gtts?.gtt?.(triggerId)
}

/** Returns the change that a GTT's status means for its row; undefined while it may still fire. */
function endOfGtt({
  rejectionReason,
  status,
  triggeredOrderId,
}: EndedGtt): { state: OrderState; detail: StateDetail } | undefined {
  switch (status) {
    case 'active':
    case 'disabled':
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
