import type { BrokerPlugin } from '../broker.js'
import { AngelApi, credentialsOf } from './api.js'
import { auth } from './auth.js'
import { AngelOrderUpdates } from './feed/order-feed.js'
import { angelTicks } from './feed/tick-feed.js'
import { AngelGtts } from './gtt/gtts.js'
import { instruments } from './instruments.js'
import { manifest } from './manifest.js'
import { AngelMargins } from './margins.js'
import { angelMarket } from './market.js'
import { AngelOrders } from './orders/orders.js'
import { AngelPortfolio } from './portfolio.js'

/** The broker plugin for Angel One, over SmartAPI. */
export const angel: BrokerPlugin = {
  manifest,
  auth,
  instruments,
  connect(session, context) {
    const credentials = credentialsOf(session)
    const api = new AngelApi(context, credentials)
    const market = angelMarket(api, context)
    const orders = new AngelOrders(api, context)
    const redact = (text: string) => api.redact(text)
    const ticks = angelTicks(context, credentials, redact)
    const orderEvents = new AngelOrderUpdates(context, credentials, redact, (row) => orders.onUpdate(row))
    return {
      orders,
      portfolio: new AngelPortfolio(api, context, market),
      market,
      gtts: new AngelGtts(api, context, market),
      margins: new AngelMargins(api, context),
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
