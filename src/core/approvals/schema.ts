import type { ErrorCode } from '../errors/index.js'
import type { SymbolRef } from '../market/schema.js'
import type { OrderStatus } from '../orders/schema.js'
import type { Tx } from '../storage/index.js'

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

export type BrokerStatus = 'complete' | 'open' | 'rejected'

/** Where orders went when a request was queued. Where an approved one goes is decided when it is approved. */
export type QueuedMode = 'live' | 'analyze'

/** `in_doubt`: it may have reached the broker; reconciliation or a person settles it. */
export type ExecutionState = 'executing' | 'in_doubt' | 'done' | 'failed'

/** A stored request: JSON as it was queued, without its API key. */
export type ApprovalPayload = Readonly<Record<string, unknown>>

/** A queued order as its executor sees it. */
export interface QueuedOrder {
  id: number
  userId: string
  operation: string
  payload: ApprovalPayload
}

/** The executor's own name for one execution (its order reference); stored beside the row. */
export type ExecutionRef = string

/** A reason not to approve now. The row stays pending. */
export interface Refusal {
  code: ErrorCode
  message: string
}

/** Why nothing may be executed any more for a request, for example since its caller has stopped waiting. */
export type Veto = () => Refusal | undefined

/** An order of a request of several that was not placed. */
export interface FailedPart {
  /** Its symbol, or its place in the request where it has none of its own. */
  name: string
  message: string
}

/** What came of an execution (contract, api-orders 13.2). */
export type ApprovalResult =
  /** Accepted orders in the order of sending, a trigger id counts as one; and those of the same request that failed. */
  | {
      outcome: 'placed'
      orders: readonly { orderId: string; orderStatus?: OrderStatus }[]
      failed?: readonly FailedPart[]
    }
  /** A smart order that found its position already as asked for. */
  | { outcome: 'nothing_to_do' }
  /** Certainly not placed. `httpStatus` is the service's or the broker's own; `detail` is more than the message says. */
  | { outcome: 'failed'; code: ErrorCode; httpStatus: number; message: string; detail?: string }
  /** It may have been placed. */
  | { outcome: 'unknown'; message: string }

/**
 * How approved rows are executed. The queue calls `recheck`, then `begin` inside the transaction that claims the
 * row, then `execute` once the claim is durable, at most once per row for ever.
 */
export interface ApprovalExecutor {
  /** Whether this kind of request can be executed; the others stay pending when somebody approves them. */
  supports(operation: string): boolean
  /** The pre-trade checks of now (risk gate, kill switch), before anything is claimed. */
  recheck(userId: string, order: QueuedOrder): Promise<Refusal | undefined>
  /** Journals the intent in the claim's own transaction; throwing undoes the claim. Only SQL through `tx`. */
  begin(tx: Tx, order: QueuedOrder): Promise<ExecutionRef>
  /**
   * Sends it. A thrown `ServiceError` whose code is a refusal means it was certainly not placed; anything else
   * thrown leaves the row in doubt.
   */
  execute(ref: ExecutionRef, order: QueuedOrder): Promise<ApprovalResult>
  /**
   * Looks up, never re-sends, what came of an execution cut short by a crash. `unknown` keeps it in doubt until
   * {@link Approvals.settle}.
   */
  resume(ref: ExecutionRef, order: QueuedOrder): Promise<ApprovalResult>
  /** Why no request can be executed until somebody signs in to the broker; undefined when that is not the matter. */
  withoutSession(): Promise<string | undefined>
}

/** What the caller of an approval is told. */
export type ApprovalOutcome =
  /** `executionError` names the orders of the request that failed while others were placed. */
  | { outcome: 'executed'; brokerOrderId: string | null; executionError: string | null }
  /** `executionError` is what the row keeps: the error, and more where more is known. */
  | { outcome: 'failed'; code: ErrorCode; httpStatus: number; error: string; executionError: string }
  | { outcome: 'unknown'; error: string; executionRef: ExecutionRef | null }

export interface ApproveAllOutcome {
  approvedCount: number
  /** Of them those that were placed, if only in part. */
  executedCount: number
  /** Approved and certainly not executed, oldest first. */
  failed: { orderId: number; error: string }[]
  /** Approved, and it may be at the broker: to be followed, not to be sent again. Oldest first. */
  inDoubt: { orderId: number; error: string; executionRef: ExecutionRef | null }[]
  /** Counted as executed, though some orders of the request failed. Oldest first. */
  partly: { orderId: number; error: string }[]
  /** Not approved: a check of now speaks against it, it has no executor, or there is no broker session. They stay pending. */
  refused: { orderId: number; error: string }[]
}

export interface ApprovalSettings {
  /** Seconds after which a pending order is rejected by itself; 0 is never. */
  expirySeconds: number
  /** Largest move since queueing, in percent, at which approving is still allowed; 0 is any. */
  maxDriftPercent: number
}

/** The last price in rupees of now, or undefined when there is none. */
export type LastPrice = (ref: SymbolRef) => number | undefined | Promise<number | undefined>

/** Which orders of a user to list. */
export interface ApprovalQuery {
  /** A status, or `all`. An unknown one finds nothing. */
  status: string
  /** Rows at the most. Pending rows are all listed without it, others up to {@link DEFAULT_PAGE}. */
  limit?: number
  /** Only rows older than this id: the `nextBefore` of the page before. */
  before?: number
}

/** Rows of a list that was asked for without a limit, where history may be long. */
export const DEFAULT_PAGE = 1000
