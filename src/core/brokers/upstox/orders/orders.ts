import { z } from 'zod'
import type { OrderRequest } from '../../../orders/schema.js'
import type {
  BrokerContext,
  BrokerOrder,
  BrokerOrders,
  BrokerPortfolio,
  BrokerTrade,
  CallRank,
  PreparedChange,
} from '../../broker.js'
import type { ContractSizes } from '../../kit/books/contract-sizes.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { ordersByTag } from '../../kit/books/tagged-orders.js'
import { orAbsent } from '../../kit/http/absent.js'
import { beforeChange, notSent } from '../../kit/http/outcomes.js'
import type { UpstoxApi } from '../api.js'
import { productWord } from '../mappings.js'
import { changed, historyRow, orderRow, placed, tradeRow, type UpstoxOrder } from '../wire.js'
import { toOrder, toTrade } from './rows.js'
import { algoHeader, termsOf } from './terms.js'

/** Our references, which are shorter than Upstox allows. */
const TAG = /^[A-Za-z0-9]{1,20}$/
/** The history of one tag is asked for so seldom: many orders in doubt must not use up the calls of half an hour. */
const HISTORY_PAUSE_MS = 5 * 60_000

/** The source of the sizes of contracts. */
interface Sizing {
  sizes: ContractSizes
  portfolio: BrokerPortfolio
}

/** Orders over Upstox's REST API. */
export class UpstoxOrders implements BrokerOrders {
  readonly #api: UpstoxApi
  readonly #context: BrokerContext
  readonly #sizes: ContractSizes
  readonly #portfolio: BrokerPortfolio
  /** The validity of the orders seen so far: a change must repeat it. */
  readonly #validity = new Map<string, string>()
  /** When the history of a tag was read; a monotonic reading. */
  readonly #historyReadAt = new Map<string, number>()

  constructor(api: UpstoxApi, context: BrokerContext, { portfolio, sizes }: Sizing) {
    this.#api = api
    this.#context = context
    this.#sizes = sizes
    this.#portfolio = portfolio
  }

  async preparePlace(order: OrderRequest): Promise<void> {
    const instrument = instrumentOf(this.#context, order)
    await this.#sizes.readFor(instrument, this.#portfolio, 'exit')
    this.#sizes.requireSettled(instrument)
  }

  async place(order: OrderRequest, tag: string): Promise<{ orderId: string; raw: unknown }> {
    if (!TAG.test(tag)) throw notSent('validation', 'The order tag must be 1 to 20 letters and digits.')
    const instrument = instrumentOf(this.#context, order)
    this.#sizes.requireSettled(instrument)
    const terms = termsOf(order, instrument, { validity: 'DAY' })
    const json = {
      ...terms,
      instrument_token: instrument.token,
      transaction_type: order.action,
      product: productWord(order.product, order.exchange),
      is_amo: order.instructions?.amo ?? false,
      // The core slices, so that each slice is an order that it knows.
      slice: false,
      tag,
    }
    const headers = algoHeader(order)
    const raw = await this.#api.send('POST', '/v3/order/place', placed, { json, headers })
    const [orderId = ''] = raw.order_ids
    this.#validity.set(orderId, terms.validity)
    return { orderId, raw }
  }

  /** Reads the validity of an order that this client does not know. A cancel needs only the id. */
  async prepareChange(orderId: string, change: PreparedChange): Promise<void> {
    if (change === 'modify') await this.#validityOf(orderId)
  }

  async modify(orderId: string, order: OrderRequest): Promise<{ orderId: string }> {
    const instrument = instrumentOf(this.#context, order)
    this.#sizes.requireSettled(instrument)
    const validity = this.#validity.get(orderId) ?? (await this.#validityOf(orderId))
    const terms = termsOf(order, instrument, { validity })
    const json = { ...terms, order_id: orderId }
    const headers = algoHeader(order)
    const answer = await this.#api.send('PUT', '/v3/order/modify', changed, { json, headers })
    this.#validity.set(orderId, terms.validity)
    return { orderId: answer.order_id }
  }

  async cancel(orderId: string): Promise<{ orderId: string }> {
    const query = { order_id: orderId }
    const answer = await this.#api.send('DELETE', '/v3/order/cancel', changed, { query })
    return { orderId: answer.order_id }
  }

  async list(rank: CallRank = 'read'): Promise<BrokerOrder[]> {
    const rows = await this.#rows(rank)
    return rows.map((row) => toOrder(this.#context, row))
  }

  async trades(): Promise<BrokerTrade[]> {
    const rows = await this.#api.get('/v2/order/trades/get-trades-for-day', z.array(tradeRow))
    return rows.map((row) => toTrade(this.#context, row))
  }

  /** Looks into the book, and for what it lacks into the history of the tag, because the book may lag behind. */
  async findByTags(tags: readonly string[]): Promise<Map<string, BrokerOrder>> {
    const book = await this.#rows('exit')
    return ordersByTag(this.#context, tags, async (tag) => {
      const listed = book.filter((row) => row.tag === tag)
      const rows = listed.length > 0 ? listed : await this.#rowsInHistory(tag)
      return rows.map((row) => toOrder(this.#context, row))
    })
  }

  async order(orderId: string): Promise<BrokerOrder | undefined> {
    const row = await this.#row(orderId)
    return row && toOrder(this.#context, row)
  }

  async #rows(rank: CallRank): Promise<UpstoxOrder[]> {
    const rows = await this.#api.get('/v2/order/retrieve-all', z.array(orderRow), { rank })
    for (const row of rows) this.#validity.set(row.order_id, row.validity)
    return rows
  }

  /** Returns the orders in the history of a tag as they are now. The history itself has every state that they had. */
  async #rowsInHistory(tag: string): Promise<UpstoxOrder[]> {
    const now = this.#context.clock.monotonic()
    const last = this.#historyReadAt.get(tag)
    if (last !== undefined && now < last + HISTORY_PAUSE_MS) return []
    const query = { tag }
    const states = await orAbsent(
      this.#api.get('/v2/order/history', z.array(historyRow), { query, rank: 'exit' }),
    )
    this.#historyReadAt.set(tag, now)
    const ids = new Set(states?.map(({ order_id }) => order_id))
    const rows = await Promise.all([...ids].map((orderId) => this.#row(orderId)))
    return rows.filter((row) => row?.tag === tag).flatMap((row) => row ?? [])
  }

  async #row(orderId: string): Promise<UpstoxOrder | undefined> {
    const query = { order_id: orderId }
    const row = await orAbsent(this.#api.get('/v2/order/details', orderRow, { query, rank: 'exit' }))
    if (row) this.#validity.set(orderId, row.validity)
    return row
  }

  async #validityOf(orderId: string): Promise<string> {
    const known = this.#validity.get(orderId)
    return known ?? (await beforeChange(this.#row(orderId)))?.validity ?? 'DAY'
  }
}
