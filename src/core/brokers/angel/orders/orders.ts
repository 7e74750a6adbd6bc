import type { OrderRequest } from '../../../orders/schema.js'
import {
  type BrokerContext,
  BrokerError,
  type BrokerOrder,
  type BrokerOrders,
  type BrokerTrade,
  type CallRank,
  type PreparedChange,
} from '../../broker.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { ordersByTag } from '../../kit/books/tagged-orders.js'
import { orAbsent } from '../../kit/http/absent.js'
import { beforeChange, notSent } from '../../kit/http/outcomes.js'
import { type AngelApi, SECURE } from '../api.js'
import { changed, listOf, type OrderRow, orderRow, placed, tradeRow } from '../wire.js'
import { ORDER_TYPE } from '../words.js'
import { toOrder, toTrade } from './rows.js'
import { AMO, termsOf, varietyOf } from './terms.js'

const PATH = `${SECURE}/order/v1`
/** Angel's rule: shorter than 20 characters. Our references have 18. */
const TAG = /^[A-Za-z0-9]{1,19}$/

/** An order as Angel knows it: what a change or a cancel must name or keep beside its id. */
interface KnownOrder {
  /** Empty if an update did not tell it. */
  variety: string
  duration: string
  /** The id by which its details are read; empty if it is not known. */
  uniqueId: string
  /** The tag that it was placed with, which each change must name; empty for one without. */
  tag: string
  /** What is known to be filled, as Angel counts it. */
  filled: number
}

const UNKNOWN: KnownOrder = { variety: '', duration: 'DAY', uniqueId: '', tag: '', filled: 0 }

/** Orders over SmartAPI. */
export class AngelOrders implements BrokerOrders {
  readonly #api: AngelApi
  readonly #context: BrokerContext
  /** The orders seen so far: Angel identifies an order by its variety and id. */
  readonly #known = new Map<string, KnownOrder>()

  constructor(api: AngelApi, context: BrokerContext) {
    this.#api = api
    this.#context = context
  }

  async place(order: OrderRequest, tag: string): Promise<{ orderId: string; raw: unknown }> {
    if (!TAG.test(tag)) throw notSent('validation', 'The order tag must be 1 to 19 letters and digits.')
    const variety = varietyOf(order)
    const duration = order.instructions?.validity === 'IOC' ? 'IOC' : 'DAY'
    const json = {
      variety,
      transactiontype: order.action,
      duration,
      ...termsOf(order, instrumentOf(this.#context, order)),
      squareoff: '0',
      stoploss: '0',
      ordertag: tag,
    }
    const raw = await this.#api.send(`${PATH}/placeOrder`, placed, { json })
    this.#known.set(raw.orderid, { variety, duration, uniqueId: raw.uniqueorderid, tag, filled: 0 })
    return { orderId: raw.orderid, raw }
  }

  /** Reads the book if it is not known what names the order, so that a cancel reads nothing. A change reads what is filled. */
  async prepareChange(orderId: string, change: PreparedChange): Promise<void> {
    await this.#knownOrder(orderId)
    if (change === 'modify') await beforeChange(this.order(orderId))
  }

  async modify(orderId: string, order: OrderRequest): Promise<{ orderId: string }> {
    const terms = termsOf(order, instrumentOf(this.#context, order))
    const { duration, filled, tag, variety } = await this.#knownOrder(orderId)
    requireSameVariety(variety, order)
    requireUnfilled(filled)
    const json = { variety, orderid: orderId, duration, ...terms, ...(tag !== '' && { ordertag: tag }) }
    const answer = await this.#api.send(`${PATH}/modifyOrder`, changed, { json })
    return { orderId: answer.orderid }
  }

  async cancel(orderId: string): Promise<{ orderId: string }> {
    const { variety } = await this.#knownOrder(orderId)
    const json = { variety, orderid: orderId }
    const answer = await this.#api.send(`${PATH}/cancelOrder`, changed, { json, rank: 'cancel' })
    return { orderId: answer.orderid }
  }

  async list(rank: CallRank = 'read'): Promise<BrokerOrder[]> {
    return (await this.#rows(rank)).map((row) => toOrder(this.#context, row))
  }

  async trades(): Promise<BrokerTrade[]> {
    const rows = await this.#api.get(`${PATH}/getTradeBook`, listOf(tradeRow), { callClass: 'trades' })
    return rows.map((row) => toTrade(this.#context, row))
  }

  async findByTags(tags: readonly string[]): Promise<Map<string, BrokerOrder>> {
    const book = await this.list('exit')
    return ordersByTag(this.#context, tags, (tag) => book.filter((order) => order.tag === tag))
  }

  async order(orderId: string): Promise<BrokerOrder | undefined> {
    const uniqueId = this.#known.get(orderId)?.uniqueId ?? ''
    if (uniqueId === '') return (await this.list('exit')).find((order) => order.orderId === orderId)
    const path = `${PATH}/details/${encodeURIComponent(uniqueId)}`
    const row = await orAbsent(this.#api.get(path, orderRow, { callClass: 'details', rank: 'exit' }))
    return row && this.onUpdate(row)
  }

  /** Converts one row of an order, such as an update that was pushed. */
  onUpdate(row: OrderRow): BrokerOrder {
    this.#note(row)
    return toOrder(this.#context, row)
  }

  async #rows(rank: CallRank): Promise<OrderRow[]> {
    const rows = await this.#api.get(`${PATH}/getOrderBook`, listOf(orderRow), { callClass: 'book', rank })
    for (const row of rows) this.#note(row)
    return rows
  }

  #note({ duration, filledshares, orderid, ordertag, uniqueorderid, variety }: OrderRow): void {
    const known = this.#known.get(orderid) ?? UNKNOWN
    this.#known.set(orderid, {
      variety: variety || known.variety,
      duration: duration || known.duration,
      uniqueId: uniqueorderid || known.uniqueId,
      tag: ordertag || known.tag,
      // A row may arrive late.
      filled: Math.max(known.filled, filledshares),
    })
  }

  /**
   * Returns what names an order, from the book if it is not known. A variety is never guessed: Angel may know another order, or
   * none, by it.
   * @throws BrokerError, never `maybe`; `not_found` if the book does not have the order either
   */
  async #knownOrder(orderId: string): Promise<KnownOrder> {
    const known = this.#known.get(orderId)
    if (known && known.variety !== '') return known
    await beforeChange(this.#rows('exit'))
    const read = this.#known.get(orderId)
    if (read && read.variety !== '') return read
    throw new BrokerError('not_found', `The order book of Angel One has no order ${orderId}.`, {
      sent: 'never',
    })
  }
}

/**
 * A change names the variety of the order as it was placed, and Angel does not document whether a plain order can become a
 * stop order, or the other way round. @throws BrokerError `unsupported`, never sent
 */
function requireSameVariety(variety: string, { priceType }: OrderRequest): void {
  const wanted = ORDER_TYPE[priceType].variety
  if (variety === wanted || (variety === AMO && wanted === 'NORMAL')) return
  throw notSent(
    'unsupported',
    `An order that was placed as ${variety} cannot become a ${priceType} order at Angel One. Cancel it, and place a new one.`,
  )
}

/**
 * Angel does not document whether the quantity of a change counts what is filled. A wrong guess trades that twice, or never.
 * @throws BrokerError `unsupported`, never sent
 */
function requireUnfilled(filled: number): void {
  if (filled === 0) return
  const reason = 'it does not document whether the quantity of a change counts what is filled'
  throw notSent(
    'unsupported',
    `An order that is partly filled cannot be changed at Angel One: ${reason}. Cancel it, and place a new one.`,
  )
}
