import type { BrokerPlugin } from '../broker.js'
import { ContractSizes } from '../kit/books/contract-sizes.js'
import { UpstoxApi } from './api.js'
import { auth } from './auth.js'
import { UNITS } from './contracts.js'
import { UpstoxOrderFeed } from './feed/order-feed.js'
import { UpstoxPrices } from './feed/price-feed.js'
import { UpstoxGtts } from './gtt/gtts.js'
import { manifest } from './manifest.js'
import { UpstoxMargins } from './margins.js'
import { upstoxMarket } from './market.js'
import { instruments } from './master/instruments.js'
import { UpstoxOrders } from './orders/orders.js'
import { UpstoxPortfolio } from './portfolio.js'

/** The broker plugin for Upstox. */
export const upstox: BrokerPlugin = {
  manifest,
  auth,
  instruments,
  connect(session, context) {
    const api = new UpstoxApi(context, session.accessToken)
    const sizes = new ContractSizes(context, UNITS)
    const market = upstoxMarket(api, context)
    const portfolio = new UpstoxPortfolio(api, context, { market, sizes })
    const ticks = new UpstoxPrices(context, api)
    const orderEvents = new UpstoxOrderFeed(context, api)
    return {
      orders: new UpstoxOrders(api, context, { sizes, portfolio }),
      portfolio,
      market,
      gtts: new UpstoxGtts(api, context, sizes),
      margins: new UpstoxMargins(api, context, { portfolio, sizes }),
      priceBand: (ref) => market.priceBand(ref),
      ticks,
      orderEvents,
      async close() {
        ticks.close()
        orderEvents.close()
        api.close()
      },
    }
  },
}
