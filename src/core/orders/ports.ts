import type { BrokerClient, BrokerManifest } from '../brokers/broker.js'
import type { SymbolRef } from '../market/schema.js'
import type { TradingMode } from '../risk/index.js'
import type { Tx } from '../storage/index.js'
import type { JournalRow, OrderSource } from './journal.js'
import type { OrderRequest, OrderStatus, PlaceOrderPayload } from './schema.js'

/** Who places an order, from where, and under which key. */
export interface PlaceContext {
  userId: string
  source: OrderSource
  /** The caller's own key against double execution. */
  idempotencyKey?: string
}

/** The sandbox as the order path sees it. */
export interface SimulatedExecution {
  newOrderId(): string
  place(
    userId: string,
    order: OrderRequest,
    options: { orderId: string },
  ): Promise<
    { ok: true; orderId: string } | { ok: false; httpStatus: number; message: string; orderId?: string }
  >
  preview(userId: string, order: OrderRequest): Promise<{ margin: number | null; refusal?: string }>
  /** The status of an order the sandbox has, durable; undefined when it never took it. */
  statusOf(userId: string, orderId: string): Promise<OrderStatus | undefined>
}

/** The active broker account. */
export interface LiveExecution {
  readonly brokerId: string
  /** @throws ServiceError `broker_missing` (404) or `forbidden` (403, no broker session) */
  client(): BrokerClient
  manifest(): BrokerManifest
}

/** The approval queue as the order path sees it. */
export interface QueuePort {
  shouldQueue(userId: string, apiType: string): boolean
  enqueue(
    userId: string,
    apiType: string,
    payload: Record<string, unknown>,
    options?: {
      /** The last price now, for the drift check at approval. */
      ltp?: number | undefined
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
      apiType: string
      payload: PlaceOrderPayload
      orderid: string
      response: Record<string, unknown>
    }
  | {
      topic: 'order.failed'
      mode: TradingMode
      userId: string
      apiType: string
      payload: Readonly<Record<string, unknown>>
      response: Record<string, unknown>
      message: string
    }
  | { topic: 'order.in_doubt'; order: JournalRow; message: string }

export interface DeskPorts {
  mode(): TradingMode
  publish(event: OrderEvent): void
  /** The price to keep with a queued order; asked of the broker only where a drift check needs it. */
  queuePrice(ref: SymbolRef): number | undefined | Promise<number | undefined>
  quote(ref: SymbolRef): Promise<number | undefined>
  log(level: 'info' | 'warn' | 'error', event: string, fields: Record<string, unknown>): void
}
