import { z } from 'zod'
import { PRODUCTS } from '../../../core/orders/schema.js'
import { fields } from '../../../core/validation/index.js'

export const orderStatusPayload = z.strictObject({ strategy: fields.text(), orderid: fields.text(100) })
export const openPositionPayload = z.strictObject({
  strategy: fields.text(),
  symbol: fields.text(100),
  exchange: fields.text(20),
  product: fields.oneOf(PRODUCTS),
})
export const togglePayload = z.strictObject({ mode: fields.boolean() })
