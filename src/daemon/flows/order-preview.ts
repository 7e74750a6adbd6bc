import type { Body, CallResult, OrdersPort } from '../../core/flows/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { OrderCall } from '../../core/orders/index.js'
import {
  legResults,
  modifyOrderPayload,
  type OpenedRequest,
  type OrderPayload,
  type OrderResult,
  type OrderServices,
  openRequest,
  ordersOf,
  type PlaceContext,
  type Planned,
  placeOrderPayload,
  resultOfPlan,
  type SingleResult,
} from '../../core/orders/index.js'
import type { TradingMode } from '../../core/trading/index.js'
import { parseWith } from '../../core/validation/index.js'
import { orderCallResult, readResult } from './call-result.js'
import { asCallResult } from './order-port.js'

type PreviewResult = Awaited<ReturnType<OrderServices['single']['preview']>>

interface PreviewParts {
  orders: OrderServices
  mode(): TradingMode
  log: Pick<Logger, 'error'>
}

/** An {@link OrdersPort} that sends nothing and remembers the orders it would send. */
interface OrderPreview extends OrdersPort {
  /** Returns the result of `orderstatus` for an id it made up; undefined for any other id. */
  orderStatus(orderid: string): CallResult | undefined
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
      asCallResult(parts.log, call, async () => {
        const request = openRequest(call, (schema) => parseWith(schema, body))
        const result = await rehearsal.run(call, request, body, { userId, source: 'flow' })
        return orderCallResult(result, { dry_run: true, request: body })
      }),
    orderStatus: (orderid) => rehearsal.statusOf(orderid),
  }
}

/**
 * The results of calls that change orders. Nothing is changed in a dry run.
 */
const CHANGES: Partial<Readonly<Record<OrderCall, (rehearsal: Rehearsal, body: Body) => OrderResult>>> = {
  cancelorder: (rehearsal, body) => rehearsal.change(body, { order_status: 'cancelled' }),
  cancelallorder: () => ({
    outcome: 'all_cancelled',
    message: 'A dry run cancels nothing',
    cancelled: [],
    failed: [],
  }),
}

const NOTHING_OPEN = { outcome: 'no_action', message: 'A dry run closes nothing' } as const

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
  readonly #previews = new Map<string, Promise<PreviewResult>>()

  constructor(parts: PreviewParts) {
    this.#parts = parts
  }

  /** Returns the result the request would have if its orders were accepted. */
  async run(
    call: OrderCall,
    request: OpenedRequest,
    body: Body,
    context: PlaceContext,
  ): Promise<OrderResult> {
    const change = CHANGES[call]
    if (change) return change(this, body)
    if (call === 'modifyorder') return this.#modify(body, context)
    if (call === 'closeposition')
      return this.#close(await request.plan?.(this.#parts.orders, context), context)
    if (request.plan) return this.#compose(await request.plan(this.#parts.orders, context), context)
    return this.#place(parseWith(placeOrderPayload, body), context)
  }

  /** Previews one order, and gives it a made-up id when it would pass. */
  async #place(order: OrderPayload, context: PlaceContext): Promise<SingleResult> {
    const preview = await this.#preview(order, context)
    if (preview.outcome !== 'previewed') return preview
    const orderid = `dry-run-${this.#orders.size + 1}`
    this.#orders.set(orderid, pick({ ...order, order_status: 'open' }))
    return { ...preview, orderId: orderid }
  }

  /** Returns the result that a request with several orders would get if all were accepted. */
  async #compose(planned: Planned, context: PlaceContext): Promise<OrderResult> {
    if ('result' in planned) return planned.result
    const results: SingleResult[] = []
    for (const { order } of ordersOf(planned.plan)) results.push(await this.#place(order, context))
    return resultOfPlan(planned.plan, NO_BATCH, this.#parts.mode(), results)
  }

  /** Previews an order as it will be after a change, by the rules of changes. */
  async #modify(body: Body, context: PlaceContext): Promise<OrderResult> {
    const { orderid, ...order } = parseWith(modifyOrderPayload, body)
    const asPlaced = parseWith(placeOrderPayload, order)
    const preview = await this.#parts.orders.single.preview(asPlaced, context, { kind: 'change' })
    if (preview.outcome !== 'previewed') return preview
    this.change({ orderid }, body)
    return { ...preview, orderId: orderid }
  }

  /** Previews the orders that close what is open now. What this dry run would have opened is not among it. */
  async #close(planned: Planned | undefined, context: PlaceContext): Promise<OrderResult> {
    if (planned === undefined || 'result' in planned) return NOTHING_OPEN
    const results: SingleResult[] = []
    for (const { order } of ordersOf(planned.plan)) {
      results.push(await this.#parts.orders.single.preview(order, context, { kind: 'close' }))
    }
    const result = resultOfPlan(planned.plan, NO_BATCH, this.#parts.mode(), results)
    return result.outcome === 'closed' ? { ...result, legs: legResults(planned.plan, results) } : result
  }

  /** Returns the result of a change, and stores the change when the order belongs to this dry run. */
  change({ orderid }: Body, changes: Body): OrderResult {
    const order = this.#orders.get(String(orderid))
    if (order) this.#orders.set(String(orderid), { ...order, ...pick(changes) })
    return { outcome: 'changed', orderId: String(orderid) }
  }

  statusOf(orderid: string): CallResult | undefined {
    const order = this.#orders.get(orderid)
    if (!order) return undefined
    return readResult({ status: 'success', data: { ...order, orderid, average_price: 0 } })
  }

  #preview(order: OrderPayload, context: PlaceContext): Promise<PreviewResult> {
    const key = JSON.stringify(order)
    const known = this.#previews.get(key) ?? this.#parts.orders.single.preview(order, context)
    this.#previews.set(key, known)
    return known
  }
}

function pick(order: Body): Body {
  return Object.fromEntries(STATUS_MEMBERS.filter((name) => name in order).map((name) => [name, order[name]]))
}
