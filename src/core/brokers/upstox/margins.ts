import { hasPrice, type OrderRequest } from '../../orders/schema.js'
import type { BrokerContext, BrokerMargin, BrokerMargins, BrokerPortfolio } from '../broker.js'
import type { ContractSizes } from '../kit/books/contract-sizes.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { notSent } from '../kit/http/outcomes.js'
import type { UpstoxApi } from './api.js'
import { UNITS } from './contracts.js'
import { productWord } from './mappings.js'
import { margin } from './wire.js'

/** The most orders of one call. */
const MOST_ORDERS = 20

/** Margins over Upstox's REST API, in rupees. */
export class UpstoxMargins implements BrokerMargins {
  readonly #api: UpstoxApi
  readonly #context: BrokerContext
  readonly #sizes: ContractSizes
  readonly #portfolio: BrokerPortfolio

  constructor(
    api: UpstoxApi,
    context: BrokerContext,
    { portfolio, sizes }: { portfolio: BrokerPortfolio; sizes: ContractSizes },
  ) {
    this.#api = api
    this.#context = context
    this.#sizes = sizes
    this.#portfolio = portfolio
  }

  /** Returns what the orders need together (`final_margin`, after what they cover for each other). */
  async estimate(orders: readonly OrderRequest[]): Promise<BrokerMargin> {
    if (orders.length > MOST_ORDERS)
      throw notSent('unsupported', `Upstox gives the margin of at most ${MOST_ORDERS} orders at once.`)
    for (const order of orders)
      await this.#sizes.readFor(instrumentOf(this.#context, order), this.#portfolio, 'read')
    const json = { instruments: orders.map((order) => this.#lineOf(order)) }
    const read = await this.#api.send('POST', '/v2/charges/margin', margin, { json })
    const total = (part: 'span_margin' | 'exposure_margin') =>
      read.margins.reduce((sum, each) => sum + each[part], 0)
    return { total: read.final_margin, span: total('span_margin'), exposure: total('exposure_margin') }
  }

  #lineOf(order: OrderRequest) {
    const instrument = instrumentOf(this.#context, order)
    this.#sizes.requireSettled(instrument)
    return {
      instrument_key: instrument.token,
      quantity: UNITS.brokerCount(instrument, order.quantity),
      transaction_type: order.action,
      product: productWord(order.product, order.exchange),
      ...(hasPrice(order.priceType, 'price') && { price: order.price }),
    }
  }
}
