import type { ErrorFacts, Refusal } from '../errors/index.js'
import type { SymbolRef } from '../market/schema.js'
import type { OrderStatus } from '../orders/schema.js'
import type { Tx } from '../storage/index.js'

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

export type BrokerStatus = 'complete' | 'open' | 'rejected'

/**
 * The trading mode when a request was queued. An approved request follows the mode at the time of its
 * approval.
 */
export type QueuedMode = 'live' | 'analyze'

/**
 * `in_doubt`: the order may have reached the broker; reconciliation or a person settles it. `partial`: some orders of the
 * request were placed, and the others failed.
 */
export type ExecutionState = 'executing' | 'in_doubt' | 'done' | 'partial' | 'failed'

/** A stored request: the queued JSON without its API key. */
export type ApprovalPayload = Readonly<Record<string, unknown>>

/** A queued order as the executor receives it. */
export interface QueuedOrder {
  id: number
  userId: string
  operation: string
  payload: ApprovalPayload
  /**
   * Only of the live order of a strategy: the reference that the run chose, and the run's broker. A row of an earlier
   * version has no broker.
   */
  ofRun?: { orderRef: string; broker: string | null }
}

/** The executor's name for one execution (its order reference), stored with the row. */
export type ExecutionRef = string

/** One order that was not placed, of a request with several orders. */
export interface FailedPart {
  /** Its symbol, or its position in the request when it has no symbol. */
  name: string
  message: string
}

/** The result of an execution. */
export type ApprovalResult =
  /**
   * The ids of accepted orders and triggers, in the order of sending, and the orders of the request that
   * failed.
   */
  | {
      outcome: 'placed'
      orders: readonly { orderId: string; orderStatus?: OrderStatus }[]
      failed?: readonly FailedPart[]
    }
  /** A smart order whose position already had the requested size. */
  | { outcome: 'nothing_to_do' }
  /** The order was certainly not placed. `detail` adds to the message. */
  | ({ outcome: 'failed'; message: string; detail?: string } & ErrorFacts)
  /** The order may have been placed. */
  | { outcome: 'unknown'; message: string }

/** What one order asks of the broker. */
export interface LegTerms {
  symbol: string
  exchange: string
  action: string
  /** 0 for a part of a request for which nothing would be sent. */
  quantity: number
  pricetype: string
  product: string
  /** Rupees; 0 for none. */
  price: number
  /** Rupees; 0 for none. */
  triggerPrice: number
  /** What it asks besides, in words; absent for a plain order of the day. */
  instructions?: string | undefined
}

/** Where an approved order goes now. */
export interface Destination {
  mode: QueuedMode
  broker: string
}

/** What an approver saw. The row is claimed only while each member that is present still holds. */
export interface Expectation {
  /** `queued`: the mode in which the request was queued. */
  mode?: QueuedMode | 'queued' | undefined
  /** Of an order that goes to a broker: it says nothing in Analyzer mode. */
  broker?: string | undefined
  /** Every order that is sent; none for a request that needs no order now. */
  legs?: readonly LegTerms[] | undefined
}

/** What the approver of the whole queue saw. */
export interface ExpectationOfAll extends Pick<Expectation, 'mode' | 'broker'> {
  /** The orders of each request, by its id. With it, a request that has no entry stays pending. */
  legsOf?: ReadonlyMap<number, readonly LegTerms[]> | undefined
}

/** Executes approved rows. */
export interface ApprovalExecutor {
  destination(): Destination
  /**
   * Returns whether this kind of request can be executed. Others stay pending when somebody approves them.
   */
  supports(operation: string): boolean
  /** Reads the stored request, once for the whole approval. @throws ServiceError `validation` */
  open(order: QueuedOrder): ApprovedRequest
  /**
   * Looks up the result of an execution that a crash interrupted. It never sends again. `unknown` keeps the
   * row in doubt until {@link Approvals.settle}.
   */
  resume(ref: ExecutionRef, order: QueuedOrder): Promise<ApprovalResult>
  /**
   * Returns why no request can be executed until somebody signs in to the broker; undefined with a session.
   */
  withoutSession(): Promise<string | undefined>
}

