import type { BrokerClient, BrokerManifest } from '../brokers/broker.js'
import type { ErrorCode } from '../errors/index.js'
import type { EventTopics } from '../events/index.js'
import type { Logger } from '../logging/index.js'
import type { SymbolRef } from '../market/schema.js'
import type { TradingMode } from '../risk/index.js'
import type { Tx } from '../storage/index.js'
import type { BrokerTimer } from './broker-time.js'
import type { JournalRow, OrderSource } from './journal/journal.js'
import type { GttRequest, OrderRequest, OrderStatus, PlaceOrderPayload, Product } from './schema.js'

/** Who places an order, from where, and under which key. */
export interface PlaceContext {
  userId: string
  source: OrderSource
  /** The caller's own key against double execution. */
  idempotencyKey?: string
  /** Nothing is sent for the request after this reading of the monotonic clock: its caller has stopped waiting. */
  deadline?: number
  /** Measures how long the request waits for its broker. */
  brokerTimer?: BrokerTimer
}

/** The caller of a request as its orders see it. Approvals and recovery have none. */
export type Caller = Pick<PlaceContext, 'deadline' | 'brokerTimer'>

/** Asked in the moment the sandbox decides: why the order must not be taken, if it must not. */
export type Veto = () => { code: ErrorCode; message: string } | undefined

/** What the sandbox did not do. `code` is that of a {@link Veto}. */
export interface SandboxRefusal {
  ok: false
  httpStatus: number
  message: string
  code?: ErrorCode
}

/** Where orders of Analyzer mode go, as the journal of a live order names its broker. */
export const SANDBOX = 'sandbox'

/** How the sandbox answered an order. One that it rejected by a rule of the account is in its book, with an id. */
export type SandboxOutcome = { ok: true; orderId: string } | (SandboxRefusal & { orderId?: string })

/** The sandbox as the order path sees it. */
export interface SandboxExecution {
  newOrderId(): string
  /** Takes orders in one decision, in their order. With an id it knows, the outcome of that order; nothing is placed. */
  placeAll(
    userId: string,
    orders: readonly { orderId: string; order: OrderRequest }[],
    options?: { veto?: Veto },
  ): Promise<SandboxOutcome[]>
  /** The outcome of an order the sandbox has, durable; undefined when it never took it. */
  outcomeOf(userId: string, orderId: string): Promise<SandboxOutcome | undefined>
  preview(userId: string, order: OrderRequest): Promise<{ margin: number | null; refusal?: string }>
  /** The status of an order the sandbox has, durable; undefined when it never took it. */
  statusOf(userId: string, orderId: string): Promise<OrderStatus | undefined>
  /** Signed net quantity once the MARKET orders that still wait have filled; 0 without a position. */
  expectedPosition(userId: string, ref: PositionRef): Promise<number>
  /** The open positions that match. */
  openPositions(userId: string, filter: PositionFilter): Promise<PositionRef[]>
  /** Quantity and prices of a waiting order; a price of 0 stays as it is. */
  modify(
    userId: string,
    orderId: string,
    changes: { quantity: number; price: number; triggerPrice: number },
    options?: { veto?: Veto },
  ): Promise<SandboxChange>
  cancel(userId: string, orderId: string): Promise<SandboxChange>
  cancelAll(userId: string): Promise<{
    message: string
    cancelled: readonly string[]
    failed: readonly { orderid: string; message: string }[]
  }>
  /** Closes these positions. One that is flat by then counts as neither closed nor failed. */
  closeEach(userId: string, positions: readonly PositionRef[]): Promise<SimulatedClose>
}

/** What names a position. */
export interface PositionRef extends SymbolRef {
  product: Product
}

/** How the sandbox answered a close of several positions. */
export interface SimulatedClose {
  message: string
  closed: number
  failures: readonly (PositionRef & { message: string })[]
}

/** Narrows a close of everything; an absent member matches all. */
export interface PositionFilter {
  symbol?: string | undefined
  exchange?: string | undefined
  product?: Product | undefined
}

/** How the sandbox answered a change. */
export type SandboxChange = { ok: true; orderId: string; message: string } | SandboxRefusal

/** How the sandbox answered about a GTT. */
export type SandboxGttOutcome = { ok: true; triggerId: string } | SandboxRefusal

/** The sandbox's good-till-triggered orders as the order path sees them (contract, api-orders section 8). */
export interface SandboxGtts {
  /** An id for {@link place}, never given out before: stored first, a crash can be resolved with it. */
  newTriggerId(): string
  /** With an id that is known already, what became of that one; nothing is placed then. */
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
  /** Whether a trigger of this id was ever placed, durable. */
  knows(userId: string, triggerId: string): Promise<boolean>
  /** Rows of the GTT book, newest first, active ones only. */
  list(userId: string): Promise<object[]>
}

/** The active broker account. */
export interface LiveExecution {
  readonly brokerId: string
  /** @throws ServiceError `broker_missing` (404) or `forbidden` (403, no broker session) */
  client(): BrokerClient
  manifest(): BrokerManifest
  /**
   * Resolves when the broker's limits let one more order call leave; cancels are urgent. What must hold when it
   * leaves is looked at afterwards. @throws ServiceError `rate_limited` (429): nothing was sent
   */
  orderSlot(urgent?: boolean): Promise<void>
}

/** The active broker account as new orders see it. */
export interface LiveOrders extends LiveExecution {
  /**
   * Asked before a new order is written down. Cancels, closes and reads do without: they must work at all times.
   * @throws ServiceError as {@link client} does, or `unavailable` (503) while the instruments loaded are another
   * broker's: an order would be sent under names and tokens that mean something else there
   */
  requireReady(): void
}

/** The approval queue as the order path sees it. */
export interface QueuePort {
  shouldQueue(userId: string, operation: string): boolean
  enqueue(
    userId: string,
    operation: string,
    payload: Record<string, unknown>,
    options?: {
      /** The last price now, for the drift check at approval. */
      ltp?: number | undefined
      /** The same of a request about several instruments, by `symbolKey`. */
      prices?: ReadonlyMap<string, number>
      /** Writes in the same transaction as the row. */
      alongside?: (tx: Tx, pendingOrderId: number) => Promise<void>
    },
  ): Promise<number>
}

/** Order events for the bus. Publishing never blocks and never fails. */
export type OrderEvent =
  | {
      topic: 'order.placed'
      mode: TradingMode
      userId: string
      operation: string
      payload: PlaceOrderPayload
      orderid: string
      response: Record<string, unknown>
    }
  | {
      topic: 'order.failed'
      mode: TradingMode
      userId: string
      operation: string
      payload: Readonly<Record<string, unknown>>
      response: Record<string, unknown>
      message: string
    }
  | { topic: 'order.in_doubt'; order: JournalRow; message: string }

/** Topics that tell how a request to the order path ended. */
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

export interface OrderPorts {
  mode(): TradingMode
  /** Publishes an event as it is. Never blocks and never fails. */
  emit<T extends OutcomeTopic>(topic: T, payload: EventTopics[T]): void
  publish(event: OrderEvent): void
  /** Publishes an exception as the failure of its request, unless it is the caller's own to mend. Never fails. */
  publishFault(call: { operation: string; userId: string; request: object }, error: unknown): void
  /** The price to keep with a queued order; asked of the broker only where a drift check needs it. */
  queuePrice(ref: SymbolRef): number | undefined | Promise<number | undefined>
  quote(ref: SymbolRef): Promise<number | undefined>
  log: Logger
}
