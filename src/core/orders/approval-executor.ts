import type { ApprovalExecutor, ApprovalResult, QueuedOrder, Refusal } from '../approvals/schema.js'
import { messageOf, ServiceError } from '../errors/index.js'
import type { RiskGate } from '../risk/index.js'
import type { Tx } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { parseWith } from '../validation/index.js'
import type { Answer } from './answer.js'
import type { OrderDesk } from './desk.js'
import type { JournalEntry, JournalRow, OrderJournal } from './journal.js'
import { answerFor } from './journal-answer.js'
import { newOrderRef } from './order-ref.js'
import type { DeskPorts, LiveExecution, SimulatedExecution } from './ports.js'
import { type OrderStatus, type PlaceOrderPayload, placeOrderPayload, toOrderRequest } from './schema.js'

export interface ExecutorParts {
  clock: Clock
  desk: OrderDesk
  journal: OrderJournal
  risk: RiskGate
  sandbox: SimulatedExecution
  broker: LiveExecution
  ports: Pick<DeskPorts, 'mode'>
}

/**
 * Executes approved orders through the one order path, past the queue. The attempt is journalled in the same
 * transaction as the approval's claim, so that whatever happens afterwards can be found out.
 */
export class QueuedOrderExecutor implements ApprovalExecutor {
  constructor(private readonly parts: ExecutorParts) {}

  supports(apiType: string): boolean {
    return apiType === 'placeorder'
  }

  async recheck(userId: string, order: QueuedOrder): Promise<Refusal | undefined> {
    const request = toOrderRequest(payloadOf(order))
    const refusal = await this.parts.risk.examine(userId, this.parts.ports.mode(), request)
    return refusal && { code: codeOf(refusal.rule), message: refusal.message }
  }

  async begin(tx: Tx, order: QueuedOrder): Promise<string> {
    const { broker, clock, journal, ports, sandbox } = this.parts
    const mode = ports.mode()
    const orderRef = mode === 'analyze' ? sandbox.newOrderId() : newOrderRef(clock)
    await journal.openIn(tx, {
      orderRef,
      userId: order.userId,
      apiType: order.apiType,
      source: 'approval',
      mode,
      broker: mode === 'analyze' ? 'sandbox' : broker.brokerId,
      state: 'claimed',
      payload: payloadOf(order),
      approvalId: order.id,
    })
    return orderRef
  }

  async execute(orderRef: string, order: QueuedOrder): Promise<ApprovalResult> {
    const entry = entryOf(await this.#row(orderRef), payloadOf(order))
    const request = toOrderRequest(entry.payload)
    const refusal = await this.parts.risk.admit(entry.userId, entry.mode, request)
    if (refusal) {
      await this.parts.journal.move(orderRef, 'rejected', { reason: refusal.message })
      return { outcome: 'failed', code: codeOf(refusal.rule), httpStatus: 403, message: refusal.message }
    }
    return entry.mode === 'analyze' ? this.#simulate(entry) : this.#send(entry)
  }

  async resume(orderRef: string): Promise<ApprovalResult> {
    const row = await this.#row(orderRef)
    if (row.state !== 'claimed') return resultOf(answerFor(row), undefined)
    if (row.mode === 'analyze') {
      const placed = await this.parts.sandbox.statusOf(row.userId, orderRef)
      if (placed) {
        await this.parts.journal.move(orderRef, 'accepted', { orderId: orderRef })
        return { outcome: 'placed', orders: [{ orderId: orderRef, orderStatus: placed }] }
      }
    }
    const message = 'The service stopped before the order was sent'
    await this.parts.journal.move(orderRef, 'rejected', { reason: message })
    return { outcome: 'failed', code: 'unavailable', httpStatus: 503, message }
  }

  async #simulate(entry: JournalEntry): Promise<ApprovalResult> {
    const answer = await this.parts.desk.simulateEntry(entry, toOrderRequest(entry.payload))
    const accepted = answer.code === 'ok'
    await this.parts.journal.move(entry.orderRef, accepted ? 'accepted' : 'rejected', {
      ...(accepted ? { orderId: entry.orderRef } : { reason: String(answer.body.message) }),
    })
    return resultOf(answer, await this.parts.sandbox.statusOf(entry.userId, entry.orderRef))
  }

  async #send(entry: JournalEntry): Promise<ApprovalResult> {
    await this.#requireBroker(entry)
    if (!(await this.parts.journal.move(entry.orderRef, 'sending'))) {
      throw new ServiceError('conflict', 'This approval has been executed already')
    }
    const answer = await this.parts.desk.sendEntry(entry, toOrderRequest(entry.payload))
    return resultOf(answer, answer.code === 'ok' ? await this.#statusAtBroker(entry.orderRef) : undefined)
  }

  /** Without a broker session nothing is sent, and the journal says so. */
  async #requireBroker(entry: JournalEntry): Promise<void> {
    try {
      this.parts.broker.client()
    } catch (error) {
      await this.parts.journal.move(entry.orderRef, 'rejected', { reason: messageOf(error) })
      throw error
    }
  }

  /** One look at the order's status; the approval does not depend on it. */
  async #statusAtBroker(orderRef: string): Promise<OrderStatus | undefined> {
    try {
      return (await this.parts.broker.client().orders.findByTag(orderRef))?.status
    } catch {
      return undefined
    }
  }

  async #row(orderRef: string): Promise<JournalRow> {
    const row = await this.parts.journal.find(orderRef)
    if (!row) throw new Error(`the journal has no ${orderRef}, which an approval was claimed with`)
    return row
  }
}

/** The result of an approval, as the queue books it. */
export function resultOf(answer: Answer, orderStatus: OrderStatus | undefined): ApprovalResult {
  if (answer.code === 'ok') {
    const orderId = String(answer.body.orderid)
    return { outcome: 'placed', orders: [{ orderId, ...(orderStatus && { orderStatus }) }] }
  }
  const message = String(answer.body.message)
  if (answer.code === 'outcome_unknown') return { outcome: 'unknown', message }
  return { outcome: 'failed', code: answer.code, httpStatus: answer.status, message }
}

function payloadOf(order: QueuedOrder): PlaceOrderPayload {
  return parseWith(placeOrderPayload, order.payload)
}

function entryOf(row: JournalRow, payload: PlaceOrderPayload): JournalEntry {
  return {
    orderRef: row.orderRef,
    userId: row.userId,
    apiType: row.apiType,
    source: 'approval',
    mode: row.mode === 'analyze' ? 'analyze' : 'live',
    broker: row.broker,
    state: 'claimed',
    payload,
    ...(row.approvalId !== null && { approvalId: row.approvalId }),
  }
}

function codeOf(rule: string): 'kill_switch' | 'risk_refused' {
  return rule === 'kill_switch' ? 'kill_switch' : 'risk_refused'
}
