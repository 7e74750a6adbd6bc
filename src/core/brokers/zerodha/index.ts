import type { BrokerPlugin } from '../broker.js'
import { credentialsOf, KiteApi } from './api.js'
import { auth } from './auth.js'
import { ContractSizes } from './contract-sizes.js'
import { KiteTicker } from './feed/tick-feed.js'
import { instruments } from './instruments.js'
import { manifest } from './manifest.js'
import { KiteMarket } from './market.js'
import { KiteOrders } from './orders.js'
import { KitePortfolio } from './portfolio.js'

/** The broker plugin for Zerodha, over Kite Connect v3. */
export const zerodha: BrokerPlugin = {
  manifest,
  auth,
  instruments,
  connect(session, context) {
    const credentials = credentialsOf(session)
    const api = new KiteApi(context, credentials)
    const ticker = new KiteTicker(context, credentials, (text) => api.redact(text))
    const sizes = new ContractSizes(context)
    const portfolio = new KitePortfolio(api, context, sizes)
    const market = new KiteMarket(api, context)
    return {
      orders: new KiteOrders(api, context, { sizes, portfolio }),
      portfolio,
      market,
      priceBand: (ref) => market.priceBand(ref),
      ticks: ticker.prices,
      orderEvents: ticker.orderUpdates,
      async close() {
        ticker.close()
        api.close()
      },
    }
  },
}
