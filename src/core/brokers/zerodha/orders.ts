import { z } from 'zod'
import { messageOf } from '../../errors/index.js'
import type { Instrument } from '../../instruments/schema.js'
import type { OrderRequest } from '../../orders/schema.js'
import {
  type BrokerContext,
  BrokerError,
  type BrokerErrorKind,
  type BrokerOrder,
  type BrokerOrders,
  type BrokerPortfolio,
  type BrokerTrade,
} from '../broker.js'
import { isSessionRefusal } from '../call-watch.js'
import { escapeSegment, type KiteApi } from './api.js'
import type { ContractSizes } from './contract-sizes.js'
import { notSent } from './errors.js'
import { isCountedInLots, kiteCount, unitsOf } from './lots.js'
import {
  AUTOMATIC_PROTECTION,
  PRICE_TYPE_BY_KITE,
  PRICE_TYPE_TO_KITE,
  PRODUCT_TO_KITE,
  STATUS_BY_KITE,
} from './mappings.js'
import { contractOf, instrumentOf, mapped, refOf } from './symbols.js'
import { type KiteOrder, type KiteTrade, kiteTime, orderAnswer, orderRow, tradeRow } from './wire.js'

const VARIETY = 'regular'
/** What Kite answers for an order that is not of this day and account. */
const ABSENT: ReadonlySet<BrokerErrorKind> = new Set(['not_found', 'rejected', 'validation'])
/** Kite's rule. Our references have 18 characters, those of earlier versions had 20. */
const TAG = /^[A-Za-z0-9]{1,20}$/

/** What names an order at Kite beside its id: its variety, and its parent if it is a leg of a cover or bracket order. */
interface OrderAddress {
  variety: string
  parent: string
}

/** The source of the sizes of contracts. */
interface Sizing {
  sizes: ContractSizes
  portfolio: BrokerPortfolio
}

/** Orders over Kite's REST API. */
export class KiteOrders implements BrokerOrders {
  readonly #api: KiteApi
  readonly #context: BrokerContext
  /** The addresses of orders seen so far. Kite identifies an order by variety and id, and a leg also by its parent. */
  readonly #addresses = new Map<string, OrderAddress>()

  readonly #sizes: ContractSizes
  readonly #portfolio: BrokerPortfolio

  constructor(api: KiteApi, context: BrokerContext, { portfolio, sizes }: Sizing) {
    this.#api = api
    this.#context = context
    this.#sizes = sizes
    this.#portfolio = portfolio
  }

  async preparePlace(order: OrderRequest): Promise<void> {
    const instrument = instrumentOf(this.#context, order)
    if (isCountedInLots(instrument)) await this.#readSizes()
    this.#requireSettled(instrument)
  }

  /** Reads the positions once: they alone show the sizes of contracts. */
  async #readSizes(): Promise<void> {
    if (this.#sizes.isRead) return
    await this.#portfolio.positions().catch((error: unknown) => {
      if (isSessionRefusal(error)) throw error
      const reason = `The positions, which show the broker's contract sizes, cannot be read: ${messageOf(error)}`
      throw notSent('unavailable', `${reason}. Nothing was sent.`)
    })
  }

  /** @throws BrokerError `unsupported`, never sent, for a contract whose size is not settled */
  #requireSettled(instrument: Instrument): void {
    const problem = this.#sizes.problemOf(instrument)
    if (problem !== undefined) throw notSent('unsupported', `${problem}.`)
  }

  async place(order: OrderRequest, tag: string): Promise<{ orderId: string; raw: unknown }> {
    if (!TAG.test(tag)) throw notSent('validation', 'The order tag must be 1 to 20 letters and digits.')
    const instrument = instrumentOf(this.#context, order)
    this.#requireSettled(instrument)
    const product = PRODUCT_TO_KITE[order.product]
    if (!product)
      throw notSent('unsupported', `${order.product} orders cannot be placed at Zerodha from here.`)
    const form = {
      tradingsymbol: instrument.brokerSymbol,
      exchange: instrument.brokerExchange,
      transaction_type: order.action,
      product,
      ...termsOf(order, instrument),
      tag,
    }
    const raw = await this.#api.send('POST', `/orders/${VARIETY}`, orderAnswer, { form })
    this.#addresses.set(raw.order_id, { variety: VARIETY, parent: '' })
    return { orderId: raw.order_id, raw }
  }

  async prepareChange(orderId: string): Promise<void> {
    await this.#addressOf(orderId)
  }

  async modify(orderId: string, order: OrderRequest): Promise<{ orderId: string }> {
    const instrument = instrumentOf(this.#context, order)
    this.#requireSettled(instrument)
    const terms = termsOf(order, instrument)
    const { path, parent } = await this.#target(orderId)
    const answer = await this.#api.send('PUT', path, orderAnswer, { form: { ...terms, ...parent } })
    return { orderId: answer.order_id }
  }

  async cancel(orderId: string): Promise<{ orderId: string }> {
    const { path, parent } = await this.#target(orderId)
    const answer = await this.#api.send('DELETE', path, orderAnswer, { query: parent })
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

  async findByTags(tags: readonly string[]): Promise<Map<string, BrokerOrder>> {
    const book = await this.#rows()
    const found = new Map<string, BrokerOrder>()
    for (const tag of tags) {
      const rows = book.filter((row) => row.tag === tag || row.tags.includes(tag))
      if (rows.length > 1) this.#context.log.error('zerodha.tag_not_unique', { tag, orders: rows.length })
      const row = rows.find((candidate) => candidate.status !== 'REJECTED') ?? rows[0]
      if (row) found.set(tag, toOrder(this.#context, row))
    }
    return found
  }

  async order(orderId: string): Promise<BrokerOrder | undefined> {
    const row = await this.#lastRow(orderId).catch((error: unknown) => {
      if (error instanceof BrokerError && ABSENT.has(error.kind)) return undefined
      throw error
    })
    return row && toOrder(this.#context, row)
  }

  async #rows(): Promise<KiteOrder[]> {
    const rows = await this.#api.get('/orders', z.array(orderRow))
    for (const row of rows) this.#addresses.set(row.order_id, addressIn(row))
    return rows
  }

  /** Returns the path of an order, and the field that names its parent if it is a leg. */
  async #target(orderId: string): Promise<{ path: string; parent: { parent_order_id?: string } }> {
    const { variety, parent } = await this.#addressOf(orderId)
    return {
      path: `/orders/${escapeSegment(variety)}/${escapeSegment(orderId)}`,
      parent: parent === '' ? {} : { parent_order_id: parent },
    }
  }

  /** Returns the newest state in the history of an order. */
  async #lastRow(orderId: string): Promise<KiteOrder | undefined> {
    return (await this.#api.get(`/orders/${escapeSegment(orderId)}`, z.array(orderRow))).at(-1)
  }

  async #addressOf(orderId: string): Promise<OrderAddress> {
    const known = this.#addresses.get(orderId)
    if (known) return known
    const last = await this.#lastRow(orderId)
    const address = last ? addressIn(last) : { variety: VARIETY, parent: '' }
    this.#addresses.set(orderId, address)
    return address
  }
}

function addressIn(row: KiteOrder): OrderAddress {
  return { variety: row.variety || VARIETY, parent: row.parent_order_id }
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
    product: row.product,
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
    product: row.product,
    timestamp: kiteTime(row.fill_timestamp) || kiteTime(row.exchange_timestamp),
  }
}
