import type { Calendar } from '../calendar/index.js'
import type { ErrorCode } from '../errors/index.js'
import type { OrderCall, PlaceContext } from '../orders/index.js'
import type { RowsFirst } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import type { TradingMode } from '../trading/index.js'

/** The read operations of a run, by the name of the endpoint that takes the same body. */
export const READ_CALLS = [
  'quotes',
  'depth',
  'multiquotes',
  'history',
  'intervals',
  'optionsymbol',
  'optionchain',
  'syntheticfuture',
  'symbol',
  'expiry',
  'orderstatus',
  'orderbook',
  'tradebook',
  'positionbook',
  'holdings',
  'funds',
  'margin',
  'market/holidays',
  'market/timings',
  'strategypnl',
] as const
export type ReadCall = (typeof READ_CALLS)[number]

export type Body = Record<string, unknown>

/** The result of one part of a request: an order of a basket, a leg, a position of a close. */
export interface PartResult {
  ok: boolean
  message?: string
}

/** The result of a call. A refusal is a result, not an exception. */
export interface CallResult {
  ok: boolean
  code: 'ok' | ErrorCode
  /** Empty if the result has no message. */
  message: string
  /** The reference by which an order can be followed, also while its outcome is unknown. */
  orderRef?: string
  /** The ids of the orders that the call placed or changed. Absent for a read. */
  orderIds?: readonly string[]
  /** Present when the answer lists the results of its parts. */
  parts?: readonly PartResult[]
  /**
   * The output of the node, as references in the workflow read it. Nodes take the data of a read from it, and
   * never its success or failure.
   */
  output: Body
}

/** The user whose account a run acts on. */
export interface Account {
  userId: string
}

export interface OrderContext extends Account {
  /** Made of run, node and visit. An order with the same key never executes twice. */
  idempotencyKey: string
  /** The row of the run. It must be durable before anything leaves. */
  first?: RowsFirst
  /** The only mode in which its orders may be sent. */
  onlyMode?: TradingMode
  /** Returns why nothing more is sent; absent for a run that needs no right of its caller. */
  lostRight?: PlaceContext['lostRight']
}

export interface OrdersPort {
  send(call: OrderCall, body: Body, context: OrderContext): Promise<CallResult>
  /** Returns the port for the orders of one run that begins now. They go to one account alone. */
  ofRun?(): OrdersPort
}

export interface ReadsPort {
  ask(call: ReadCall, body: Body, account: Account): Promise<CallResult>
}

/** A streamed tick. Mode 1 has the price only, mode 2 the quote, mode 3 five levels of depth. */
export interface StreamedTick {
  ltp: number
  open?: number
  high?: number
  low?: number
  close?: number
  volume?: number
  prev_close?: number
  bids?: readonly { price: number; quantity: number }[]
  asks?: readonly { price: number; quantity: number }[]
  totalbuyqty?: number
  totalsellqty?: number
}

export interface StreamPort {
  /** Waits for the next tick of a symbol; undefined if none arrives in time or the symbol does not stream. */
  next(
    ref: { symbol: string; exchange: string },
    mode: 1 | 2 | 3,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<StreamedTick | undefined>
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Readonly<Record<string, string>>
  /** Sent unchanged. */
  body?: string
  timeoutMs: number
  signal: AbortSignal
}

export interface HttpResponse {
  statusCode: number
  /** At most 1 MiB. Parsed if it is JSON, text otherwise. */
  data: unknown
}

export interface HttpPort {
  /** @throws NodeError if the address is not public, on a network failure, or after the timeout */
  send(request: HttpRequest): Promise<HttpResponse>
}

export interface NotifierPort {
  /** Queues a text for the user's linked chat. @throws NodeError if it cannot be queued */
  telegram(userId: string, text: string): Promise<void>
  /** @throws NodeError if the message was not accepted */
  whatsapp(userId: string, text: string, to: string): Promise<void>
}

export interface LotsPort {
  /**
   * Returns the lot size of the contracts on an underlying; undefined if no contract of it is loaded. Exchanges change lot
   * sizes from one expiry to the next.
   * @param expiry such as `28-OCT-25`; absent for the nearest one
   */
  lotSize(underlying: string, exchange: string, expiry?: string): number | undefined
  /** Returns whether any contract of the exchange is loaded. */
  isLoaded(exchange: string): boolean
}

/** The part of the market calendar that runs read. */
export type CalendarPort = Pick<
  Calendar,
  'isOpen' | 'nextOpen' | 'sessionOf' | 'isTradingDay' | 'isHoliday' | 'windowsOn' | 'holidaysOf'
>

/**
 * Everything a run uses from outside. The engine has no other effects, so a dry run, a scenario and a replay
 * run the same code with other ports.
 */
export interface FlowPorts {
  clock: Clock
  /** Waits end at once, as in a dry run. */
  skipsWaits?: boolean
  calendar: CalendarPort
  orders: OrdersPort
  reads: ReadsPort
  stream: StreamPort
  http: HttpPort
  notifier: NotifierPort
  lots: LotsPort
}
