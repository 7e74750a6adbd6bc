import { type GttLeg, type GttRequest, gttExpiry, type OrderRequest } from '../../../orders/schema.js'
import { BrokerError, type BrokerGtt } from '../../broker.js'

/** A good-till-triggered order as the exchange stores it. */
export interface ExchangeGtt {
  triggerId: string
  tag: string
  status: BrokerGtt['status']
  /** The order it sent when it fired; empty until then. */
  orderId: string
  request: GttRequest
  lastPrice: number
  /** Epoch milliseconds. */
  createdAt: number
  updatedAt: number
}

/** The exchange's triggers that may still fire, in memory. It does no I/O. */
export class GttBook {
  readonly #active = new Map<string, ExchangeGtt>()
  #next: number

  constructor(active: readonly ExchangeGtt[], lastId: string) {
    for (const gtt of active) this.#active.set(gtt.triggerId, gtt)
    this.#next = Number(lastId.slice(1)) + 1
  }

  get active(): readonly ExchangeGtt[] {
    return [...this.#active.values()]
  }

  get hasActive(): boolean {
    return this.#active.size > 0
  }

  add(request: GttRequest, tag: string, lastPrice: number, now: number): ExchangeGtt {
    const triggerId = `G${String(this.#next++).padStart(11, '0')}`
    const gtt: ExchangeGtt = {
      triggerId,
      tag,
      status: 'active',
      orderId: '',
      request,
      lastPrice,
      createdAt: now,
      updatedAt: now,
    }
    this.#active.set(triggerId, gtt)
    return gtt
  }

  /**
   * Replaces everything except symbol, exchange, side, product, type and expiry. @throws BrokerError not_found, or
   * rejected with the reason
   */
  change(triggerId: string, request: GttRequest, lastPrice: number, now: number): ExchangeGtt {
    const gtt = this.#find(triggerId)
    const fixed = gtt.request
    if (request.type !== fixed.type) {
      throw refused(`Modify must keep the same trigger shape: this GTT has ${fixed.legs.length} leg(s).`)
    }
    for (const field of ['symbol', 'exchange', 'action', 'product'] as const) {
      if (request[field] !== fixed[field]) throw refused(`${field} cannot be changed on an existing GTT`)
    }
    const kept = { ...request, expiresAt: fixed.expiresAt }
    Object.assign(gtt, { request: kept, lastPrice, updatedAt: now })
    return gtt
  }

  /** @throws BrokerError not_found */
  cancel(triggerId: string, now: number): ExchangeGtt {
    return this.end(this.#find(triggerId), 'cancelled', now)
  }

  /** Removes a trigger from the book, so that it never fires again. */
  end(gtt: ExchangeGtt, status: 'triggered' | 'cancelled' | 'expired', now: number): ExchangeGtt {
    this.#active.delete(gtt.triggerId)
    return Object.assign(gtt, { status, updatedAt: now })
  }

  /** Ends a trigger that sent an order. */
  fire(gtt: ExchangeGtt, orderId: string, now: number): ExchangeGtt {
    return Object.assign(this.end(gtt, 'triggered', now), { orderId })
  }

  #find(triggerId: string): ExchangeGtt {
    const gtt = this.#active.get(triggerId)
    if (gtt) return gtt
    const message = `No active GTT with trigger_id '${triggerId}'`
    throw new BrokerError('not_found', message, { brokerStatus: 404, sent: 'yes' })
  }
}

export function hasExpired(gtt: ExchangeGtt, now: number): boolean {
  return now >= expiresAt(gtt)
}

function expiresAt({ createdAt, request }: ExchangeGtt): number {
  return gttExpiry(request.expiresAt, createdAt)
}

/** Returns the leg whose trigger the price has reached or passed. */
export function legReached({ request }: ExchangeGtt, price: number): GttLeg | undefined {
  return request.legs.find(({ kind, triggerPrice }) =>
    kind === 'stop' ? price <= triggerPrice : price >= triggerPrice,
  )
}

/** Returns the order that a leg sends. */
export function orderOfLeg({ request }: Pick<ExchangeGtt, 'request'>, leg: GttLeg): OrderRequest {
  const { strategy, symbol, exchange, action, quantity, product } = request
  return {
    strategy,
    symbol,
    exchange,
    action,
    quantity,
    product,
    priceType: leg.price > 0 ? 'LIMIT' : 'MARKET',
    price: leg.price,
    triggerPrice: 0,
    disclosedQuantity: 0,
  }
}

/** Returns the row of the GTT book. */
export function toBrokerGtt(gtt: ExchangeGtt): BrokerGtt {
  const { action, exchange, legs, priceType, product, quantity, symbol, type } = gtt.request
  return {
    triggerId: gtt.triggerId,
    type: type === 'OCO' ? 'two-leg' : 'single',
    status: gtt.status,
    ...(gtt.orderId !== '' && { triggeredOrderId: gtt.orderId }),
    symbol,
    exchange,
    triggerPrices: legs.map(({ triggerPrice }) => triggerPrice),
    lastPrice: gtt.lastPrice,
    legs: legs.map(({ price }) => ({ action, quantity, price, priceType, product })),
    createdAt: gtt.createdAt,
    updatedAt: gtt.updatedAt,
    expiresAt: expiresAt(gtt),
  }
}

function refused(message: string): BrokerError {
  return new BrokerError('rejected', message, { brokerStatus: 400, brokerCode: 'GTT', sent: 'yes' })
}
