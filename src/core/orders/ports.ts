import type { BrokerClient, BrokerManifest, CallRank } from '../brokers/broker.js'
import type { ErrorCode, Veto } from '../errors/index.js'
import type { EventTopics } from '../events/index.js'
import type { Logger } from '../logging/index.js'
import type { PriceBand, QuoteNeeds, SymbolRef } from '../market/schema.js'
import type { Money } from '../money/index.js'
import type { GttView, SandboxRefusal } from '../sandbox/schema.js'
import type { RowsFirst, Tx } from '../storage/index.js'
import type { TradingMode } from '../trading/index.js'
import type { OrderSource } from './journal/entry.js'
import type { JournalRow } from './journal/journal.js'
import type { InstrumentTerms } from './place/instrument-check.js'
import type { OrderResult } from './result.js'
import type {
  Action,
  GttRequest,
  GttTerms,
  OrderRequest,
  OrderStatus,
  OrderTerms,
  PositionFilter,
  PositionRef,
  PriceType,
  Product,
  WaitingTerms,
} from './schema.js'

/** The user, the source and the key of an order. */
export interface PlaceContext {
  userId: string
  source: OrderSource
  /**
   * True when a person is signed in who sends it: a session or a token of the same user came with the request. The API
   * key alone, workflows, strategies, assistants and chats never are. Such a person may always lower risk.
   */
  signedIn?: true
  /** The caller's own key against double execution. */
  idempotencyKey?: string
  /** The only trading mode in which the caller wants the request executed; absent if any will do. */
  onlyMode?: TradingMode
  /** Rows of the caller that must be durable before anything leaves. */
  first?: RowsFirst
  /**
   * Nothing is sent for the request after this reading of the monotonic clock: its caller has stopped
   * waiting.
   */
  deadline?: number
  /**
   * Returns why the caller may send nothing more, if it lost its right while the request waited: the user can
   * revoke the access of an assistant at any moment. Absent for a caller that keeps its right.
   */
  lostRight?: () => Objection | undefined
  /** The reading of the monotonic clock when the request arrived; absent if it arrives with this call. */
  startedAt?: number
  /** The id under which the answer to the request is kept; absent for a caller that keeps none. */
  requestId?: string
}

/** Why an order is not sent. */
export interface Objection {
  code: ErrorCode
  message: string
}

/** The caller's deadline, right, sign-in, start and id, as its orders use them. Approvals and recovery have no caller. */
export type Caller = Pick<PlaceContext, 'deadline' | 'lostRight' | 'requestId' | 'signedIn' | 'startedAt'>

/** An order, or a request for orders, that was refused and that nothing else records. */
export interface RefusedOrder {
  operation: string
  source: OrderSource
  userId: string
  mode: TradingMode
  /** What was asked for: an order, or the body of a request. */
  request: object
  code: ErrorCode
  /** The rule of the risk gate that refused it. */
  rule?: string
  message: string
  /** The id of the larger request that it belongs to. */
  requestId?: string
  approvalId?: number
  /** The reference that it would have had. */
  orderRef?: string
}

/** The timing of an order, or of a change, that reached its broker or the sandbox. All times in milliseconds. */
export interface TimedOrder {
  operation: string
  userId: string
  source: OrderSource
  /** The broker, or {@link SANDBOX}. */
  broker: string
  orderId?: string
  symbol?: string
  /** From the arrival of the request to its recorded end. */
  totalMs: number
  /** From the arrival of the request to its execution. */
  validationMs: number
  /** Waiting for the broker's answer. */
  rttMs: number
  /** From the broker's answer to the recorded end. */
  responseMs: number
  /** The reason when it was not executed, or its outcome is not known. */
  error?: string | undefined
}

/** The name of the sandbox in the place where the journal of a live order names its broker. */
export const SANDBOX = 'sandbox'

/**
 * The sandbox's answer to an order. An order rejected by an account rule is in the sandbox's book, with an
 * id.
 */
