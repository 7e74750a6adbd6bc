import { z } from 'zod'
import type { Instrument } from '../../instruments/schema.js'
import type { OrderRequest } from '../../orders/schema.js'
import type { BrokerContext, BrokerOrder, BrokerOrders, BrokerTrade } from '../broker.js'
import { escapeSegment, type KiteApi } from './api.js'
import { notSent } from './errors.js'
import { kiteCount, unitsOf } from './lots.js'
import {
  AUTOMATIC_PROTECTION,
  PRICE_TYPE_BY_KITE,
  PRICE_TYPE_TO_KITE,
  PRODUCT_BY_KITE,
  PRODUCT_TO_KITE,
  STATUS_BY_KITE,
} from './mappings.js'
import { contractOf, instrumentOf, mapped, refOf } from './symbols.js'
import { type KiteOrder, type KiteTrade, kiteTime, orderAnswer, orderRow, tradeRow } from './wire.js'

const VARIETY = 'regular'
const TAG = /^[A-Za-z0-9]{1,20}$/

/** Orders over Kite's REST API. */
export class KiteOrders implements BrokerOrders {
  readonly #api: KiteApi
  readonly #context: BrokerContext
  /** The variety of orders seen so far. Kite identifies an order by variety and id. */
  readonly #varieties = new Map<string, string>()

  constructor(api: KiteApi, context: BrokerContext) {
    this.#api = api
    this.#context = context
  }

  async place(order: OrderRequest, tag: string): Promise<{ orderId: string; raw: unknown }> {
    if (!TAG.test(tag)) throw notSent('validation', 'The order tag must be 1 to 20 letters and digits.')
    const instrument = instrumentOf(this.#context, order)
    const form = {
      tradingsymbol: instrument.brokerSymbol,
      exchange: instrument.brokerExchange,
      transaction_type: order.action,
      product: PRODUCT_TO_KITE[order.product],
      ...termsOf(order, instrument),
      tag,
    }
    const raw = await this.#api.send('POST', `/orders/${VARIETY}`, orderAnswer, { form })
    this.#varieties.set(raw.order_id, VARIETY)
    return { orderId: raw.order_id, raw }
  }

  async prepareChange(orderId: string): Promise<void> {
    await this.#varietyOf(orderId)
  }

  async modify(orderId: string, order: OrderRequest): Promise<{ orderId: string }> {
    const answer = await this.#api.send('PUT', await this.#pathOf(orderId), orderAnswer, {
      form: termsOf(order, instrumentOf(this.#context, order)),
    })
    return { orderId: answer.order_id }
  }

  async cancel(orderId: string): Promise<{ orderId: string }> {
    const answer = await this.#api.send('DELETE', await this.#pathOf(orderId), orderAnswer)
    return { orderId: answer.order_id }
  }

  async list(): Promise<BrokerOrder[]> {
    const rows = await this.#rows()
    return rows.map((row) => toOrder(this.#context, row))
  }

  async trades(): Promise<BrokerTrade[]> {
    const rows = await this.#api.get('/trades', z.array(tradeRow))
    return rows.map((row) => toTrade(this.#context, row))
  }

  async findByTag(tag: string): Promise<BrokerOrder | undefined> {
    const rows = (await this.#rows()).filter((row) => row.tag === tag || row.tags.includes(tag))
    if (rows.length > 1) this.#context.log.error('zerodha.tag_not_unique', { tag, orders: rows.length })
    const row = rows.find((candidate) => candidate.status !== 'REJECTED') ?? rows[0]
    return row && toOrder(this.#context, row)
  }

  async #rows(): Promise<KiteOrder[]> {
    const rows = await this.#api.get('/orders', z.array(orderRow))
    for (const row of rows) this.#varieties.set(row.order_id, row.variety || VARIETY)
    return rows
  }

  async #pathOf(orderId: string): Promise<string> {
    return `/orders/${await this.#varietyOf(orderId)}/${escapeSegment(orderId)}`
  }

  async #varietyOf(orderId: string): Promise<string> {
    const known = this.#varieties.get(orderId)
    if (known) return known
    const states = await this.#api.get(`/orders/${escapeSegment(orderId)}`, z.array(orderRow))
    const variety = states.at(-1)?.variety || VARIETY
    this.#varieties.set(orderId, variety)
    return variety
  }
}

/**
 * Returns the fields that placing and modifying share: quantity, prices and protection. Kite refuses a MARKET or SL-M
 * order without protection, and a change to one of them.
 */
function termsOf(order: OrderRequest, instrument: Instrument): Record<string, string> {
  const terms = PRICE_TYPE_TO_KITE[order.priceType]
  const disclosed = order.disclosedQuantity
  return {
    order_type: terms.orderType,
    quantity: String(kiteCount(instrument, order.quantity)),
    validity: 'DAY',
    ...(terms.price && { price: String(order.price) }),
    ...(terms.trigger && { trigger_price: String(order.triggerPrice) }),
    ...(terms.protection && { market_protection: AUTOMATIC_PROTECTION }),
    ...(disclosed > 0 && {
      disclosed_quantity: String(kiteCount(instrument, disclosed, 'Disclosed quantity')),
    }),
  }
}

/**
 * Returns our tag. Kite sends it as `tag` and as the first of `tags`. A tag added in Kite's own terminal may
 * follow in `tags`.
 */
function tagOf({ tag, tags }: KiteOrder): { tag?: string } {
  const own = tag || tags[0]
  return own ? { tag: own } : {}
}

/** Converts a row of the order book, or an order update of the ticker socket. */
export function toOrder(context: BrokerContext, row: KiteOrder): BrokerOrder {
  const contract = contractOf(context, row)
  return {
    orderId: row.order_id,
    ...tagOf(row),
    ...refOf(context, row),
    action: row.transaction_type,
    quantity: unitsOf(contract, row.quantity),
    price: row.price,
    triggerPrice: row.trigger_price,
    priceType: mapped(context, 'order_type', PRICE_TYPE_BY_KITE, row.order_type, 'LIMIT'),
    product: mapped(context, 'product', PRODUCT_BY_KITE, row.product, 'NRML'),
    status: mapped(context, 'status', STATUS_BY_KITE, row.status, 'open'),
    filledQuantity: unitsOf(contract, row.filled_quantity),
    pendingQuantity: unitsOf(contract, row.pending_quantity),
    averagePrice: row.average_price,
    rejectionReason: row.status_message || row.status_message_raw,
    timestamp: kiteTime(row.exchange_update_timestamp) || kiteTime(row.order_timestamp),
  }
}

function toTrade(context: BrokerContext, row: KiteTrade): BrokerTrade {
  return {
    tradeId: row.trade_id,
    orderId: row.order_id,
    ...refOf(context, row),
    action: row.transaction_type,
    quantity: unitsOf(contractOf(context, row), row.quantity),
    price: row.average_price,
    product: mapped(context, 'product', PRODUCT_BY_KITE, row.product, 'NRML'),
    timestamp: kiteTime(row.fill_timestamp) || kiteTime(row.exchange_timestamp),
  }
}
