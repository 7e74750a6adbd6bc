import type { BrokerPlugin } from '../broker.js'
import { ContractSizes } from '../kit/books/contract-sizes.js'
import { credentialsOf, KiteApi } from './api.js'
import { auth } from './auth.js'
import { KiteTicker } from './feed/tick-feed.js'
import { KiteGtts } from './gtt/gtts.js'
import { manifest } from './manifest.js'
import { KiteMargins } from './margins.js'
import { kiteMarket } from './market.js'
import { instruments } from './master/instruments.js'
import { UNITS } from './master/lots.js'
import { KiteOrders } from './orders/orders.js'
import { KitePortfolio } from './portfolio.js'
import { postedOrderId } from './postback.js'

/** The broker plugin for Zerodha, over Kite Connect v3. */
export const zerodha: BrokerPlugin = {
  manifest,
  auth,
  instruments,
  connect(session, context) {
    const credentials = credentialsOf(session)
    const api = new KiteApi(context, credentials)
    const sizes = new ContractSizes(context, UNITS)
    const market = kiteMarket(api, context)
    const portfolio = new KitePortfolio(api, context, { market, sizes })
    const orders = new KiteOrders(api, context, { sizes, portfolio })
    const redact = (text: string) => api.redact(text)
    const ticker = new KiteTicker(context, credentials, redact, (row) => orders.onUpdate(row))
    return {
      orders,
      portfolio,
      market,
      gtts: new KiteGtts(api, context, sizes),
      margins: new KiteMargins(api, context, { portfolio, sizes }),
      priceBand: (ref) => market.priceBand(ref),
      ticks: ticker.prices,
      orderEvents: ticker.orderUpdates,
      postback: (body) => postedOrderId(body, session),
      async close() {
        ticker.close()
        api.close()
      },
    }
  },
}
