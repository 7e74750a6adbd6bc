import { z } from 'zod'
import { amount, side, text } from '../wire.js'

/* Upstox's JSON of good-till-triggered orders, as far as we read it. */

export const gttAnswer = z.object({ gtt_order_ids: z.array(z.string().min(1)).length(1) })

const rule = z.object({
  strategy: z.string(),
  status: text,
  trigger_price: amount,
  transaction_type: side,
  /** Of the order that the rule sent; empty until then. */
  order_id: text,
  message: text,
})
export type UpstoxRule = z.output<typeof rule>

/** Epoch microseconds; absent where Upstox sends none. */
const micros = z
  .number()
  .nullish()
  .transform((value) => (value ? Math.floor(value / 1000) : undefined))

export const gttRow = z.object({
  gtt_order_id: z.string().min(1),
  exchange: z.string(),
  instrument_token: z.string(),
  trading_symbol: text,
  product: z.string(),
  quantity: z.number(),
  rules: z.array(rule).min(1),
  created_at: micros,
  expires_at: micros,
})
export type UpstoxGtt = z.output<typeof gttRow>
