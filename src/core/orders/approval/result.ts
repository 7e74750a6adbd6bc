import type { ApprovalResult, FailedPart } from '../../approvals/schema.js'
import type { JournalRow, OrderJournal } from '../journal/journal.js'
import type { OrderState } from '../journal/states.js'
import { messageOfAnswer, resultsIn } from '../publish.js'
import type { OrderResult } from '../result.js'
import type { OrderStatus } from '../schema.js'

/** The status of an order placed, by its id; undefined where nobody knows it now. */
type StatusOf = (orderId: string) => OrderStatus | undefined

/** Ends of an order as the book of a broker names them. */
const STATUS_OF_STATE: ReadonlyMap<string, OrderStatus> = new Map<OrderState, OrderStatus>([
  ['filled', 'complete'],
  ['cancelled', 'cancelled'],
  ['rejected', 'rejected'],
])

/** The result of an approval, as the queue books it (contract, api-orders 13.2). */
export function resultOf(answer: OrderResult, statusOf: StatusOf = () => undefined): ApprovalResult {
  const message = messageOfAnswer(answer)
  if (answer.code === 'outcome_unknown') return { outcome: 'unknown', message }
  if (answer.code !== 'ok') {
    return { outcome: 'failed', code: answer.code, httpStatus: answer.status, message }
  }
  const { body } = answer
  if (Array.isArray(body.results)) return resultOfSeveral(answer, statusOf)
  if (typeof body.trigger_id === 'string') {
    const { trigger_id: orderId } = body
    const orderStatus = statusOf(orderId) ?? 'open'
    return { outcome: 'placed', orders: orderId === '' ? [] : [{ orderId, orderStatus }] }
  }
  if (body.orderid === undefined) return { outcome: 'nothing_to_do' }
  return { outcome: 'placed', orders: [placedAs(String(body.orderid), statusOf)] }
}

/** The same for an answer told from the journal, which knows how its orders have ended since. */
export async function resultFromJournal(
  answer: OrderResult,
  journal: Pick<OrderJournal, 'find' | 'inBatch'>,
): Promise<ApprovalResult> {
  const { orderRef } = answer
  if (orderRef === undefined) return resultOf(answer)
  const order = await journal.find(orderRef)
  return resultOf(answer, statusIn(order ? [order] : await journal.inBatch(orderRef)))
}

function statusIn(rows: readonly JournalRow[]): StatusOf {
  const states = new Map(rows.map(({ orderId, state }) => [orderId, state]))
  return (orderId) => STATUS_OF_STATE.get(states.get(orderId) ?? '')
}

/** Each order of a request by itself; while one of them is in doubt, so is the whole. */
function resultOfSeveral(answer: OrderResult, statusOf: StatusOf): ApprovalResult {
  const leaves = leavesIn(answer)
  const inDoubt = leaves.filter((leaf) => leaf.order_ref !== undefined).length
  if (inDoubt > 0) {
    return {
      outcome: 'unknown',
      message: `The outcome of ${inDoubt} of ${leaves.length} orders is not known`,
    }
  }
  const isPlaced = (leaf: Leaf) => leaf.status === 'success' && leaf.orderid !== undefined
  return {
    outcome: 'placed',
    orders: leaves.filter(isPlaced).map((leaf) => placedAs(String(leaf.orderid), statusOf)),
    failed: leaves.flatMap((leaf, place) => (isPlaced(leaf) ? [] : [failedPart(leaf, place)])),
  }
}

type Leaf = Record<string, unknown>

/** The orders of an answer, those of a split leg one by one under the symbol of their leg. */
function leavesIn(answer: OrderResult): Leaf[] {
  return resultsIn(answer).results.flatMap((entry): Leaf[] => {
    const { split_results: parts, symbol } = entry
    if (!Array.isArray(parts)) return [entry]
    return parts.map((leaf: unknown) => ({ symbol, ...Object(leaf) }))
  })
}

function failedPart({ symbol, leg, message }: Leaf, place: number): FailedPart {
  const named =
    typeof symbol === 'string' ? symbol : `${leg === undefined ? 'order' : 'leg'} ${leg ?? place + 1}`
  return { name: named, message: typeof message === 'string' && message !== '' ? message : 'no reason given' }
}

function placedAs(orderId: string, statusOf: StatusOf) {
  const orderStatus = statusOf(orderId)
  return { orderId, ...(orderStatus && { orderStatus }) }
}
