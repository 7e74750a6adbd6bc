import { z } from 'zod'
import type { Instrument } from '../../../instruments/schema.js'
import type { GttLeg, GttRequest } from '../../../orders/schema.js'
import {
  type BrokerContext,
  BrokerError,
  type BrokerGtt,
  type BrokerGtts,
  type BrokerMarket,
  type BrokerOrder,
  type BrokerOrders,
} from '../../broker.js'
import { protectedLimit } from '../../kit/books/protection.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { requireReachable } from '../../kit/books/triggers.js'
import { changeInParts } from '../../kit/http/change-in-parts.js'
import { beforeChange, notSent, unreadable } from '../../kit/http/outcomes.js'
import type { DhanApi } from '../api.js'
import { manifest } from '../manifest.js'
import { subjectOf } from '../orders/terms.js'
import { placeOf, UNITS } from '../places.js'
import { orderAnswer } from '../wire.js'
import { foreverOrders, legNamesOf, readRows, statusOf, toGtt } from './rows.js'
import type { ForeverRow } from './wire.js'

const PATH = '/forever/orders'
/** Each leg sends a limit order, for the day on which it fires. */
const TERMS = { orderType: 'LIMIT', validity: 'DAY', disclosedQuantity: 0 } as const

interface Sources {
  market: Pick<BrokerMarket, 'quotes'>
  orders: Pick<BrokerOrders, 'list'>
}

/**
 * Good-till-triggered orders, which Dhan calls forever orders. It keeps our tag, and changes the two legs of an OCO with a call
 * each. Its rows name no order that a leg has sent: that has the same correlation id.
 */
export class DhanGtts implements BrokerGtts {
  readonly #sources: Sources
  /** The last prices when forever orders were placed or changed, as far as they are known here. */
  readonly #lastPrices = new Map<string, number>()

  constructor(
    private readonly api: DhanApi,
    private readonly context: BrokerContext,
    sources: Sources,
  ) {
    this.#sources = sources
  }

  async place(
    gtt: GttRequest,
    { lastPrice, tag }: { tag: string; lastPrice: number },
  ): Promise<{ triggerId: string }> {
    if (gtt.expiresAt?.trim())
      throw notSent('unsupported', 'Dhan keeps a GTT for a year: leave out expires_at.')
    const instrument = instrumentOf(this.context, gtt)
    const [first, second] = this.#legsOf(gtt, instrument, lastPrice)
    const quantity = UNITS.brokerCount(instrument, gtt.quantity)
    const json = {
      correlationId: tag,
      orderFlag: gtt.type,
      ...subjectOf(gtt, instrument),
      ...TERMS,
      quantity,
      price: first?.price,
      triggerPrice: first?.triggerPrice,
      ...(second && { price1: second.price, triggerPrice1: second.triggerPrice, quantity1: quantity }),
    }
    const { orderId } = await this.api.change({ method: 'POST', path: PATH, json }, orderAnswer)
    this.#lastPrices.set(orderId, lastPrice)
    return { triggerId: orderId }
  }

  /**
   * Changes each leg by the name that its row has: Dhan's page and its rows name the legs differently.
   * @throws BrokerError that is half done, if the second leg of an OCO fails after the first is changed; never sent, if the legs
   * are not found by their names
   */
  async modify(
    triggerId: string,
    gtt: GttRequest,
    { lastPrice }: { lastPrice: number },
  ): Promise<{ triggerId: string }> {
    const instrument = instrumentOf(this.context, gtt)
    const quantity = UNITS.brokerCount(instrument, gtt.quantity)
    const legs = this.#legsOf(gtt, instrument, lastPrice)
    const names = await this.#legNames(triggerId, gtt)
    const parts = legs.map(({ kind, price, triggerPrice }) => {
      const json = {
        orderId: triggerId,
        orderFlag: gtt.type,
        legName: names[kind],
        ...TERMS,
        quantity,
        price,
        triggerPrice,
      }
      const request = { method: 'PUT', path: pathOf(triggerId), json } as const
      return { name: `${kind} leg`, send: () => this.api.change(request, orderAnswer) }
    })
    await changeInParts(`The GTT ${triggerId}`, parts)
    this.#lastPrices.set(triggerId, lastPrice)
    return { triggerId }
  }

  async cancel(triggerId: string): Promise<{ triggerId: string }> {
    await this.api.change({ method: 'DELETE', path: pathOf(triggerId) }, orderAnswer)
    return { triggerId }
  }

  async list(): Promise<BrokerGtt[]> {
    const { rows } = await this.#rows()
    return this.#converted(rows)
  }

