import type { Body, CallAnswer, OrderCall, OrdersPort } from '../../core/flows/index.js'
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
import type { TradingMode } from '../../core/risk/index.js'
import { parseWith } from '../../core/validation/index.js'
import { answering } from './order-port.js'

export interface PreviewParts {
  orders: OrderServices
  mode(): TradingMode
  log: Pick<Logger, 'error'>
}

/** An {@link OrdersPort} that sends nothing and remembers what it would have sent. */
export interface OrderPreview extends OrdersPort {
  /** The order behind an id it made up, as `orderstatus` answers; undefined for any other id. */
  orderStatus(orderid: string): Body | undefined
}

/**
 * The orders of a dry run (one per run): bodies are read, requests become orders and the gate says what it thinks of
 * each, exactly as they would; nothing leaves and nothing is written. Ids are made up, so that what follows an order
 * finds one.
 */
export function previewOrders(parts: PreviewParts): OrderPreview {
  const rehearsal = new Rehearsal(parts)
  return {
    send: (call, body, { userId }) =>
      answering(parts.log, call, async (): Promise<CallAnswer> => {
        const request = EXECUTABLE[call].openInside((schema) => parseWith(schema, body))
        const answer = await rehearsal.answer(call, request, body, { userId, source: 'flow' })
        return { httpStatus: answer.status, body: { ...answer.body, dry_run: true, request: body } }
      }),
    orderStatus: (orderid) => rehearsal.statusOf(orderid),
  }
}

/** How a change is answered when nothing is changed, in the shape of its endpoint. */
const CHANGES: Partial<Readonly<Record<OrderCall, (rehearsal: Rehearsal, body: Body) => OrderResult>>> = {
  modifyorder: (rehearsal, body) => rehearsal.change(body, body),
  cancelorder: (rehearsal, body) => rehearsal.change(body, { order_status: 'cancelled' }),
  cancelallorder: () =>
    success({ message: 'Nothing is cancelled in a dry run', canceled_orders: [], failed_cancellations: [] }),
  closeposition: () => success({ message: 'Nothing is closed in a dry run' }),
}

/** Names a request of several orders where the journal would. */
const NO_BATCH = 'dry-run'
/** Members of an order that its status shows. */
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
  /** The parts of a split are alike: one look is enough for all. */
  readonly #previews = new Map<string, Promise<OrderResult>>()

  constructor(parts: PreviewParts) {
    this.#parts = parts
  }

  /** What the request would be answered, were its orders taken. */
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

  /** One order: what the desk says of it, under a new id. */
  async #place(order: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const preview = await this.#preview(order, context)
    if (preview.code !== 'ok') return preview
    const orderid = `dry-run-${this.#orders.size + 1}`
    this.#orders.set(orderid, pick({ ...order, order_status: 'open' }))
    return success({ ...preview.body, orderid })
  }

  /** A request of other orders: the answer it would get, were all of them taken. */
  async #compose(planned: Planned, context: PlaceContext): Promise<OrderResult> {
    if ('answer' in planned) return planned.answer
    const ends: OrderResult[] = []
    for (const { order } of ordersOf(planned.plan)) ends.push(await this.#place(order, context))
    return answerOf(planned.plan, NO_BATCH, this.#parts.mode(), ends)
  }

  /** A change of an order, kept when it is one of ours. */
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
