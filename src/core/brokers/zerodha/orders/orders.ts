import { z } from 'zod'
import type { OrderRequest } from '../../../orders/schema.js'
import {
  type BrokerContext,
  BrokerError,
  type BrokerOrder,
  type BrokerOrders,
  type BrokerPortfolio,
  type BrokerTrade,
  type CallRank,
} from '../../broker.js'
import type { ContractSizes } from '../../kit/books/contract-sizes.js'
import { OrderChanges } from '../../kit/books/order-changes.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { ordersByTag } from '../../kit/books/tagged-orders.js'
import { orAbsent } from '../../kit/http/absent.js'
import { beforeChange, notSent } from '../../kit/http/outcomes.js'
import type { KiteApi } from '../api.js'
import { AUTOMATIC_PROTECTION, PRODUCT_TO_KITE } from '../mappings.js'
import { type KiteOrder, orderAnswer, orderRow, tradeRow } from '../wire.js'
import { Icebergs } from './iceberg.js'
import { toOrder, toTrade } from './rows.js'
import { placementOf, type Standing, termsOf } from './terms.js'

const ICEBERG = 'iceberg'
/** Kite refuses every further change of an order. */
const MOST_CHANGES = 25
/** Kite's rule. Our references have 18 characters, those of earlier versions had 20. */
const TAG = /^[A-Za-z0-9]{1,20}$/

