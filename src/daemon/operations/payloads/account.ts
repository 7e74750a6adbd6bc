import { z } from 'zod'
import { PRODUCTS } from '../../../core/orders/schema.js'
import { fields } from '../../../core/validation/index.js'

const MAX_MESSAGE = 4096

export const orderStatusPayload = z.strictObject({ strategy: fields.text(), orderid: fields.text(100) })
export const openPositionPayload = z.strictObject({
  strategy: fields.text(),
  symbol: fields.text(100),
  exchange: fields.text(20),
  product: fields.oneOf(PRODUCTS),
})
export const togglePayload = z.strictObject({ mode: fields.boolean() })

const message = fields
  .text(Number.POSITIVE_INFINITY)
  .max(MAX_MESSAGE, `Message must not exceed ${MAX_MESSAGE} characters`)
  .optional()
const phone = z.union([z.string().max(64), z.int()], { error: 'Invalid phone number' })

export const telegramPayload = z.strictObject({
  username: fields.text(80).optional(),
  message,
  /** A number from 1 to 10 without effect. Any other value counts as the default. */
  priority: z
    .unknown()
    .optional()
    .meta({ type: ['integer', 'string'] }),
  wait_for_delivery: fields.boolean().default(false),
})
export const whatsappPayload = z.strictObject({
  self: fields.boolean().optional(),
  phones: z.array(phone, { error: "'phones' must be a list" }).optional(),
  phone: phone.optional(),
  username: fields.text(80).optional(),
  message,
  image_path: fields.text(4096).optional(),
  document_path: fields.text(4096).optional(),
  caption: fields.text(MAX_MESSAGE).optional(),
  filename: fields.text().optional(),
  wait_for_delivery: fields.boolean().default(true),
})
