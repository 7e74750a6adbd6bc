import type { ApprovalResult, ApprovedRequest, LegTerms, QueuedOrder } from '../../approvals/schema.js'
import { type Refusal, ServiceError } from '../../errors/index.js'
import { type RiskGate, refusalCode } from '../../risk/index.js'
import { parseWith } from '../../validation/index.js'
import { endOfError, endOfStop, type OrderEnd } from '../end.js'
import type { JournalEntry } from '../journal/entry.js'
import type { OrderJournal } from '../journal/journal.js'
import { endOf } from '../journal/result.js'
import { isOrderRef } from '../order-ref.js'
import type { OneOrder } from '../place/one-order.js'
import { type LiveOrders, type OrderPorts, SANDBOX, type SandboxExecution } from '../ports.js'
import type { StrategyOrders } from '../strategy/orders.js'
import { type ApprovedKind, refusalBy } from './executor.js'
import { approvalOfEnd, approvalOfGtt, type StatusOf, statusIn } from './result.js'
import type { PlacedStatuses } from './statuses.js'

/** The services of approved requests of one order. */
interface Services {
  journal: OrderJournal
  risk: RiskGate
  broker: LiveOrders
  sandbox: Pick<SandboxExecution, 'statusOf'>
  ports: Pick<OrderPorts, 'mode'>
  statuses: PlacedStatuses
  /** The entries of strategies. */
  entries: Pick<StrategyOrders, 'entryReady' | 'refusalOfEntry'>
}

/** Approved requests that become one order, or one GTT. */
export class ApprovedOrder<P extends JournalEntry['payload']> implements ApprovedKind {
  /** @param legsOf returns what a request asks of the broker; it does not depend on the moment */
  constructor(
    private readonly one: OneOrder<P>,
    private readonly services: Services,
    private readonly legsOf: (payload: P) => readonly { shown: LegTerms }[],
  ) {}

  open(order: QueuedOrder): ApprovedRequest {
    const { one, services } = this
    const payload = parseWith(one.kind.queued, order.payload)
    /** The account at the broker when the order was claimed. */
    let accountId: string | undefined
    return {
      alone: (work) => work(),
      legs: () => this.legsOf(payload).map(({ shown }) => shown),
      recheck: async () => {
        if (order.ofRun) await services.entries.entryReady(order.ofRun.orderRef)
        return this.#refusalByRun(order) ?? (await this.#refusalOf(order, payload))
      },
      begin: async (tx) => {
        // The broker or the run may have changed since the check.
        const refusal = this.#refusalByRun(order)
        if (refusal) throw new ServiceError(refusal.code, refusal.message)
        accountId = services.broker.accountId
        const entry = one.newApproved(order, payload)
        // In Analyzer mode the claim is only the order's id; the sandbox writes the rest.
        if (entry.mode === 'live') await services.journal.openIn(tx, entry)
        return entry.orderRef
      },
      send: async (orderRef) => {
        const entry = await this.#claimedEntry(orderRef, order, payload)
        const unready = await this.#withoutBroker(entry)
        if (unready) return async () => unready
        const end = await one.executeApproved(entry, payload, accountId)
        return async () => this.#resultOf(end, await this.#statusesOf(order, orderRef, end))
      },
    }
  }

  async resume(orderRef: string, { userId }: QueuedOrder): Promise<ApprovalResult> {
    const { one, services } = this
    const row = await services.journal.find(orderRef)
    if (row) return this.#resultOf(endOf(row), statusIn([row]))
    // The journal has no orders of Analyzer mode.
    if (!(await one.kind.isSimulated(userId, orderRef))) return this.#resultOf(endOfStop(orderRef))
    const end: OrderEnd = { outcome: 'placed', orderRef, orderId: orderRef }
    if (one.kind.isGtt) return this.#resultOf(end)
    const status = await services.sandbox.statusOf(userId, orderRef)
    return this.#resultOf(end, () => status)
  }

  async #statusesOf({ userId }: QueuedOrder, orderRef: string, end: OrderEnd): Promise<StatusOf | undefined> {
    return this.one.kind.isGtt ? undefined : this.services.statuses.of(userId, orderRef, [end])
  }

  #resultOf(end: OrderEnd, statusOf?: StatusOf): ApprovalResult {
    return this.one.kind.isGtt ? approvalOfGtt(end, statusOf) : approvalOfEnd(end, statusOf)
  }

  /**
   * A strategy's order belongs to its live run: it goes to the broker of the run, in Live mode, or nowhere. A run that is
   * over, reserved or stopping gets no new position, because nobody would manage it.
   */
  #refusalByRun({ ofRun }: QueuedOrder): Refusal | undefined {
    if (!ofRun) return undefined
    const { broker, entries, ports } = this.services
    if (ports.mode() !== 'live') {
      const message = 'The order belongs to the live run of a strategy, and the service is in Analyzer mode.'
      return { code: 'conflict', message }
    }
    if (ofRun.broker !== null && ofRun.broker !== broker.brokerId) {
      const message = `The order belongs to a run at the broker ${ofRun.broker}, and ${broker.brokerId} is active.`
      return { code: 'conflict', message }
    }
    return entries.refusalOfEntry(ofRun.orderRef)
  }

  async #refusalOf({ userId }: QueuedOrder, payload: P): Promise<Refusal | undefined> {
    const { ports, risk } = this.services
    const refusal = await risk.examine(userId, ports.mode(), this.one.kind.order(payload))
    return refusal && { code: refusalCode(refusal), message: refusal.message }
  }

  /** Records in the journal that nothing was sent, when no broker can take the order. A GTT finds out when it reads its price. */
  async #withoutBroker({ mode, orderRef }: JournalEntry): Promise<ApprovalResult | undefined> {
    const { broker, journal } = this.services
    const refusal = mode === 'live' && !this.one.kind.isGtt ? refusalBy(broker) : undefined
    if (!refusal) return undefined
    const { message } = refusal
    await journal.move(orderRef, 'rejected', { endCause: 'not_sent', reason: message })
    return approvalOfEnd(endOfError('not_sent', orderRef, refusal))
  }

  /** Returns the entry of a claim: the journal's row, or a new entry for an order of Analyzer mode. */
  async #claimedEntry(orderRef: string, order: QueuedOrder, payload: P): Promise<JournalEntry> {
    const row = await this.services.journal.find(orderRef)
    if (!row && isOrderRef(orderRef)) {
      throw new Error(`the journal has no ${orderRef}, which an approval was claimed with`)
    }
    const broker = row?.broker ?? SANDBOX
    return this.one.approvedEntry(order, payload, row ? 'live' : 'analyze', { orderRef, broker })
  }
}
