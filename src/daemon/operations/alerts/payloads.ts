import { z } from 'zod'
import { ACTIONS, PRODUCTS } from '../../../core/orders/index.js'
import { fields } from '../../../core/validation/index.js'

/** Bodies of the helpers that write the message of an alert. */

/** Senders of the public API know this text. */
export const MISSING_FIELDS = 'Missing required fields'

const named = () => z.string(MISSING_FIELDS).trim().toUpperCase().min(1, MISSING_FIELDS).max(100)
const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, {
    error: ({ input }) => (input === undefined ? MISSING_FIELDS : `Must be one of: ${words.join(', ')}.`),
  })
const contract = { symbol: named(), exchange: named(), product: oneOf(PRODUCTS) }
const quantity = fields.integer().refine((units) => units > 0, 'Must be greater than 0.')

export const lineAlertPayload = z.strictObject({ ...contract, action: oneOf(ACTIONS), quantity })
export const tradingviewAlertPayload = z.strictObject({
  ...contract,
  mode: oneOf(['strategy', 'line']).default('strategy'),
  action: oneOf(ACTIONS).optional(),
  quantity: quantity.optional(),
})
