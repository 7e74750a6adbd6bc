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

/** The operations that send orders of a value. */
const VALUED = [
  'placeorder',
  'placesmartorder',
  'basketorder',
  'splitorder',
  'optionsorder',
  'optionsmultiorder',
  'modifyorder',
  'placegttorder',
  'modifygttorder',
] as const

export const deskPayload = z.strictObject({
  operation: fields
    .oneOf(VALUED)
    .optional()
    .meta({ description: 'The endpoint of the request below, such as basketorder.' }),
  request: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'A request whose value is to be known, without its key.' }),
})
