import type { SvcClient } from '../../client/index.js'
import type { ApprovalPlan, PlannedOrder } from '../../views/approvals/plan.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, HIDE_CHANGES, type Source } from '../live/feed.js'

/** The most orders that a plan shows in full. */
const MOST_DETAILED = 100

/** Reads what the approval of some orders would send now. */
export async function readPlan(client: SvcClient, ids: readonly number[]): Promise<ApprovalPlan> {
  const body = { ids: [...ids], details: Math.min(ids.length, MOST_DETAILED) }
  return (await client.request('POST /action-center/plan', { body })).data
}

/** What the approval of the shown order would send, live; undefined for an order that no longer waits. */
export class PlanFeed extends Feed<PlannedOrder | undefined> {
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

class PlanReader implements Source<PlannedOrder | undefined> {
  chosen: number | undefined
  readonly pauseMs = 5000
  readonly gatherMs = 250

  isChangedBy({ event }: { event: string }): boolean {
    return HIDE_CHANGES.has(event) || event === 'kill_switch'
  }

  readonly read = async (client: SvcClient): Promise<PlannedOrder | undefined> => {
    if (this.chosen === undefined) return undefined
    return (await readPlan(client, [this.chosen])).orders[0]
  }
}
