import { z } from 'zod'
import { fields } from '../validation/index.js'
import { checkQuantity, fullExecutionFields, instrumentFields } from './schema.js'

/** Bodies of the requests that change or end what is there (contract, api-orders sections 5.3 to 5.6). */

const common = { apikey: fields.apiKeyField(), strategy: fields.text(255) }

export const modifyOrderBody = z
  .strictObject({
    ...common,
    orderid: fields.text(100),
    ...instrumentFields,
    ...fullExecutionFields,
  })
  .superRefine((body, ctx) => checkQuantity(body, ctx))
export type ModifyOrderPayload = Omit<z.output<typeof modifyOrderBody>, 'apikey'>

export const cancelOrderBody = z.strictObject({ ...common, orderid: fields.text(100) })
export type CancelOrderPayload = Omit<z.output<typeof cancelOrderBody>, 'apikey'>

/** Cancel all and close all take nothing but who asks. */
export const wholeAccountBody = z.strictObject(common)
export type WholeAccountPayload = Omit<z.output<typeof wholeAccountBody>, 'apikey'>