/** An order as Kite knows it: what names it beside its id, and what a change keeps. */
interface KnownOrder extends Standing {
  variety: string
  /** Of a leg of a cover or bracket order, and of a later leg of an iceberg; otherwise empty. */
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
  /** The orders seen so far. Kite identifies an order by variety and id, and a leg also by its parent. */
  readonly #known = new Map<string, KnownOrder>()
  readonly #icebergs = new Icebergs()
  readonly #changes = new OrderChanges('Zerodha', MOST_CHANGES)
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
    await this.#sizes.readFor(instrument, this.#portfolio, 'exit')
    this.#sizes.requireSettled(instrument)
  }

  async place(order: OrderRequest, tag: string): Promise<{ orderId: string; raw: unknown }> {
    if (!TAG.test(tag)) throw notSent('validation', 'The order tag must be 1 to 20 letters and digits.')
    const instrument = instrumentOf(this.#context, order)
    this.#sizes.requireSettled(instrument)
    const product = PRODUCT_TO_KITE[order.product]
    if (!product)
      throw notSent('unsupported', `${order.product} orders cannot be placed at Zerodha from here.`)
    const { form: instructed, variety } = placementOf(order, instrument)
    const form = {
      tradingsymbol: instrument.brokerSymbol,
      exchange: instrument.brokerExchange,
      transaction_type: order.action,
      product,
      ...termsOf(order, instrument, this.#byDefault),
      ...instructed,
      tag,
    }
    const raw = await this.#api.send('POST', `/orders/${variety}`, orderAnswer, { form })
    this.#known.set(raw.order_id, {
      variety,
      parent: '',
      validity: order.instructions?.validity ?? 'DAY',
      validityTtl: order.instructions?.validityTtl ?? 0,
      marketProtection: order.instructions?.marketProtection ?? this.#byDefault.marketProtection,
    })
    return { orderId: raw.order_id, raw }
  }

  /** What an order asks for that has no instructions. */
  get #byDefault(): Standing {
    const { marketProtection = AUTOMATIC_PROTECTION } = this.#context
    return { validity: 'DAY', validityTtl: 0, marketProtection }
  }

  /** Reads what names the order. The legs of an iceberg follow each other, so it is read each time. */
  async prepareChange(orderId: string): Promise<void> {
    const known = await this.#knownOrder(orderId)
    if (known.variety === ICEBERG) await this.#rows('exit')
  }

  async modify(orderId: string, order: OrderRequest): Promise<{ orderId: string }> {
    const instrument = instrumentOf(this.#context, order)
    this.#sizes.requireSettled(instrument)
    const { known, parent, path } = await this.#target(orderId)
    const { quantity, ...terms } = termsOf(order, instrument, known)
    const isIceberg = known.variety === ICEBERG
    // What a quantity in the change of an iceberg counts, the leg or the whole, is not documented. Of any other order Kite keeps
    // what a change leaves out.
    const whole = { disclosed_quantity: '0', ...(quantity !== undefined && { quantity }) }
    const form = { ...(!isIceberg && whole), ...terms, ...parent }
    if (isIceberg) this.#requireSameQuantity(orderId, order)
    const answer = await this.#changes.sent(orderId, () => this.#api.send('PUT', path, orderAnswer, { form }))
    return { orderId: this.#icebergs.idOf(answer.order_id) }
  }

  /** @throws BrokerError `unsupported`, never sent, for a change of the quantity of an iceberg */
  #requireSameQuantity(orderId: string, { quantity }: OrderRequest): void {
    const now = this.#icebergs.whole(orderId)
    if (now && toOrder(this.#context, now).quantity === quantity) return
    const reason = 'Kite does not say whether a new quantity counts one leg or the whole order'
    throw notSent('unsupported', `The quantity of an iceberg order cannot be changed at Zerodha: ${reason}.`)
  }

  async cancel(orderId: string): Promise<{ orderId: string }> {
    const { parent, path } = await this.#target(orderId)
    const answer = await this.#api.send('DELETE', path, orderAnswer, { query: parent })
    return { orderId: this.#icebergs.idOf(answer.order_id) }
  }

  async list(rank: CallRank = 'read'): Promise<BrokerOrder[]> {
    const rows = await this.#rows(rank)
    return rows.map((row) => toOrder(this.#context, row))
  }

  async trades(): Promise<BrokerTrade[]> {
    const rows = await this.#api.get('/trades', z.array(tradeRow))
    return rows.map((row) => toTrade(this.#context, row, this.#icebergs.idOf(row.order_id)))
  }

  async findByTags(tags: readonly string[]): Promise<Map<string, BrokerOrder>> {
    const book = await this.#rows('exit')
    return ordersByTag(this.#context, tags, (tag) =>
      book
        .filter((row) => row.tag === tag || row.tags.includes(tag))
        .map((row) => toOrder(this.#context, row)),
    )
  }

  async order(orderId: string): Promise<BrokerOrder | undefined> {
    const row = await orAbsent(this.#lastRow(orderId))
    return row && this.onUpdate(row)
  }

  /** Converts one row of an order, such as an update of the ticker socket. */
  onUpdate(row: KiteOrder): BrokerOrder {
    const [order = row] = this.#icebergs.merged([row])
    return toOrder(this.#context, order)
  }

  async #rows(rank: CallRank): Promise<KiteOrder[]> {
    const rows = await this.#api.get('/orders', z.array(orderRow), { rank })
    for (const row of rows) this.#known.set(row.order_id, this.#knownBy(row))
    return this.#icebergs.merged(rows)
  }

  #knownBy(row: KiteOrder): KnownOrder {
    return {
      variety: row.variety || 'regular',
      parent: row.parent_order_id,
      validity: row.validity,
      validityTtl: row.validity_ttl,
      marketProtection: row.market_protection || this.#byDefault.marketProtection,
    }
  }

  /** Returns the path of an order, the field that names its parent if it is a leg, and what a change keeps. */
  async #target(
    orderId: string,
  ): Promise<{ path: string; parent: { parent_order_id?: string }; known: KnownOrder }> {
    const id = this.#icebergs.legOf(orderId)
    const known = await this.#knownOrder(id)
    return {
      path: `/orders/${encodeURIComponent(known.variety)}/${encodeURIComponent(id)}`,
      parent: known.parent === '' ? {} : { parent_order_id: known.parent },
      known,
    }
  }

  /** Returns the newest state in the history of an order. */
  async #lastRow(orderId: string): Promise<KiteOrder | undefined> {
    const path = `/orders/${encodeURIComponent(orderId)}`
    return (await this.#api.get(path, z.array(orderRow), { rank: 'exit' })).at(-1)
  }

  async #knownOrder(orderId: string): Promise<KnownOrder> {
    const known = this.#known.get(orderId)
    if (known) return known
    const last = await beforeChange(this.#lastRow(orderId))
    // Without a row its variety would be a guess.
    if (!last) throw new BrokerError('not_found', `Zerodha has no order ${orderId}.`, { sent: 'never' })
    const read = this.#knownBy(last)
    this.#known.set(orderId, read)
    return read
  }
}