/**
 * A request under approval. Inside of `alone` the queue calls `recheck`, then `legs` and `begin` inside the transaction
 * that claims the row, then `send` when the claim is durable. It calls `send` at most once per row, also across
 * restarts.
 */
export interface ApprovedRequest {
  /** Runs work while no smart order, close or exit of this service trades on the positions of this one. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Runs the current pre-trade checks (risk gate, kill switch) before the row is claimed. */
  recheck(): Promise<Refusal | undefined>
  /** Returns the orders that `recheck` has found, which are those that `send` sends. */
  legs(): readonly LegTerms[]
  /**
   * Journals the intent in the claim's transaction, with SQL through `tx` only. If it throws, the claim is
   * undone.
   */
  begin(tx: Tx): Promise<ExecutionRef>
  /**
   * Sends the order. A thrown `ServiceError` whose code is a refusal means that the order was certainly not
   * placed. Any other thrown error leaves the row in doubt.
   * @returns reads what became of it. That can take as long as the broker's book, so it belongs outside of `alone`
   */
  send(ref: ExecutionRef): Promise<SentReport>
}

/** Returns what became of a request that was sent. It never throws. */
export type SentReport = () => Promise<ApprovalResult>

/** The outcome that the caller of an approval receives. */
export type ApprovalOutcome =
  /** `executionError` names the orders of the request that failed while others were placed. */
  | { outcome: 'executed'; brokerOrderId: string | null; executionError: string | null }
  /** `executionError` is the text stored on the row: the error, with details when they are known. */
  | ({ outcome: 'failed'; error: string; executionError: string } & ErrorFacts)
  | { outcome: 'unknown'; error: string; executionRef: ExecutionRef | null }

export interface ApproveAllOutcome {
  approvedCount: number
  /** The approved requests that were placed, in full or in part. */
  executedCount: number
  /** Approved and certainly not executed, oldest first. */
  failed: { orderId: number; error: string }[]
  /** Approved and possibly at the broker: the user should follow it and not send it again. Oldest first. */
  inDoubt: { orderId: number; error: string; executionRef: ExecutionRef | null }[]
  /** Counted as executed, though some orders of the request failed. Oldest first. */
  partly: { orderId: number; error: string }[]
  /**
   * Not approved: a current check refuses it, it is not what the approver saw, it has no executor, or no broker session
   * exists. It stays pending.
   */
  refused: { orderId: number; error: string }[]
}

export interface ApprovalSettings {
  /** Seconds after which the queue rejects a pending order; 0 means never. */
  expirySeconds: number
  /** Largest price move since queueing, in percent, that still allows approval; 0 allows any move. */
  maxDriftPercent: number
}

/** Returns the current last price in rupees, or undefined when there is none. */
export type LastPrice = (ref: SymbolRef) => number | undefined | Promise<number | undefined>

/** The filter and the page for a list of a user's orders. */
export interface ApprovalQuery {
  /** A status, or `all`. An unknown status finds nothing. */
  status: string
  /** Maximum number of rows; {@link DEFAULT_PAGE} without it. */
  limit?: number
  /** Lists only rows older than this id: the `nextBefore` of the previous page. */
  before?: number
  /** Only rows queued in this period, in epoch milliseconds; `until` itself is left out. */
  since?: number | undefined
  until?: number | undefined
  /** Only requests of this instrument or strategy. A basket has no symbol of its own. */
  symbol?: string | undefined
  exchange?: string | undefined
  strategy?: string | undefined
}

/** Maximum rows of a list that has no limit, and of any list. */
export const DEFAULT_PAGE = 100
export const MAX_PAGE = 1000
