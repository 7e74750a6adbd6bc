import { executionView } from '../../core/flows/index.js'
import type { JournalRow } from '../../core/orders/index.js'
import type { RunningService } from '../daemon.js'
import { addApproval } from './approvals.js'
import {
  addEvent,
  addExecution,
  addRun,
  addSignal,
  type RunRow,
  stateOfRun,
  stateOfSignal,
} from './automatic.js'
import { type Orders, ordersCalled, ordersOfApproval, ordersWith, stateOfOrders } from './behind.js'
import { findSubjects, type Subject, type SubjectKind } from './find.js'
import { addJournalled, addSimulated } from './orders.js'
import { addRequest, isAnswered, isChangeOfOne, stateOf } from './requests.js'
import { type Entry, Timeline } from './timeline.js'

/** The most orders whose timelines are told together. */
const MOST_ORDERS = 20

/** What became of something that has an id: everything that is recorded, in the order in which it happened. */
export interface Explanation {
  kind: SubjectKind
  /** Other things with the same id, as `kind:id`. */
  also: string[]
  /** The state that its own record has now, or its orders; of several orders, how many have each. */
  state: string | null
  entries: Entry[]
  /** The orders whose entries are left out. */
  more: number
}

/** Explains what an id names. @throws ServiceError `not_found` */
export async function explain(service: RunningService, userId: string, id: string): Promise<Explanation> {
  const [first, ...others] = await findSubjects(service, userId, id)
  const teller = new Teller(service, userId)
  const state = await teller.tell(first)
  return {
    kind: first.kind,
    also: others.map(({ kind }) => `${kind}:${id.replace(/^#/, '')}`),
    state,
    entries: teller.timeline.entries(),
    more: teller.more,
  }
}

/** Follows from one record to the next, up to the request and down to the fills. */
class Teller {
  readonly timeline = new Timeline()
  readonly #told = new Set<string>()
  readonly #untold = new Set<string>()

  constructor(
    private readonly service: RunningService,
    private readonly userId: string,
  ) {}

  /** The orders that were not told, because there are too many. */
  get more(): number {
    return this.#untold.size
  }

  /** Tells of a subject. @returns its state now */
  async tell(subject: Subject): Promise<string | null> {
    const { service, timeline } = this
    switch (subject.kind) {
      case 'order':
        await this.#orders(subject)
        return stateOfOrders(subject)
      case 'request':
      case 'key':
        return this.#asked(subject)
      case 'approval':
        return this.#approval(subject.approval.id)
      case 'signal':
        addSignal(timeline, subject.signal)
        for (const run of await service.strategyHistory.runsOfSignal(subject.signal.id)) await this.#run(run)
        return stateOfSignal(subject.signal)
      case 'run':
        await this.#run(subject.run)
        return stateOfRun(subject.run)
      case 'execution': {
        const { execution } = subject
        addExecution(
          timeline,
          execution,
          executionView(execution, service.flows.executor.liveLog(execution.id)),
        )
        return execution.status
      }
      case 'event': {
        addEvent(timeline, subject.event)
        const { runId } = subject.event
        const run = runId === null ? undefined : await service.strategyHistory.run(runId)
        if (run) await addRun(service, timeline, run)
        return null
      }
    }
  }

  async #orders({ journalled, simulated }: Orders): Promise<void> {
    for (const row of journalled) if (this.#mayTell(row.orderRef)) await this.#journalled(row)
    for (const order of simulated) {
      if (!this.#mayTell(order.orderId)) continue
      await addSimulated(this.service, this.timeline, order)
      await this.#runOf(order.orderId)
    }
  }

  /** Returns whether an order has a place in the timeline, and counts it if it has none. */
  #mayTell(orderRef: string): boolean {
    if (this.#told.has(orderRef)) return true
    if (this.#told.size === MOST_ORDERS) {
      this.#untold.add(orderRef)
      return false
    }
    this.#told.add(orderRef)
    return true
  }

  async #journalled(row: JournalRow): Promise<void> {
    if (row.approvalId !== null) await this.#approval(row.approvalId)
    await addJournalled(this.service, this.timeline, row)
    await this.#runOf(row.orderRef)
  }

  /** @returns the state of its orders, or its own; null if the user has none with this id */
  async #approval(id: number): Promise<string | null> {
    const { service, userId } = this
    const row = await service.approvals.record(userId, id)
    if (!row || !this.timeline.isNew('followed approval', id)) return null
    await addApproval(service, this.timeline, row)
    const orders = await ordersOfApproval(service, userId, row)
    await this.#orders(orders)
    return stateOfOrders(orders) ?? row.execution ?? row.status
  }

  async #asked({ acts, asked, refs }: Extract<Subject, { kind: 'request' | 'key' }>): Promise<string | null> {
    const { service, timeline, userId } = this
    const last = asked.findLast(isAnswered) ?? asked.at(-1)
    const own = last === undefined ? null : stateOf(last)
    let state = own
    for (const row of asked) {
      addRequest(timeline, row)
      if (row.approvalId !== null) state = (await this.#approval(row.approvalId)) ?? state
    }
    const orders = await ordersWith(service, userId, refs)
    await this.#orders(orders)
    for (const { act, target } of acts) {
      if (act.startsWith('approval.')) state = (await this.#approval(Number(target))) ?? state
    }
    for (const act of acts) timeline.addAct(act)
    // A change of an order has an end of its own, and so has an order that was refused by itself.
    if (asked.length > 0 && (asked.every(isChangeOfOne) || !asked.some(isAnswered))) return own
    const refused = asked.filter((row) => !isAnswered(row)).length
    return stateOfOrders(orders, refused) ?? state
  }

  /** Tells of the run that sent an order, without its other orders. */
  async #runOf(orderRef: string): Promise<void> {
    const { strategyHistory } = this.service
    const order = await strategyHistory.order({ orderRef })
    const run = order && (await strategyHistory.run(order.runId))
    // An order is come to by its reference and by its approval.
    if (!run || !this.timeline.isNew('decision', orderRef)) return
    await addRun(this.service, this.timeline, run)
    const what = `Run ${order.runId} decided the ${order.kind} of leg ${order.legId}`
    this.timeline.add(
      { at: order.placedAt, kind: 'run', id: String(order.runId), what },
      { words: order.rejectReason },
    )
  }

  async #run(run: RunRow): Promise<void> {
    const { service, userId } = this
    await addRun(service, this.timeline, run)
    for (const { orderRef: id } of await service.strategyHistory.orders(run.strategyId, run.id)) {
      if (!this.#mayTell(id)) continue
      await this.#orders(await ordersCalled(service, { id, userId }))
      // What the risk gate refused is no order.
      for (const row of await service.requests.ofRequest(id)) addRequest(this.timeline, row)
    }
  }
}
