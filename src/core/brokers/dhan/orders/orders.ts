import { z } from 'zod'
import type { Instrument } from '../../../instruments/schema.js'
import type { OrderRequest, PriceType } from '../../../orders/schema.js'
import type {
  BrokerContext,
  BrokerOrder,
  BrokerOrders,
  BrokerTrade,
  CallRank,
  PreparedChange,
} from '../../broker.js'
import type { ContractSizes } from '../../kit/books/contract-sizes.js'
import { OrderChanges } from '../../kit/books/order-changes.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { ordersByTag } from '../../kit/books/tagged-orders.js'
import { orAbsent } from '../../kit/http/absent.js'
import { beforeChange, notSent } from '../../kit/http/outcomes.js'
import type { DhanApi } from '../api.js'
import { MOST_CHANGES, manifest } from '../manifest.js'
import { type DhanOrder, orderAnswer, orderRow, tradeRow } from '../wire.js'
import { toOrder, toTrade } from './rows.js'
import { amoOf, subjectOf, termsOf } from './terms.js'

const PATH = '/orders'
/** What Dhan takes as a correlation id; our references are letters and digits. */
const TAG = /^[A-Za-z0-9 _-]{1,30}$/
/** One order; a list of one is read like it. */
const oneOrder = z.union([orderRow, z.array(orderRow).transform((rows) => rows.at(-1))])
const BY_DEFAULT = { validity: 'DAY', legName: 'ENTRY_LEG' }

/** What a change of an order keeps. */
interface Standing {
  validity: string
  legName: string
}

/** Orders over Dhan's REST API. */
export class DhanOrders implements BrokerOrders {
  readonly #changes = new OrderChanges(manifest.displayName, MOST_CHANGES)
  /** The orders seen so far. */
  readonly #standing = new Map<string, Standing>()
  /** The types that orders were asked for with, by their ids and by our tags: Dhan shows another one for some. */
  readonly #asked = new Map<string, PriceType>()

  constructor(
    private readonly api: DhanApi,
    private readonly context: BrokerContext,
    private readonly sizes: ContractSizes,
  ) {}

  async preparePlace(order: OrderRequest): Promise<void> {
    this.#settled(order)
  }

  async place(order: OrderRequest, tag: string): Promise<{ orderId: string; raw: unknown }> {
    if (!TAG.test(tag))
      throw notSent(
        'validation',
        'The order tag must be 1 to 30 letters, digits, spaces, hyphens or underscores.',
      )
    const instrument = this.#settled(order)
    const json = {
      correlationId: tag,
      ...subjectOf(order, instrument),
      ...termsOf(order, instrument, BY_DEFAULT.validity),
      ...amoOf(order),
    }
    // Before the answer: the first update may come earlier, and the answer may be lost.
    this.#asked.set(tag, order.priceType)
    const raw = await this.api.change({ method: 'POST', path: PATH, json }, orderAnswer)
    this.#asked.set(raw.orderId, order.priceType)
    this.#standing.set(raw.orderId, { ...BY_DEFAULT, validity: json.validity })
    return { orderId: raw.orderId, raw }
  }

  /** Reads what a modification keeps. A cancel needs only the id. */
  async prepareChange(orderId: string, change: PreparedChange): Promise<void> {
    if (change === 'modify' && !this.#standing.has(orderId)) await beforeChange(this.order(orderId))
  }

  async modify(orderId: string, order: OrderRequest): Promise<{ orderId: string }> {
    const instrument = this.#settled(order)
    const { legName, validity } = this.#standing.get(orderId) ?? BY_DEFAULT
    // The quantity is that of the whole order, with what is filled.
    const json = { orderId, legName, ...termsOf(order, instrument, validity) }
    const request = { method: 'PUT', path: pathOf(orderId), json } as const
    await this.#changes.sent(orderId, () => this.api.change(request, orderAnswer))
    this.#asked.set(orderId, order.priceType)
    return { orderId }
  }

  async cancel(orderId: string): Promise<{ orderId: string }> {
    await this.api.change({ method: 'DELETE', path: pathOf(orderId) }, orderAnswer)
    return { orderId }
  }

  async list(rank: CallRank = 'read'): Promise<BrokerOrder[]> {
    const rows = await this.api.get(PATH, z.array(orderRow), rank)
    return rows.map((row) => this.onUpdate(row))
  }

  async trades(): Promise<BrokerTrade[]> {
    const rows = await this.api.get('/trades', z.array(tradeRow))
    return rows.map((row) => toTrade(this.context, row))
  }

  /** The look-up by one correlation id answers with one order only, so the book counts; it is asked where the book has none. */
  async findByTags(tags: readonly string[]): Promise<Map<string, BrokerOrder>> {
    const book = await this.list('exit')
    return ordersByTag(this.context, tags, (tag) => {
      const listed = book.filter((order) => order.tag === tag)
      return listed.length > 0 ? listed : this.#byTag(tag)
    })
  }

  order(orderId: string): Promise<BrokerOrder | undefined> {
    return this.#one(pathOf(orderId))
  }

  /** Converts one row of an order, such as an update. */
  onUpdate(row: DhanOrder): BrokerOrder {
    const { correlationId, legName, orderId, validity } = row
    const known = this.#standing.get(orderId)
    this.#standing.set(orderId, {
      validity: validity || known?.validity || BY_DEFAULT.validity,
      legName: legName || known?.legName || BY_DEFAULT.legName,
    })
    const asked = this.#asked.get(orderId) ?? this.#asked.get(correlationId)
    return toOrder(this.context, row, asked)
  }

  /** @throws BrokerError `unsupported`, never sent, for a contract whose size is not settled */
  #settled(order: OrderRequest): Instrument {
    const instrument = instrumentOf(this.context, order)
    this.sizes.requireSettled(instrument)
    return instrument
  }

  async #byTag(tag: string): Promise<BrokerOrder[]> {
    const order = await this.#one(`${PATH}/external/${encodeURIComponent(tag)}`)
    return order?.tag === tag ? [order] : []
  }

  async #one(path: string): Promise<BrokerOrder | undefined> {
    const row = await orAbsent(this.api.get(path, oneOrder, 'exit'))
    return row && this.onUpdate(row)
  }
}

function pathOf(orderId: string): string {
  return `${PATH}/${encodeURIComponent(orderId)}`
}
