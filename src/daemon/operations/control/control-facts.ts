import { fields } from '../../../core/validation/index.js'
import { text } from '../common/answers.js'
import { instant } from '../common/payloads.js'
import { signedIn } from '../running.js'

export const control = signedIn('Control', 'api')

export const json = ['validation', 'too_large', 'unsupported_media'] as const
export const brokerRefusals = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const
export const reading = { scopes: ['read', 'admin'] } as const
export const changing = { scopes: ['admin'] } as const

/** The period and the orders that a list is limited to. */
export const ofHistory = {
  since: instant.optional(),
  until: instant.optional(),
  symbol: fields.text(100).optional(),
  exchange: fields.text(20).optional(),
  strategy: fields.text().optional(),
}
export const page = {
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(100),
  before: fields.text(100).optional(),
}

export const nullableText = text.nullable()
/** The position of the next page; null at the end of the list. */
export const nextPage = nullableText
