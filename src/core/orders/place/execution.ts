import { messageOf, publicMessageOf, ServiceError } from '../../errors/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { SandboxRefusal } from '../../sandbox/schema.js'
import type { Clock } from '../../time/index.js'
import { BrokerTimer } from '../broker-time.js'
import { objectionTo } from '../deadline.js'
import { endOfError, endOfStop, type OrderEnd } from '../end.js'
import type { OrderJournal } from '../journal/journal.js'
import type { OrderPorts, SandboxExecution, SandboxGtts } from '../ports.js'
import type { GttRequest } from '../schema.js'
import type { ClaimedOrder } from './claimed-order.js'
import type { LiveSender } from './live-sender.js'
import { noteRefusedOrder } from './refused.js'
import { timingOf } from './timing.js'
import { refusedEnd } from './unlisted.js'

interface OrderExecutionParts {
  clock: Pick<Clock, 'monotonic'>
  journal: OrderJournal
  risk: RiskGate
  sandbox: Pick<SandboxExecution, 'placeAll'>
  gtts: Pick<SandboxGtts, 'place'>
  sender: LiveSender
  ports: Pick<OrderPorts, 'log' | 'refused' | 'timed' | 'unlisted'>
}

/** The sandbox's answer to one order. */
type Decision = { ok: true; orderId: string } | (SandboxRefusal & { orderId?: string })

/**
 * Executes every order: it asks the gate, sends or simulates the order, and records the end. An order that
 * was never sent gives its place in the day's count back. Single orders, legs of larger requests, approved
 * orders, GTTs and workflows all use this class.
 */
export class OrderExecution {
  constructor(private readonly parts: OrderExecutionParts) {}

  /** Executes one order. */
  async one(claimed: ClaimedOrder): Promise<OrderEnd> {
    const [end] = await this.all([claimed])
    if (!end) throw new Error(`${claimed.entry.orderRef} was executed without an end`)
    return end
  }

  /**
   * Executes the orders of one request, all of one user and one mode. In Analyzer mode the sandbox decides on
   * all of them at once, in their order. Never throws: a fault of one order must not hide the ends of the
   * others.
   */
  async all(orders: readonly ClaimedOrder[]): Promise<OrderEnd[]> {
    const ends = await this.#ends(orders)
    for (const [place, claimed] of orders.entries()) {
      const end = ends[place]
      if (end?.outcome === 'refused') noteRefusedOrder(this.parts.ports, claimed, end)
    }
    return ends
  }

