import type { OrderRequest } from '../../orders/schema.js'
import type { BrokerContext, BrokerMargin, BrokerMargins } from '../broker.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { notSent } from '../kit/http/outcomes.js'
import { type AngelApi, SECURE } from './api.js'
import { productWord } from './orders/terms.js'
import { UNITS } from './units.js'
import { margin } from './wire.js'
import { ORDER_TYPE } from './words.js'

/** The most orders of one call. */
const MOST_ORDERS = 50

/** Margins over SmartAPI, in rupees: what orders need together. */
export class AngelMargins implements BrokerMargins {
  constructor(
    private readonly api: AngelApi,
    private readonly context: BrokerContext,
  ) {}

  async estimate(orders: readonly OrderRequest[]): Promise<BrokerMargin> {
    if (orders.length > MOST_ORDERS)
      throw notSent('unsupported', `Angel One estimates the margin of at most ${MOST_ORDERS} orders at once.`)
    const json = { positions: orders.map((order) => this.#lineOf(order)) }
    const read = await this.api.ask(`${SECURE}/margin/v1/batch`, margin, { json, callClass: 'margin' })
    const { marginComponents, totalMarginRequired: total } = read
    return { total, span: marginComponents?.spanMargin ?? null, exposure: null }
  }

  #lineOf(order: OrderRequest) {
    const instrument = instrumentOf(this.context, order)
    return {
      exchange: instrument.brokerExchange,
      qty: UNITS.brokerCount(instrument, order.quantity),
      price: order.price,
      productType: productWord(order),
      token: instrument.token,
      tradeType: order.action,
      orderType: ORDER_TYPE[order.priceType].word,
    }
  }
}
