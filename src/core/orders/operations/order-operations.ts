import { CHANGING } from './changing.js'
import type { OpenedRequest, QueueableExecution, ReadWith } from './execution.js'
import { GTT } from './gtt.js'
import type { OrderOperation } from './order-operation.js'
import { PLACING } from './placing.js'

/**
 * Every operation that changes orders, under the name that requests, events, logs and the journal use: what it is,
 * what it says and how it is executed. The approval queue, semi-auto mode, latency samples, failure events, alerts,
 * workflows and statistics read these definitions; the daemon adds what only its route says.
 */
export const ORDER_OPERATIONS = { ...PLACING, ...CHANGING, ...GTT }

export type OrderOperationName = keyof typeof ORDER_OPERATIONS
type Rows = typeof ORDER_OPERATIONS

/** The operations with a fact. */
type With<Fact extends 'inWorkflows' | 'hasValue' | 'inTraffic'> = {
  [N in OrderOperationName]: Rows[N] extends Readonly<Record<Fact, true>> ? N : never
}[OrderOperationName]

/** The operations that may wait for approval. */
export type QueueableOperation = {
  [N in OrderOperationName]: Rows[N]['queueable'] extends true ? N : never
}[OrderOperationName]

/** The operations that semi-auto mode refuses. */
export type BlockedOperation = Exclude<OrderOperationName, QueueableOperation>

/** The names of queueable operations in the approval queue. */
export type QueueName = {
  [N in QueueableOperation]: Rows[N] extends { queuedAs: infer Alias extends string } ? Alias : N
}[QueueableOperation]

const BY_NAME: ReadonlyMap<string, OrderOperation> = new Map(
  Object.entries<OrderOperation>(ORDER_OPERATIONS).flatMap(([name, row]) => [
    [name, row],
    [row.queuedAs ?? name, row],
  ]),
)

/** Returns the row of an operation by its name or alias, case-insensitively; undefined for any other text. */
export function orderOperation(name: string): OrderOperation | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.toLowerCase())
}

/** Returns a request of an operation, read without its credential. @throws ServiceError `validation` */
export function openRequest(operation: OrderOperationName, read: ReadWith): OpenedRequest {
  return ORDER_OPERATIONS[operation].executes.open(read)
}

/** Returns whether an operation places orders at once; a GTT waits for its trigger. */
export function placesOrders(operation: OrderOperationName): boolean {
  return Object.hasOwn(PLACING, operation)
}

const CHANGES_ONE: ReadonlySet<OrderOperationName> = new Set([
  'modifyorder',
  'cancelorder',
  'modifygttorder',
  'cancelgttorder',
])

/** Returns whether an operation changes or cancels the one order or GTT that its request names. */
export function changesOne(operation: OrderOperationName): boolean {
  return CHANGES_ONE.has(operation)
}

/** Returns whether an operation only cancels. Cancels go before orders, and pass when trading is stopped. */
export function isCancel(operation: string): boolean {
  return orderOperation(operation)?.cancels === true
}

/** Returns the name of an operation in the approval queue. */
export function queueName(operation: OrderOperationName): string {
  const row: OrderOperation = ORDER_OPERATIONS[operation]
  return row.queuedAs ?? operation
}

/** All operations by name. */
export const ORDER_OPERATION_NAMES = Object.keys(ORDER_OPERATIONS) as OrderOperationName[]

/** Returns the names of the operations with a fact, of which there are some. */
function namesWith<Fact extends 'inWorkflows' | 'hasValue' | 'inTraffic'>(
  fact: Fact,
): readonly [With<Fact>, ...With<Fact>[]] {
  const [first, ...others] = ORDER_OPERATION_NAMES.filter(
    (name): name is With<Fact> => fact in ORDER_OPERATIONS[name],
  )
  if (first === undefined) throw new Error(`no operation is ${fact}`)
  return [first, ...others]
}

/** The operations that nodes of workflows send. */
export const ORDER_CALLS = namesWith('inWorkflows')
export type OrderCall = (typeof ORDER_CALLS)[number]

/** The operations whose orders have a value. */
export const VALUED_OPERATIONS = namesWith('hasValue')

/** The operations that the statistics of the traffic log count one by one. */
export const COUNTED_OPERATIONS = namesWith('inTraffic')

/** An operation that may wait for approval, with its name in the approval queue and what executes it then. */
interface QueueableRow<N extends QueueableOperation = QueueableOperation> {
  operation: N
  queuedAs: QueueName
  approved: QueueableExecution<N>['approved']
}

/** Each definition has the kind of its own name. */
const EXECUTED: { readonly [N in QueueableOperation]: { executes: QueueableExecution<N> } } = ORDER_OPERATIONS

/** Every operation that may wait for approval. */
export const QUEUEABLE: readonly QueueableRow[] = ORDER_OPERATION_NAMES.filter(mayWait).map((operation) => ({
  operation,
  queuedAs: queueName(operation) as QueueName,
  approved: EXECUTED[operation].executes.approved,
}))

/** The names of queueable operations in the approval queue. */
export const QUEUE_NAMES = QUEUEABLE.map(({ queuedAs }) => queuedAs)

function mayWait(operation: OrderOperationName): operation is QueueableOperation {
  return ORDER_OPERATIONS[operation].queueable
}
