import type { ClientEvent, SvcClient } from '../../client/index.js'
import { type ApprovalPlan, planInPages } from '../../views/approvals/plan.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, HIDE_CHANGES, type Source } from '../live/feed.js'
import {
  type Approval,
  decidedOrders,
  NO_QUEUE,
  type OrdersNow,
  ordersNow,
  type Queue,
  wholeQueue,
  withChanged,
  withExecutions,
} from './queue.js'

/** After more changes the whole queue is read at once. */
const MOST_CHANGED = 20

/**
 * Reads no more of the queue than an event says has changed, and nothing that waits for the broker, so that a new order
 * is on the screen at once, however long the queue is.
 */
class QueueSource implements Source<Queue> {
  readonly pauseMs = 5000
  readonly gatherMs = 20
  #changed = new Set<number>()
  #isWholeOld = true

  isChangedBy({ event, data }: ClientEvent): boolean {
    if (HIDE_CHANGES.has(event)) this.#isWholeOld = true
    if (!event.startsWith('pending_order_')) return false
    const id = event === 'pending_order_created' ? data.pending_order_id : data.order_id
    if (typeof id === 'number') this.#changed.add(id)
    else this.#isWholeOld = true
    return true
  }

  async read(client: SvcClient, before: Queue): Promise<Queue> {
    const [changed, isWhole] = [this.#changed, this.#isWholeOld || this.#changed.size > MOST_CHANGED]
    this.#changed = new Set()
    this.#isWholeOld = false
    try {
      if (isWhole) return await wholeQueue(client, before)
      return changed.size > 0
        ? await withChanged(client, before, [...changed])
        : await withExecutions(client, before)
    } catch (thrown) {
      for (const id of changed) this.#changed.add(id)
      this.#isWholeOld ||= isWhole
      throw thrown
    }
  }
}

/** The approval queue, live: newest first; decided orders stay for a while. */
export class ApprovalFeed extends Feed<Queue> {
  constructor(daemon: LiveDaemon) {
    super(daemon, new QueueSource(), NO_QUEUE)
  }
}

/** The last prices and the positions of the newest pending orders, live. They may wait for the broker. */
export class OrdersNowFeed extends Feed<OrdersNow> {
  constructor(daemon: LiveDaemon) {
    const source: Source<OrdersNow> = {
      read: ordersNow,
      isChangedBy: ({ event }) => event === 'pending_order_created',
      pauseMs: 5000,
      gatherMs: 1000,
    }
    super(daemon, source, new Map())
  }
}

export type Decided = Readonly<Record<'approved' | 'rejected', readonly Approval[]>>

/** The newest approved and rejected orders. */
export class DecidedFeed extends Feed<Decided> {
  constructor(daemon: LiveDaemon) {
    const source: Source<Decided> = {
      async read(client) {
        const [approved, rejected] = await Promise.all([
          decidedOrders(client, 'approved'),
          decidedOrders(client, 'rejected'),
        ])
        return { approved, rejected }
      },
      isChangedBy: ({ event }) => event === 'pending_order_updated',
      pauseMs: 15_000,
      gatherMs: 250,
    }
    super(daemon, source, { approved: [], rejected: [] })
  }
}

/** Rings the bell for each new order in the queue, whatever screen is shown. */
export function ringForNewOrders(daemon: LiveDaemon): () => void {
  return daemon.connection.onEvent(({ event }) => {
    if (event === 'pending_order_created') daemon.bell.ring()
  })
}

/** The orders that one question is about: nobody reads more. */
const MOST_LEGS = 1000

/** Reads what the approval of some orders would send now, oldest first; undefined if none of them waits. */
export function readPlan(client: SvcClient, ids: readonly number[]): Promise<ApprovalPlan | undefined> {
  const read = async (page: readonly number[]) => {
    const body = { ids: [...page], details: page.length }
    return (await client.request('POST /action-center/plan', { body })).data
  }
  return planInPages(ids, read, MOST_LEGS)
}

/** What the approval of the shown order would send, live; undefined for an order that no longer waits. */
export class PlanFeed extends Feed<ApprovalPlan | undefined> {
  /** The plan that is on the screen now, as a person sees it who decides. */
  shown: ApprovalPlan | undefined
  readonly #reader: PlanReader

  constructor(daemon: LiveDaemon) {
    const reader = new PlanReader()
    super(daemon, reader, undefined)
    this.#reader = reader
  }

  /** Chooses the order to plan. */
  choose(id: number): void {
    if (this.#reader.chosen === id) return
    this.#reader.chosen = id
    void this.refresh()
  }
}

class PlanReader implements Source<ApprovalPlan | undefined> {
  chosen: number | undefined
  readonly pauseMs = 5000
  readonly gatherMs = 250

  isChangedBy({ event }: { event: string }): boolean {
    return HIDE_CHANGES.has(event) || event === 'kill_switch'
  }

  readonly read = async (client: SvcClient): Promise<ApprovalPlan | undefined> =>
    this.chosen === undefined ? undefined : readPlan(client, [this.chosen])
}
