/**
 * The properties of an operation that changes orders, independent of its caller and of how it is executed.
 */
export interface OrderOperation {
  /** Its name in the approval queue, when that name differs: the string that rows store. */
  queuedAs?: string
  /** Its kind in the latency log. */
  latencyKind: string
  /** True if it waits for approval in semi-auto mode. An operation is either queueable or `blocked`. */
  queueable: boolean
  /** The text of its refusal in semi-auto mode, when trading is live. */
  blocked?: string
  /**
   * Whether it lowers the risk of the account: always, or only with some values. A signed-in person may always lower
   * risk, in semi-auto mode and while the kill switch is on. Absent for an operation that never does.
   */
  lowersRisk?: 'always' | 'by its values'
  /** The topic of the event for a failure in Live mode. */
  failureTopic:
    | 'order.failed'
    | 'order.modify_failed'
    | 'order.cancel_failed'
    | 'gtt.failed'
    | 'gtt.modify_failed'
    | 'gtt.cancel_failed'
}

/**
 * Every operation that changes orders, under the name that requests, events, logs and the journal use. The
 * approval queue, the block of changes in semi-auto mode, latency samples and failure events read this table.
 * The order area adds the code that executes each operation; the daemon adds the routes.
 */
export const ORDER_OPERATIONS = {
  placeorder: { latencyKind: 'PLACE', queueable: true, failureTopic: 'order.failed' },
  placesmartorder: {
    queuedAs: 'smartorder',
    latencyKind: 'SMART',
    queueable: true,
    failureTopic: 'order.failed',
  },
  basketorder: { latencyKind: 'BASKET', queueable: true, failureTopic: 'order.failed' },
  splitorder: { latencyKind: 'SPLIT', queueable: true, failureTopic: 'order.failed' },
  optionsorder: { latencyKind: 'OPTIONS', queueable: true, failureTopic: 'order.failed' },
  optionsmultiorder: { latencyKind: 'OPTIONS_MULTI', queueable: true, failureTopic: 'order.failed' },
  modifyorder: {
    latencyKind: 'MODIFY',
    queueable: false,
    blocked:
      'Modify order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to modify orders.',
    lowersRisk: 'by its values',
    failureTopic: 'order.modify_failed',
  },
  cancelorder: {
    latencyKind: 'CANCEL',
    queueable: false,
    blocked:
      'Cancel order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to cancel orders.',
    lowersRisk: 'always',
    failureTopic: 'order.cancel_failed',
  },
  cancelallorder: {
    latencyKind: 'CANCEL_ALL',
    queueable: false,
    blocked:
      'Cancel all orders operation is not allowed in Semi-Auto mode. Please switch to Auto mode to cancel orders.',
    lowersRisk: 'always',
    failureTopic: 'order.failed',
  },
  closeposition: {
    latencyKind: 'CLOSE',
    queueable: false,
    blocked:
      'Close position operation is not allowed in Semi-Auto mode. Please switch to Auto mode to close positions.',
    lowersRisk: 'always',
    failureTopic: 'order.failed',
  },
  placegttorder: { latencyKind: 'GTT_PLACE', queueable: true, failureTopic: 'gtt.failed' },
  modifygttorder: {
    latencyKind: 'GTT_MODIFY',
    queueable: false,
    blocked: 'Modify GTT order is not allowed in Semi-Auto mode. Switch to Auto mode.',
    lowersRisk: 'by its values',
    failureTopic: 'gtt.modify_failed',
  },
  cancelgttorder: {
    latencyKind: 'GTT_CANCEL',
    queueable: false,
    blocked: 'Cancel GTT order is not allowed in Semi-Auto mode. Switch to Auto mode.',
    lowersRisk: 'always',
    failureTopic: 'gtt.cancel_failed',
  },
} as const satisfies Readonly<Record<string, OrderOperation>>

export type OrderOperationName = keyof typeof ORDER_OPERATIONS
type Rows = typeof ORDER_OPERATIONS

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

/** Returns the name of an operation in the approval queue. */
export function queueName(operation: OrderOperationName): string {
  const row: OrderOperation = ORDER_OPERATIONS[operation]
  return row.queuedAs ?? operation
}
