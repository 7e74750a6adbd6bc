import type { BrokerGtt } from '../../brokers/broker.js'
import { istDateTime } from '../../time/index.js'

/** Returns a row of the GTT book. Times have the public format; they are empty when the broker gives none. */
export function bookRow(gtt: BrokerGtt): Record<string, unknown> {
  const time = (ms: number | undefined) => (ms === undefined ? '' : istDateTime(ms))
  return {
    trigger_id: gtt.triggerId,
    trigger_type: gtt.type,
    status: gtt.status,
    symbol: gtt.symbol,
    exchange: gtt.exchange,
    trigger_prices: gtt.triggerPrices,
    last_price: gtt.lastPrice,
    legs: gtt.legs.map(({ action, quantity, price, priceType, product }) => ({
      action,
      quantity,
      price,
      pricetype: priceType,
      product,
    })),
    created_at: time(gtt.createdAt),
    updated_at: time(gtt.updatedAt),
    expires_at: time(gtt.expiresAt),
  }
}
