import { z } from 'zod'
import { ACTIONS, PRODUCTS } from '../../../core/orders/index.js'
import { text } from './common.js'

/** Messages of alerts, to be pasted at their sender. They hold the API key. */

const message = {
  apikey: text,
  symbol: text,
  exchange: text,
  pricetype: z.literal('MARKET'),
  product: z.enum(PRODUCTS),
}

export const lineAlert = z.strictObject({
  ...message,
  strategy: z.enum(['TradingView Line Alert', 'GoCharting']),
  action: z.enum(ACTIONS),
  quantity: text,
})
export const strategyAlert = z.strictObject({
  ...message,
  strategy: z.literal('TradingView Strategy'),
  action: text,
  quantity: text,
  position_size: text,
})
