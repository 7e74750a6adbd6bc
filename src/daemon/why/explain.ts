import { executionView } from '../../core/flows/index.js'
import type { JournalRow } from '../../core/orders/index.js'
import type { RunningService } from '../daemon.js'
import { addApproval } from './approvals.js'
import { addEvent, addExecution, addRun, addSignal, type RunRow } from './automatic.js'
import { findSubjects, ordersCalled, type Subject, type SubjectKind } from './find.js'
import { addJournalled, addSimulated } from './orders.js'
import { addRequest } from './requests.js'
import { type Entry, Timeline } from './timeline.js'

/** The most orders of a run whose timelines are told with the run. */
const MOST_ORDERS = 20

/** The end of a list of ids that was too long to store. */
const SHORTENED = / \(\+\d+ more\)$/

/** What became of something that has an id: everything that is recorded, in the order in which it happened. */
export interface Explanation {
  kind: SubjectKind
  /** Other things with the same id, as `kind:id`. */
  also: string[]
  entries: Entry[]
}

/** Explains what an id names. @throws ServiceError `not_found` */
export async function explain(service: RunningService, userId: string, id: string): Promise<Explanation> {
  const [first, ...others] = await findSubjects(service, userId, id)
  const teller = new Teller(service, userId)
  await teller.tell(first)
  return {
    kind: first.kind,
    also: others.map(({ kind }) => `${kind}:${id.replace(/^#/, '')}`),
    entries: teller.timeline.entries(),
  }
}

/** Follows from one record to the next, up to the request and down to the fills. */
class Teller {
  readonly timeline = new Timeline()

  constructor(
    private readonly service: RunningService,
    private readonly userId: string,
  ) {}

  async tell(subject: Subject): Promise<void> {
    const { service, timeline } = this
    switch (subject.kind) {
      case 'order':
        await this.#orders(subject)
        return
      case 'request':
      case 'key':
        await this.#asked(subject)
        return
      case 'approval':
        await this.#approval(subject.approval.id)
        return
      case 'signal':
        addSignal(timeline, subject.signal)
        for (const run of await service.strategyHistory.runsOfSignal(subject.signal.id)) await this.#run(run)
        return
      case 'run':
        await this.#run(subject.run)
        return
      case 'execution': {
        const { execution } = subject
        addExecution(
          timeline,
          execution,
          executionView(execution, service.flows.executor.liveLog(execution.id)),
        )
        return
      }
      case 'event': {
        addEvent(timeline, subject.event)
        const { runId } = subject.event
        const run = runId === null ? undefined : await service.strategyHistory.run(runId)
        if (run) await addRun(service, timeline, run)
      }
    }
  }

  async #orders({ journalled, simulated }: Omit<Extract<Subject, { kind: 'order' }>, 'kind'>): Promise<void> {
    for (const row of journalled.slice(0, MOST_ORDERS)) await this.#journalled(row)
    for (const order of simulated) {
      await addSimulated(this.service, this.timeline, order)
      await this.#runOf(order.orderId)
    }
  }

  async #journalled(row: JournalRow): Promise<void> {
    if (row.approvalId !== null) await this.#approval(row.approvalId)
    await addJournalled(this.service, this.timeline, row)
    await this.#runOf(row.orderRef)
  }

  async #approval(id: number): Promise<void> {
    const { approvals, orderTrace } = this.service
    const row = await approvals.record(this.userId, id)
    if (!row || !this.timeline.isNew('followed approval', id)) return
    await addApproval(this.service, this.timeline, row)
    const own = (await orderTrace.ofApproval(id)).filter(({ userId }) => userId === this.userId)
    await this.#orders({ journalled: own, simulated: [] })
    const ids = [row.executionRef, ...(row.brokerOrderId?.replace(SHORTENED, '').split(',') ?? [])]
    for (const orderId of ids) if (orderId) await this.#called(orderId.trim())
  }

  async #called(id: string): Promise<void> {
    await this.#orders(await ordersCalled(this.service, { id, userId: this.userId }))
  }

  async #asked({ acts, asked, refs }: Extract<Subject, { kind: 'request' | 'key' }>): Promise<void> {
    for (const row of asked) {
      addRequest(this.timeline, [row])
      if (row.approvalId !== null) await this.#approval(row.approvalId)
    }
    for (const ref of refs.slice(0, MOST_ORDERS)) await this.#called(ref)
    for (const { act, target } of acts) if (act.startsWith('approval.')) await this.#approval(Number(target))
    for (const act of acts) this.timeline.addAct(act)
  }

  /** Tells of the run that sent an order, without its other orders. */
  async #runOf(orderRef: string): Promise<void> {
    const { strategyHistory } = this.service
    const order = await strategyHistory.order({ orderRef })
    const run = order && (await strategyHistory.run(order.runId))
    if (!run) return
    await addRun(this.service, this.timeline, run)
    const what = `Run ${order.runId} decided the ${order.kind} of leg ${order.legId}`
    this.timeline.add(
      { at: order.placedAt, kind: 'run', id: String(order.runId), what },
      { words: order.rejectReason },
    )
  }

  async #run(run: RunRow): Promise<void> {
    const { strategyHistory } = this.service
    await addRun(this.service, this.timeline, run)
    for (const { orderRef } of await strategyHistory.orders(run.strategyId, run.id, MOST_ORDERS))
      await this.#called(orderRef)
  }
}
