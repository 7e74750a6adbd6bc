import { ServiceError, type Veto } from '../errors/index.js'
import type { Quote } from '../market/schema.js'
import { type OrderRequest, quoteNeedsOf } from '../orders/schema.js'
import { draftOf, draftOfClosing, type OrderDraft, refusal, vetoed } from './engine/acceptance.js'
import type { OrderTicket } from './engine/new-order.js'
import { isOrderId, type OrderIds } from './engine/order-ids.js'
import { SQUARE_OFF_STRATEGY } from './own-strategies.js'
import type { Runtime, SandboxOptions } from './runtime.js'
import type { PlaceOutcome } from './schema.js'

/** The number of unused new ids that are remembered as new; an older id is looked up on disk. */
const MAX_FRESH_IDS = 100_000

/** An order and the id it will get. */
export interface NewOrder {
  orderId: string
  order: OrderRequest
  /** True if a run of a strategy sends it. */
  ofRun?: boolean
  /** True if it closes a position, like the orders of `closePosition`. */
  closes?: boolean
}

/** All inputs of the decision on an order. */
interface Prepared {
  ticket: OrderTicket
  draft: OrderDraft
  quote: Quote | undefined
}

/**
 * Places orders under ids that were given out before. It knows which ids are new, so that only a repeated order is looked up
 * on disk, and which orders are being placed now.
 */
export class Placing {
  readonly #runtime: Runtime
  readonly #ids: OrderIds
  readonly #instruments: SandboxOptions['instruments']
  readonly #fresh = new Set<string>()
  readonly #inFlight = new Map<string, Promise<PlaceOutcome>>()

  constructor(runtime: Runtime, ids: OrderIds, instruments: SandboxOptions['instruments']) {
    this.#runtime = runtime
    this.#ids = ids
    this.#instruments = instruments
  }

  /**
   * Returns a new id for an order, never returned before. Store it before you place the order: after a
   * crash, the id tells whether the order was placed.
   */
  newOrderId(): string {
    const id = this.#ids.next()
    if (this.#fresh.size >= MAX_FRESH_IDS) this.#forgetOldestFresh()
    this.#fresh.add(id)
    return id
  }

  #forgetOldestFresh(): void {
    const [oldest] = this.#fresh
    if (oldest !== undefined) this.#fresh.delete(oldest)
  }

  /** Marks ids as no longer new: something else places orders under them. */
  use(orderIds: readonly string[]): void {
    for (const orderId of orderIds) this.#fresh.delete(orderId)
  }

  /** Places one order. A second call for the same id, while the first one is placed, gets the outcome of the first. */
  placeOne(userId: string, order: NewOrder, veto: Veto | undefined): Promise<PlaceOutcome> {
    const { orderId } = order
    const before = this.#inFlight.get(orderId)
    if (before) return before
    const outcome = this.#placeNew(userId, [order], veto).then(
      ([one]) => one ?? refusal('Nothing was placed'),
    )
    const landed = () => this.#inFlight.delete(orderId)
    this.#inFlight.set(orderId, outcome)
    outcome.then(landed, landed)
    return outcome
  }

  /** Places orders in one decision, in their order, each with its own outcome. */
  async placeAll(
    userId: string,
    orders: readonly NewOrder[],
    veto: Veto | undefined,
  ): Promise<PlaceOutcome[]> {
    const [only] = orders
    if (only && orders.length === 1) return [await this.placeOne(userId, only, veto)]
    return this.#placeNew(userId, orders, veto)
  }

  async #placeNew(
    userId: string,
    orders: readonly NewOrder[],
    veto: Veto | undefined,
  ): Promise<PlaceOutcome[]> {
    const preparing = orders.map((order) => this.#prepare(userId, order))
    const prepared = preparing.every(isPrepared) ? preparing : await Promise.all(preparing)
    if (prepared.every((one) => 'ok' in one)) return prepared.filter((one) => 'ok' in one)
    return await this.#runtime.decide((engine, decision) =>
      prepared.map((one) =>
        'ok' in one ? one : (vetoed(veto) ?? engine.place(one.ticket, one.draft, one.quote, decision)),
      ),
    )
  }

  /**
   * Returns the outcome of an order that needs no decision, or all inputs of its decision: at once for a new order
   * whose price is in memory.
   */
  #prepare(userId: string, order: NewOrder): PlaceOutcome | Prepared | Promise<PlaceOutcome | Prepared> {
    if (!this.#fresh.delete(order.orderId)) return this.#prepareAgain(userId, order)
    return this.#prepareFresh(userId, order)
  }

  /** Returns the outcome of an order that was placed before, or prepares it. */
  async #prepareAgain(userId: string, order: NewOrder): Promise<PlaceOutcome | Prepared> {
    return (await this.outcomeOf(userId, order.orderId)) ?? this.#prepareFresh(userId, order)
  }

  #prepareFresh(
    userId: string,
    { closes = false, ofRun = false, order, orderId }: NewOrder,
  ): PlaceOutcome | Prepared | Promise<Prepared> {
    const draft = closes
      ? draftOfClosing(order, SQUARE_OFF_STRATEGY, this.#instruments)
      : draftOf(order, this.#instruments)
    if ('message' in draft) return refusal(draft.message)
    const ticket = { userId, orderId, ofRun }
    const needs = quoteNeedsOf(order)
    const quote = this.#runtime.quoteAtHand(order, needs)
    if (quote) return { ticket, draft, quote }
    return this.#runtime.quote(order, needs).then((asked) => ({ ticket, draft, quote: asked }))
  }

  /** Returns the outcome of an order placed earlier, perhaps before a restart. */
  async outcomeOf(userId: string, orderId: string): Promise<PlaceOutcome | undefined> {
    if (!isOrderId(orderId)) throw new ServiceError('validation', `Not an order id: ${orderId}`)
    await this.#runtime.settled()
    const order = await this.#runtime.store.order(orderId)
    if (!order) return undefined
    if (order.userId !== userId) throw new ServiceError('conflict', `Order id ${orderId} is taken`)
    return order.status === 'rejected'
      ? { ...refusal(order.rejectionReason), orderId }
      : { ok: true, orderId }
  }
}

function isPrepared(
  one: PlaceOutcome | Prepared | Promise<PlaceOutcome | Prepared>,
): one is PlaceOutcome | Prepared {
  return !(one instanceof Promise)
}