  async #ends(orders: readonly ClaimedOrder[]): Promise<OrderEnd[]> {
    if (orders.every(isAdmitted)) return await this.#send(orders)
    const refused = await this.#refusals(orders)
    const executed = await this.#send(orders.filter((_, place) => refused[place] === undefined))
    let next = 0
    return refused.map((end) => end ?? executed[next++] ?? missing(orders))
  }

  #send(admitted: readonly ClaimedOrder[]): Promise<OrderEnd[]> {
    const [first] = admitted
    if (first?.entry.mode === 'analyze') return this.#simulate(first, admitted)
    return Promise.all(admitted.map((order) => this.parts.sender.send(order, () => this.#release(order))))
  }

  /** Asks the gate about each order, and records the refusals. Returns them by the position of the order. */
  async #refusals(orders: readonly ClaimedOrder[]): Promise<(OrderEnd | undefined)[]> {
    const ends: (OrderEnd | undefined)[] = []
    for (const claimed of orders) ends.push(await this.#refusal(claimed))
    await this.#recordRefusals(orders, ends)
    return ends
  }

  async #refusal(claimed: ClaimedOrder): Promise<OrderEnd | undefined> {
    if (isAdmitted(claimed)) return undefined
    const { entry, order } = claimed
    const { mode, orderRef, userId } = entry
    try {
      const { ports, risk } = this.parts
      return await refusedEnd(ports, (...asked) => risk.admit(...asked), { userId, mode, order, orderRef })
    } catch (error) {
      return this.#fault(orderRef, error)
    }
  }

  /** If the rows cannot be written now, recovery closes them at the next start. */
  async #recordRefusals(
    orders: readonly ClaimedOrder[],
    ends: readonly (OrderEnd | undefined)[],
  ): Promise<void> {
    const moves = orders.flatMap(({ entry }, place) => {
      const end = ends[place]
      if (entry.mode === 'analyze' || !end || end.outcome !== 'refused') return []
      const { orderRef } = entry
      return [{ orderRef, to: 'rejected' as const, endCause: 'not_sent' as const, reason: end.message, end }]
    })
    try {
      await this.parts.journal.moveAll(moves)
    } catch (error) {
      const refs = moves.map(({ orderRef }) => orderRef).join(',')
      this.parts.ports.log.error('order_result_not_recorded', { order_ref: refs, error: messageOf(error) })
    }
  }

  async #simulate(first: ClaimedOrder, orders: readonly ClaimedOrder[]): Promise<OrderEnd[]> {
    const { clock, gtts, ports, risk, sandbox } = this.parts
    const { caller, gated, gtt, veto: ofCaller } = first
    const { orderRef, userId } = first.entry
    const veto = () => (gated ? risk.stopped() : undefined) ?? ofCaller?.() ?? objectionTo(clock, caller)
    const timer = new BrokerTimer(clock, caller?.startedAt)
    const decideGtt = async (request: GttRequest): Promise<Decision[]> => {
      const outcome = await gtts.place(userId, request, { triggerId: orderRef, veto })
      return [outcome.ok ? { ok: true, orderId: outcome.triggerId } : outcome]
    }
    const decide = (): Promise<Decision[]> => {
      if (gtt) return decideGtt(gtt.request)
      const requests = orders.map(({ entry, order }) => {
        const ofRun = entry.source === 'strategy'
        return { orderId: entry.orderRef, order, ofRun }
      })
      return sandbox.placeAll(userId, requests, { veto })
    }
    try {
      const decisions = await timer.send(decide)
      return orders.map((claimed, place) => {
        const end = this.#simulated(claimed, decisions[place])
        const timing = timingOf(claimed, end, timer)
        if (timing) ports.timed(timing)
        return end
      })
    } catch (error) {
      // An error in the sandbox undoes its whole decision.
      for (const claimed of orders) this.#release(claimed)
      return orders.map(({ entry, stopping }) =>
        stopping?.aborted ? endOfStop(entry.orderRef) : this.#fault(entry.orderRef, error),
      )
    }
  }

  #simulated(claimed: ClaimedOrder, outcome: Decision | undefined): OrderEnd {
    const { orderRef } = claimed.entry
    if (outcome?.ok) return { outcome: 'placed', orderRef, orderId: outcome.orderId }
    // An order without an id is not in the sandbox's book.
    if (outcome?.orderId === undefined) this.#release(claimed)
    if (!outcome) return missing([claimed])
    const { code, message, orderId } = outcome
    return {
      outcome: 'refused',
      orderRef,
      code,
      message,
      ...(code === 'kill_switch' && { rule: code }),
      ...(orderId !== undefined && { orderId }),
    }
  }

  /**
   * Returns the end of an order that was not sent. {@link LiveSender} handles every order that may have been.
   */
  #fault(orderRef: string, fault: unknown): OrderEnd {
    this.parts.ports.log.error('order_not_sent', { order_ref: orderRef, error: messageOf(fault) })
    const known = fault instanceof ServiceError ? fault : new ServiceError('internal', publicMessageOf(fault))
    return { ...endOfError('not_sent', orderRef, known), fault }
  }

  #release({ gated, order }: ClaimedOrder): void {
    if (gated) this.parts.risk.release(order)
  }
}

/** Returns whether the gate need not be asked about an order. */
function isAdmitted({ admitted, gated }: ClaimedOrder): boolean {
  return admitted === true || !gated
}

function missing([first]: readonly ClaimedOrder[]): never {
  throw new Error(`an order executed with ${first?.entry.orderRef} has no end`)
}
