import type { Body, CallResult, OrderCall, OrdersPort } from '../../core/flows/index.js'
import type { Logger } from '../../core/logging/index.js'
import {
  answerOf,
  EXECUTABLE,
  type OpenedRequest,
  type OrderResult,
  type OrderServices,
  ordersOf,
  type PlaceContext,
  type PlaceOrderPayload,
  type Planned,
  placeOrderPayload,
  success,
} from '../../core/orders/index.js'
import type { TradingMode } from '../../core/trading/index.js'
import { parseWith } from '../../core/validation/index.js'
import { asCallResult } from './order-port.js'

export interface PreviewParts {
  orders: OrderServices
  mode(): TradingMode
  log: Pick<Logger, 'error'>
}

/** An {@link OrdersPort} that sends nothing and remembers the orders it would send. */
export interface OrderPreview extends OrdersPort {
  /** Returns the answer of `orderstatus` for an id it made up, or undefined for any other id. */
  orderStatus(orderid: string): Body | undefined
}

/**
 * Returns the orders port of one dry run. Like a real run, it reads the bodies, expands requests into orders
 * and asks the risk gate about each order. It sends nothing and writes nothing. It makes up order ids, so
 * that later nodes find an order.
 */
export function previewOrders(parts: PreviewParts): OrderPreview {
  const rehearsal = new Rehearsal(parts)
  return {
    send: (call, body, { userId }) =>
      asCallResult(parts.log, call, async (): Promise<CallResult> => {
        const request = EXECUTABLE[call].openInside((schema) => parseWith(schema, body))
        const answer = await rehearsal.answer(call, request, body, { userId, source: 'flow' })
        return { httpStatus: answer.status, body: { ...answer.body, dry_run: true, request: body } }
      }),
    orderStatus: (orderid) => rehearsal.statusOf(orderid),
  }
}

/**
 * The answers to calls that change orders, in the shape of each endpoint. Nothing is changed in a dry run.
 */
const CHANGES: Partial<Readonly<Record<OrderCall, (rehearsal: Rehearsal, body: Body) => OrderResult>>> = {
  modifyorder: (rehearsal, body) => rehearsal.change(body, body),
  cancelorder: (rehearsal, body) => rehearsal.change(body, { order_status: 'cancelled' }),
  cancelallorder: () =>
    success({ message: 'A dry run cancels nothing', canceled_orders: [], failed_cancellations: [] }),
  closeposition: () => success({ message: 'A dry run closes nothing' }),
}

/** The id of a request with several orders, in place of the id from the journal. */
const NO_BATCH = 'dry-run'
/** The members of an order that its status shows. */
const STATUS_MEMBERS = [
  'symbol',
  'exchange',
  'action',
  'quantity',
  'price',
  'trigger_price',
  'pricetype',
  'product',
  'order_status',
] as const

/** The made-up orders of one dry run. */
class Rehearsal {
  readonly #parts: PreviewParts
  readonly #orders = new Map<string, Body>()
  /** Previews by order: the parts of a split order are equal, so one preview is enough for all. */
  readonly #previews = new Map<string, Promise<OrderResult>>()

  constructor(parts: PreviewParts) {
    this.#parts = parts
  }

  /** Returns the answer the request would get if its orders were accepted. */
  async answer(
    call: OrderCall,
    request: OpenedRequest,
    body: Body,
    context: PlaceContext,
  ): Promise<OrderResult> {
    if (request.plan) return this.#compose(await request.plan(this.#parts.orders, context), context)
    const change = CHANGES[call]
    if (change) return change(this, body)
    return this.#place(parseWith(placeOrderPayload, body), context)
  }

  /** Previews one order, and gives it a made-up id when it would pass. */
  async #place(order: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const preview = await this.#preview(order, context)
    if (preview.code !== 'ok') return preview
    const orderid = `dry-run-${this.#orders.size + 1}`
    this.#orders.set(orderid, pick({ ...order, order_status: 'open' }))
    return success({ ...preview.body, orderid })
  }

  /** Returns the answer that a request with several orders would get if all were accepted. */
  async #compose(planned: Planned, context: PlaceContext): Promise<OrderResult> {
    if ('answer' in planned) return planned.answer
    const ends: OrderResult[] = []
    for (const { order } of ordersOf(planned.plan)) ends.push(await this.#place(order, context))
    return answerOf(planned.plan, NO_BATCH, this.#parts.mode(), ends)
  }

  /** Answers a change of an order, and stores the change when the order belongs to this dry run. */
  change({ orderid }: Body, changes: Body): OrderResult {
    const order = this.#orders.get(String(orderid))
    if (order) this.#orders.set(String(orderid), { ...order, ...pick(changes) })
    return success({ orderid })
  }

  statusOf(orderid: string): Body | undefined {
    const order = this.#orders.get(orderid)
    return order && { status: 'success', data: { ...order, orderid, average_price: 0 } }
  }

  #preview(order: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const key = JSON.stringify(order)
    const known = this.#previews.get(key) ?? this.#parts.orders.single.preview(order, context)
    this.#previews.set(key, known)
    return known
  }
}

function pick(order: Body): Body {
  return Object.fromEntries(STATUS_MEMBERS.filter((name) => name in order).map((name) => [name, order[name]]))
}