  /** @throws BrokerError `protocol` if a row that may have the tag cannot be read: it must not count as absent */
  async findByTag(tag: string): Promise<BrokerGtt | undefined> {
    const { rows, unreadableTags } = await this.#rows()
    const [found] = await this.#converted(rows.filter(({ correlationId }) => correlationId === tag))
    if (!found && (unreadableTags.has(tag) || unreadableTags.has(undefined)))
      throw unreadable(`GET ${PATH}`, 'the row of the GTT cannot be read')
    return found
  }

  /** Returns what Dhan calls the legs of a forever order. @throws BrokerError, never `maybe` */
  async #legNames(triggerId: string, { type }: GttRequest): Promise<Record<GttLeg['kind'], string>> {
    const { rows } = await beforeChange(this.#rows())
    const [legs] = foreverOrders(rows.filter(({ orderId }) => orderId === triggerId))
    if (!legs) {
      const message = `Dhan's list has no GTT ${triggerId} that can be read, so it is not changed.`
      throw new BrokerError('not_found', message, { sent: 'never' })
    }
    const names = legNamesOf(legs, type)
    if (names) return names
    const reason = `Dhan does not name the legs of the GTT ${triggerId} as those of an ${type} order`
    throw notSent('unsupported', `${reason}, so it is not changed. Cancel it, and place a new one.`)
  }

  async #rows() {
    const read = readRows(await this.api.get(PATH, z.array(z.unknown())))
    if (read.unreadableTags.size > 0)
      this.context.log.warn('dhan.unreadable_gtt', { tags: [...read.unreadableTags] })
    return read
  }

  async #converted(rows: readonly ForeverRow[]): Promise<BrokerGtt[]> {
    const all = foreverOrders(rows)
    await this.#learnPrices(all)
    const sent = await this.#ordersSent(all)
    return all.flatMap((legs) => {
      const [first] = legs
      if (!first) return []
      const lastPrice = this.#lastPrices.get(first.orderId) ?? 0
      return [toGtt(this.context, first, legs, { lastPrice, triggeredOrderId: sent.get(first.orderId) })]
    })
  }

  /**
   * Reads the prices beside which forever orders of an earlier connection wait: one that has not fired is on the same side of the
   * price as it was. Without quotes they stay unknown.
   */
  async #learnPrices(all: readonly ForeverRow[][]): Promise<void> {
    const unknown = all.flatMap((legs) => {
      const [first] = legs
      const isOpen =
        first && statusOf(this.context, legs) === 'active' && !this.#lastPrices.has(first.orderId)
      return isOpen ? [{ id: first.orderId, ref: placeOf(this.context, first).ref }] : []
    })
    if (unknown.length === 0) return
    const quotes = await this.#sources.market.quotes(unknown.map(({ ref }) => ref)).catch(() => [])
    for (const [place, { id }] of unknown.entries()) {
      const quote = quotes[place]
      if (quote && 'ltp' in quote) this.#lastPrices.set(id, quote.ltp)
    }
  }

  /** Returns the orders that forever orders have sent, by the ids of those. */
  async #ordersSent(all: readonly ForeverRow[][]): Promise<ReadonlyMap<string, string>> {
    const fired = all.flatMap((legs) => {
      const [first] = legs
      // The order of one that fired may be refused.
      const mayHaveFired = ['triggered', 'rejected'].includes(statusOf(this.context, legs))
      return first?.correlationId && mayHaveFired ? [first] : []
    })
    if (fired.length === 0) return new Map()
    const orders = await this.#sources.orders.list()
    // If two orders have one tag, the accepted one counts.
    const counted = [...orders.filter(isRefused), ...orders.filter((order) => !isRefused(order))]
    const byTag = new Map(counted.map(({ orderId, tag }) => [tag, orderId]))
    return new Map(
      fired.flatMap(({ correlationId, orderId }) => {
        const sent = byTag.get(correlationId)
        return sent === undefined ? [] : [[orderId, sent] as const]
      }),
    )
  }

  /** Returns the legs with the limits that Dhan gets. @throws BrokerError, never sent */
  #legsOf(gtt: GttRequest, instrument: Instrument, lastPrice: number): GttLeg[] {
    return gtt.legs.map((leg) => {
      requireReachable(leg, lastPrice, manifest.displayName)
      const price =
        gtt.priceType === 'LIMIT' ? leg.price : protectedLimit(gtt.action, leg.triggerPrice, instrument)
      return { ...leg, price }
    })
  }
}

function isRefused({ status }: BrokerOrder): boolean {
  return status === 'rejected'
}

function pathOf(triggerId: string): string {
  return `${PATH}/${encodeURIComponent(triggerId)}`
}
