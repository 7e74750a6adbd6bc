import type { BrokerPlugin } from '../broker.js'
import { ContractSizes } from '../kit/books/contract-sizes.js'
import { credentialsOf, DhanApi } from './api.js'
import { auth } from './auth.js'
import { DhanOrderFeed } from './feed/order-feed.js'
import { dhanPriceFeed } from './feed/price-feed.js'
import { DhanGtts } from './gtt/gtts.js'
import { manifest } from './manifest.js'
import { DhanMargins } from './margins.js'
import { dhanMarket } from './market.js'
import { instruments } from './master/instruments.js'
import { DhanOrders } from './orders/orders.js'
import { UNITS } from './places.js'
import { DhanPortfolio } from './portfolio.js'

/** The broker plugin for Dhan, over DhanHQ v2. */
export const dhan: BrokerPlugin = {
  manifest,
  auth,
  instruments,
  connect(session, context) {
    const credentials = credentialsOf(session)
    const api = new DhanApi(context, credentials)
    const sizes = new ContractSizes(context, UNITS)
    const market = dhanMarket(api, context)
    const orders = new DhanOrders(api, context, sizes)
    const ticks = dhanPriceFeed(context, credentials)
    const orderEvents = new DhanOrderFeed(context, credentials, (row) => orders.onUpdate(row))
    return {
      orders,
      portfolio: new DhanPortfolio(api, context, { market, sizes }),
      market,
      gtts: new DhanGtts(api, context, { market, orders }),
      margins: new DhanMargins(api, context, market),
      priceBand: (ref) => market.priceBand(ref),
      ticks,
      orderEvents,
      async close() {
        orderEvents.close()
        ticks.close()
        api.close()
      },
    }
  },
}
