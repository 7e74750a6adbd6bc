import { z } from 'zod'
import { EXCHANGES } from '../../instruments/schema.js'
import { fields } from '../../validation/index.js'
import { checkQuantity, existingProductField, fullExecutionFields, instrumentFields } from '../schema.js'

/**
 * Requests that change or end existing orders and positions.
 */

const strategy = fields.text(255)

const modifyFields = {
  strategy,
  orderid: fields.text(100),
  ...instrumentFields,
  ...fullExecutionFields,
}

export const modifyOrderPayload = z
  .strictObject(modifyFields)
  .superRefine((body, ctx) => checkQuantity(body, ctx))
export type ModifyOrderPayload = z.output<typeof modifyOrderPayload>

const cancelFields = { strategy, orderid: fields.text(100) }

export const cancelOrderPayload = z.strictObject(cancelFields)
export type CancelOrderPayload = z.output<typeof cancelOrderPayload>

/** The payload of cancel all: only the strategy. */
export const wholeAccountPayload = z.strictObject({ strategy })
export type WholeAccountPayload = z.output<typeof wholeAccountPayload>

/** The payload of a close: of every position, or of one that it names with all members of its key. */
export const closePositionsPayload = z
  .strictObject({
    strategy,
    symbol: fields.text(100).min(1, 'Shorter than minimum length 1.').optional(),
    exchange: fields.oneOf(EXCHANGES).optional(),
    product: existingProductField().optional(),
  })
  .refine(
    ({ symbol, exchange, product }) =>
      (symbol === undefined) === (exchange === undefined) &&
      (exchange === undefined) === (product === undefined),
    'symbol, exchange and product are given together or not at all.',
  )
