import { z } from 'zod'
import type { OrderRequest } from '../../orders/schema.js'
import type { BrokerContext, BrokerMargin, BrokerMargins, BrokerPortfolio } from '../broker.js'
import type { ContractSizes } from '../kit/books/contract-sizes.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { notSent } from '../kit/http/outcomes.js'
import type { KiteApi } from './api.js'
import { PRODUCT_TO_KITE } from './mappings.js'
import { kiteCount } from './master/lots.js'

const margin = z.object({ total: z.number(), span: z.number(), exposure: z.number() })
const orderMargins = z.array(margin).length(1)
/** `initial` is the sum of the orders alone; `final` counts what they and the positions cover for each other. */
const basketMargins = z.object({ initial: margin, final: margin })

/** Margins over Kite's REST API, in rupees. */
export class KiteMargins implements BrokerMargins {
  readonly #api: KiteApi
  readonly #context: BrokerContext
  readonly #sizes: ContractSizes
  readonly #portfolio: BrokerPortfolio

  constructor(
    api: KiteApi,
    context: BrokerContext,
    { portfolio, sizes }: { portfolio: BrokerPortfolio; sizes: ContractSizes },
  ) {
    this.#api = api
    this.#context = context
    this.#sizes = sizes
    this.#portfolio = portfolio
  }

  /**
   * Returns what one order needs by itself, and what several need together with the positions of the account (Kite's
   * `final`; its `initial` would add them up without their cover).
   */
  async estimate(orders: readonly OrderRequest[]): Promise<BrokerMargin> {
    for (const order of orders)
      await this.#sizes.readFor(instrumentOf(this.#context, order), this.#portfolio, 'read')
    const json = orders.map((order) => this.#lineOf(order))
    if (json.length === 1) {
      const [only] = await this.#api.send('POST', '/margins/orders', orderMargins, { json })
      return marginIn(only)
    }
    const query = { consider_positions: 'true' }
    const basket = await this.#api.send('POST', '/margins/basket', basketMargins, { json, query })
    return marginIn(basket.final)
  }

  #lineOf(order: OrderRequest) {
    const instrument = instrumentOf(this.#context, order)
    this.#sizes.requireSettled(instrument)
    const product = PRODUCT_TO_KITE[order.product]
    if (!product) throw notSent('unsupported', `Zerodha gives no margin for ${order.product} orders.`)
    return {
      exchange: instrument.brokerExchange,
      tradingsymbol: instrument.brokerSymbol,
      transaction_type: order.action,
      variety: 'regular',
      product,
      order_type: order.priceType,
      quantity: kiteCount(instrument, order.quantity),
      price: order.price,
      trigger_price: order.triggerPrice,
    }
  }
}

function marginIn(read: z.output<typeof margin> | undefined): BrokerMargin {
  const { exposure = null, span = null, total = 0 } = read ?? {}
  return { total, span, exposure }
}
