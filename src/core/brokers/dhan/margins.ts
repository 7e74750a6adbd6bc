import type { OrderRequest } from '../../orders/schema.js'
import type { BrokerContext, BrokerMargin, BrokerMargins, BrokerMarket } from '../broker.js'
import { instrumentOf } from '../kit/books/symbols.js'
import type { DhanApi } from './api.js'
import { subjectOf, termsOf } from './orders/terms.js'
import { margin } from './wire.js'

const PATH = '/margincalculator'

/** Margins over Dhan's REST API, in rupees. */
export class DhanMargins implements BrokerMargins {
  constructor(
    private readonly api: DhanApi,
    private readonly context: BrokerContext,
    private readonly market: Pick<BrokerMarket, 'quotes'>,
  ) {}

  /** Returns what one order needs by itself, and what several need together with the positions and orders of the account. */
  async estimate(orders: readonly OrderRequest[]): Promise<BrokerMargin> {
    const scripList = await this.#lines(orders)
    const [only] = scripList
    const request =
      scripList.length === 1
        ? { path: PATH, json: { ...only } }
        : { path: `${PATH}/multi`, json: { includePosition: true, includeOrder: true, scripList } }
    const row = await this.api.call({ method: 'POST', ...request }, margin)
    return {
      total: row.totalMargin ?? row.total_margin ?? 0,
      span: row.spanMargin ?? row.span_margin ?? null,
      exposure: row.exposureMargin ?? row.exposure_margin ?? null,
    }
  }

  /** An order at the market has no price, so the last one stands for it. */
  async #lines(orders: readonly OrderRequest[]) {
    const lines = orders.map((order) => {
      const instrument = instrumentOf(this.context, order)
      const { price, quantity, triggerPrice } = termsOf(order, instrument, 'DAY')
      return { ...subjectOf(order, instrument), quantity, price: price || triggerPrice, triggerPrice }
    })
    const unpriced = orders.filter((_, place) => lines[place]?.price === 0)
    const quotes = unpriced.length === 0 ? [] : await this.market.quotes(unpriced)
    return lines.map((line, place) => {
      const order = orders[place]
      const quote = order && quotes[unpriced.indexOf(order)]
      return line.price === 0 && quote && 'ltp' in quote ? { ...line, price: quote.ltp } : line
    })
  }
}
