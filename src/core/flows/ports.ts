import type { Calendar } from '../calendar/index.js'
import type { OrderOperationName } from '../operations/index.js'
import type { Clock } from '../time/index.js'

/** What may be asked of the order path, by the name of the endpoint that takes the same body. */
export const ORDER_CALLS = [
  'placeorder',
  'placesmartorder',
  'optionsorder',
  'optionsmultiorder',
  'modifyorder',
  'cancelorder',
  'cancelallorder',
  'closeposition',
  'basketorder',
  'splitorder',
] as const satisfies readonly OrderOperationName[]
export type OrderCall = (typeof ORDER_CALLS)[number]

/** What may be read, by the name of the endpoint that takes the same body. */
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

/** How a call ended: the body of the endpoint, `status` included. A refusal is an answer, not an exception. */
export interface CallAnswer {
  httpStatus: number
  body: Body
}

/** On whose account a run acts. */
export interface Account {
  userId: string
}

export interface OrderContext extends Account {
  /** The same key never executes twice: run, node, visit. */
  idempotencyKey: string
}

export interface OrdersPort {
  send(call: OrderCall, body: Body, context: OrderContext): Promise<CallAnswer>
}

export interface ReadsPort {
  ask(call: ReadCall, body: Body, account: Account): Promise<CallAnswer>
}

/** What came of waiting for a stream: mode 1 has the price only, 2 the quote, 3 five levels of depth. */
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
  /** The next tick of a symbol; undefined when none comes in time or the symbol does not stream. */
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
  /** Sent as it is. */
  body?: string
  timeoutMs: number
  signal: AbortSignal
}

export interface HttpResponse {
  statusCode: number
  /** At most 1 MiB; JSON where it is JSON, text otherwise. */
  data: unknown
}

export interface HttpPort {
  /** @throws NodeError for an address that is not public, a network failure or a timeout */
  send(request: HttpRequest): Promise<HttpResponse>
}

export interface NotifierPort {
  /** Queues a text for the user's linked chat. @throws NodeError when nothing can be queued */
  telegram(userId: string, text: string): Promise<void>
  /** @throws NodeError when it was not taken */
  whatsapp(userId: string, text: string, to: string): Promise<void>
}

export interface LotsPort {
  /** Size of one lot of the contracts on an underlying; undefined where no contract of it is known. */
  lotSize(underlying: string, exchange: string): number | undefined
  /** Whether any contract of the exchange is loaded. */
  isLoaded(exchange: string): boolean
}

/** The market calendar, as far as a run reads it. */
export type CalendarPort = Pick<
  Calendar,
  'isOpen' | 'nextOpen' | 'sessionOf' | 'isTradingDay' | 'isHoliday' | 'windowsOn' | 'holidaysOf'
>

/**
 * Everything a run touches. The engine is pure over these: a dry run, a scenario and a replay run the same code
 * on other ports.
 */
export interface FlowPorts {
  clock: Clock
  calendar: CalendarPort
  orders: OrdersPort
  reads: ReadsPort
  stream: StreamPort
  http: HttpPort
  notifier: NotifierPort
  lots: LotsPort
}