type SandboxOutcome = { ok: true; orderId: string } | SandboxRefusal

/** What the sandbox would do with an order: the margin, or why it would refuse it. */
interface SandboxPreview {
  margin: number | null
  refusal?: string
}

/** A copy of the simulated account, on which orders take effect that nobody places. */
export interface SandboxRehearsal {
  preview(order: OrderRequest): Promise<SandboxPreview>
}

/** An order of the sandbox, as its strategy sees it. */
interface SimulatedOrder extends PositionRef {
  product: Product
  orderId: string
  action: Action
  quantity: number
  status: OrderStatus
  filledQuantity: number
  averagePrice: Money
  rejectionReason: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** The terms of a simulated order, with the exchange and the product that it keeps. */
export type SimulatedTerms = OrderTerms & Pick<OrderRequest, 'exchange' | 'product'>

/** The sandbox as the order path sees it. */
export interface SandboxExecution {
  newOrderId(): string
  /**
   * Decides on all orders at once, in their order. For a known id it returns that order's outcome and places
   * nothing. `ofRun`: a run of a strategy sends the order. `closes`: it closes a position, like those of {@link closeEach}.
   */
  placeAll(
    userId: string,
    orders: readonly { orderId: string; order: OrderRequest; ofRun?: boolean; closes?: boolean }[],
    options?: { veto?: Veto },
  ): Promise<SandboxOutcome[]>
  /** Returns the durable outcome of an order; undefined when the sandbox never accepted it. */
  outcomeOf(userId: string, orderId: string): Promise<SandboxOutcome | undefined>
  /** `isStored`: the order is sent on a later day, which has a price band of its own. */
  preview(userId: string, order: OrderRequest, options?: { isStored?: boolean }): Promise<SandboxPreview>
  /** Returns previews of orders that are decided one after the other: each meets the account that those before it leave. */
  rehearse(userId: string): Promise<SandboxRehearsal>
  /** Returns the durable status of an order; undefined when the sandbox never accepted it. */
  statusOf(userId: string, orderId: string): Promise<OrderStatus | undefined>
  /** Returns the durable orders with these ids; an id that the sandbox never accepted is missing. */
  ordersWith(orderIds: readonly string[]): Promise<SimulatedOrder[]>
  /** Returns the durable orders that the runs of a user's strategy have sent since a moment, oldest first. */
  ordersOf(userId: string, strategy: string, since: number): Promise<SimulatedOrder[]>
  /** Returns the signed net quantity after all pending MARKET orders fill; 0 without a position. */
  expectedPosition(userId: string, ref: PositionRef): Promise<number>
  /** Returns the signed quantity of those MARKET orders that wait for the next opening. */
  atNextOpening(userId: string, ref: PositionRef): Promise<number>
  /** Returns the signed quantity that a close would send, and the reason where pending MARKET orders close all of it already. */
  openPart(userId: string, ref: PositionRef): Promise<{ quantity: number; problem?: string }>
  /** Returns the quantity of a position's orders that wait for a price with exactly these terms. */
  waitingAlike(userId: string, ref: PositionRef, terms: WaitingTerms): Promise<number>
  /** Returns every position with its signed quantity, and every holding as product CNC. */
  quantities(userId: string): Promise<(PositionRef & { quantity: number })[]>
  /** Returns when the account was last reset; undefined if it never was. */
  resetAt(userId: string): Promise<number | undefined>
  /** Returns the open positions that match. */
  openPositions(userId: string, filter: PositionFilter): Promise<PositionRef[]>
  /** Returns what a durable order is about; undefined when the sandbox never accepted it. */
  termsOf(userId: string, orderId: string): Promise<SimulatedTerms | undefined>
  /** Changes the quantity and prices of a pending order; a price of 0 changes nothing. It keeps its price type. */
  modify(
    userId: string,
    orderId: string,
    changes: { priceType?: PriceType; quantity: number; price: number; triggerPrice: number },
    options?: { veto?: Veto },
  ): Promise<SandboxChange>
  cancel(userId: string, orderId: string): Promise<SandboxChange>
  /** Cancels every waiting order, many at a time. Those that are left when the `veto` refuses are named as failed. */
  cancelAll(
    userId: string,
    options?: { veto?: Veto },
  ): Promise<{
    message: string
    cancelled: readonly string[]
    failed: readonly { orderid: string; message: string }[]
  }>
  /**
   * Closes these positions. A position that is already flat is missing in the answer. All orders of a position become
   * durable, or none of them. `orderIds`: new ids for these orders, as far as the caller has stored them.
   */
  closeEach(
    userId: string,
    positions: readonly (PositionRef & { orderIds?: readonly string[] })[],
  ): Promise<SimulatedClose[]>
}

/** The orders by which the sandbox closed a position: several if the exchange takes no order for all of it. */
export interface SimulatedClose {
  ref: PositionRef
  pieces: readonly { quantity: number; outcome: SandboxOutcome }[]
}

/** The sandbox's answer to a change. */
type SandboxChange = { ok: true; orderId: string; message: string } | SandboxRefusal

/** The sandbox's answer to a GTT request. */
export type SandboxGttOutcome = { ok: true; triggerId: string } | SandboxRefusal

/** The sandbox's good-till-triggered orders, as the order path uses them. */
export interface SandboxGtts {
  /**
   * Returns a new id for {@link place}. The caller stores it first, so that it can resolve a crash with it.
   */
  newTriggerId(): string
  /** Places a GTT. For a known id it returns that GTT's outcome and places nothing. */
  place(
    userId: string,
    gtt: GttRequest,
    options: { triggerId: string; veto?: Veto },
  ): Promise<SandboxGttOutcome>
  modify(
    userId: string,
    triggerId: string,
    gtt: GttRequest,
    options?: { veto?: Veto },
  ): Promise<SandboxGttOutcome>
  cancel(userId: string, triggerId: string): Promise<SandboxGttOutcome>
  /** Returns what an active trigger is about; undefined when there is none with this id. */
  termsOf(userId: string, triggerId: string): Promise<GttTerms | undefined>
  /** Returns whether a trigger with this id was ever placed durably. */
  knows(userId: string, triggerId: string): Promise<boolean>
  /** Rows of the GTT book, newest first, active ones only. */
  list(userId: string): Promise<GttView[]>
}

/** The active broker account. */
export interface LiveExecution {
  readonly brokerId: string
  /** The account that is signed in, as the broker names it. Undefined without a session. */
  readonly accountId?: string | undefined
  /** @throws ServiceError `broker_missing`, or `forbidden` without a broker session */
  client(): BrokerClient
  manifest(): BrokerManifest
  /** Returns the algorithm that the orders of a strategy are sent under; undefined if none is mapped to it. */
  algoOf?(strategy: string): string | undefined
  /**
   * Resolves when the broker's limits allow one more order call of this rank. The caller makes its final
   * checks after this wait. @throws ServiceError `rate_limited`: nothing was sent
   */
  orderSlot(rank?: CallRank): Promise<void>
}

/** Returns whether another account is signed in than a run began at. Without a name of either nobody can tell. */
export function isOtherAccount({ accountId }: Pick<LiveExecution, 'accountId'>, ofRun?: string): boolean {
  return ofRun !== undefined && accountId !== undefined && accountId !== ofRun
}

/** The active broker account as new orders see it. */
export interface LiveOrders extends LiveExecution {
  /**
   * Checks that the broker can take a new order, before the order is stored. Cancels, closes and reads skip
   * this check: they must work at all times.
   * @throws ServiceError as {@link client} does, or `unavailable` while the loaded instruments belong
   *   to another broker: the order's names and tokens would mean something else at this broker
   */
  requireReady(): void
}

/** The approval queue, as the order path uses it. */
export interface QueuePort {
  /**
   * Returns whether a request waits for approval instead of executing. The orders of an assistant (`mcp`) may wait
   * while those of the user's own programs do not.
   */
  shouldQueue(userId: string, operation: string, source?: OrderSource): boolean
  enqueue(
    userId: string,
    operation: string,
    payload: Record<string, unknown>,
    options?: {
      /** The last price now, for the drift check at approval. */
      ltp?: number | undefined
      /** The last prices of a request with several instruments, by `symbolKey`. */
      prices?: ReadonlyMap<string, number>
      /** Writes in the same transaction as the row. */
      alongside?: (tx: Tx, pendingOrderId: number) => Promise<void>
      /** The order of a strategy's run: the reference that it will have once it is approved, and the run's broker. */
      ofRun?: { orderRef: string; broker: string }
    },
  ): Promise<number>
  /** Rejects a request that still waits. Returns false when it was decided before. */
  withdraw(userId: string, id: number, by: string, reason: string): Promise<boolean>
}

/** The topics of events for the end of a request to the order path. */
export type OutcomeTopic =
  | 'order.placed'
  | 'order.failed'
  | 'order.no_action'
  | 'order.modified'
  | 'order.modify_failed'
  | 'order.cancelled'
  | 'order.cancel_failed'
  | 'orders.all_cancelled'
  | 'position.closed'
  | 'basket.completed'
  | 'split.completed'
  | 'options.completed'
  | 'multiorder.completed'
  | 'gtt.placed'
  | 'gtt.failed'
  | 'gtt.modified'
  | 'gtt.modify_failed'
  | 'gtt.cancelled'
  | 'gtt.cancel_failed'
  | 'analyzer.error'

/** The members of an event's payload that the daemon renders from the result. */
type Rendered = 'response_data' | 'results'

/** The end of a request, as an event: the members of its topic, and the result to render the answer from. */
export type OutcomeEvent<T extends OutcomeTopic = OutcomeTopic> = {
  [Topic in T]: { topic: Topic; result: OrderResult; facts: Omit<EventTopics[Topic], Rendered> }
}[T]

/** An event of the order path. */
export type OrderEvent = OutcomeEvent | { topic: 'order.in_doubt'; order: JournalRow; message: string }

export interface OrderPorts {
  mode(): TradingMode
  /** Publishes an event. Never blocks and never fails. */
  publish(event: OrderEvent): void
  /**
   * Publishes an exception as its request's failure, unless the caller itself must fix the cause. Never
   * fails.
   */
  publishFault(call: { operation: string; userId: string; request: object }, error: unknown): void
  /**
   * Returns the price to store with a queued order. It asks the broker only when a drift check needs the
   * price.
   */
  queuePrice(ref: SymbolRef): number | undefined | Promise<number | undefined>
  quote(ref: SymbolRef, needs?: QuoteNeeds): Promise<number | undefined>
  /** Returns the day's price band as far as it is known. */
  priceBand(ref: SymbolRef): PriceBand | undefined
  /** Returns an instrument of the active broker's master; undefined if it has none of this name. */
  instrument(ref: SymbolRef): InstrumentTerms | undefined
  /**
   * Returns a text with the nearest symbols for an instrument that is not listed; undefined for a listed one, and while
   * the instruments are not loaded.
   */
  unlisted(ref: SymbolRef): Promise<string> | undefined
  /** Returns the largest order that the exchange takes for a contract; undefined if no limit is known. */
  largestOrder(ref: SymbolRef): number | undefined
  /** Takes the timing of each order that reached its broker or the sandbox. Never waits and never fails. */
  timed(order: TimedOrder): void
  /** Takes each refusal that nothing else records. Never waits and never fails. */
  refused(order: RefusedOrder): void
  log: Logger
}
