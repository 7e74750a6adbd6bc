import { z } from 'zod'
import { amount, number, side, text } from '../wire.js'

/* Dhan's JSON of forever orders, as far as we read it: one row for each leg. */

export const foreverRow = z.object({
  orderId: z.string().min(1),
  correlationId: text,
  orderStatus: z.string(),
  /** Whether the order has one leg or two. */
  orderType: z.enum(['SINGLE', 'OCO']),
  transactionType: side,
  exchangeSegment: z.string(),
  productType: z.string(),
  securityId: text,
  tradingSymbol: text,
  legName: text,
  quantity: number,
  price: amount,
  triggerPrice: number,
  createTime: text,
  updateTime: text,
  omsErrorDescription: text,
})
export type ForeverRow = z.output<typeof foreverRow>

/** What names a row that cannot be read. */
export const foreverName = z.object({ orderId: text, correlationId: text })
