import type { BrokerGtt } from '../../brokers/broker.js'
import { istDateTime } from '../../time/index.js'
import type { GttTerms } from '../schema.js'

/** Returns a row of the GTT book. Times have the public format; they are empty when the broker gives none. */
export function bookRow(gtt: BrokerGtt) {
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

/** Returns what an active GTT is about; undefined for one that fired or ended, and without legs. */
export function termsOf(gtt: BrokerGtt | undefined): GttTerms | undefined {
  const [first] = gtt?.legs ?? []
  if (gtt?.status !== 'active' || !first) return undefined
  const { action, priceType, product } = first
  const lowest = Math.min(...gtt.triggerPrices)
  const isStop = (trigger: number) => (gtt.type === 'two-leg' ? trigger === lowest : trigger < gtt.lastPrice)
  const legs = gtt.legs.map(({ price }, place) => {
    const triggerPrice = gtt.triggerPrices[place] ?? 0
    return { kind: isStop(triggerPrice) ? ('stop' as const) : ('target' as const), triggerPrice, price }
  })
  const quantity = Math.min(...gtt.legs.map((leg) => leg.quantity))
  return { symbol: gtt.symbol, exchange: gtt.exchange, action, product, priceType, quantity, legs }
}
