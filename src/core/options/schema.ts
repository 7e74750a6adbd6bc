import { z } from 'zod'
import { DERIVATIVE_EXCHANGES, EXCHANGES, type Exchange } from '../instruments/schema.js'
import { fields } from '../validation/index.js'

/** Bodies of the option endpoints of `/api/v1` (docs/api.md). */

/** Derivatives exchanges, in the order the messages list them. */
const CONTRACT_EXCHANGES = [
  'NFO',
  'BFO',
  'MCX',
  'CDS',
  'NCO',
  'BCD',
  'NCDEX',
  'CRYPTO',
] as const satisfies Exchange[]
export const contractExchange = () => fields.oneOf(CONTRACT_EXCHANGES)

if (CONTRACT_EXCHANGES.length !== DERIVATIVE_EXCHANGES.size) {
  throw new Error('CONTRACT_EXCHANGES does not list all derivatives exchanges')
}

const MAX_LEGS = 50
const LEG_COUNT = `Length must be between 1 and ${MAX_LEGS}.`
const OFFSET = /^(ATM|(ITM|OTM)([1-9]|[1-4]\d|50))$/i

const within = (low: number, high: number) =>
  `Must be greater than or equal to ${low} and less than or equal to ${high}.`

const underlyingFields = {
  underlying: fields.text(64),
  exchange: fields.oneOf(EXCHANGES),
}

const interestRate = fields
  .number()
  .refine((rate) => rate >= 0 && rate <= 100, within(0, 100))
  .nullish()
  .transform((rate) => rate ?? 0)

const expiryTime = fields.text(32).refine((time) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time), {
  error: (issue) =>
    `Invalid expiry_time format: ${String(issue.input)}. Use HH:MM format (e.g., '15:30', '19:00')`,
})

export const optionSymbolPayload = z.strictObject({
  ...underlyingFields,
  expiry_date: fields.text(32).nullish(),
  strike_int: fields
    .integer()
    .refine((step) => step >= 1, 'Must be greater than or equal to 1.')
    .nullish(),
  offset: fields
    .text(8)
    .refine((offset) => OFFSET.test(offset), 'Offset must be ATM, ITM1-ITM50, or OTM1-OTM50')
    .transform((offset) => offset.toUpperCase()),
  option_type: fields
    .oneOf(['CE', 'PE', 'ce', 'pe'])
    .transform((type) => (type.toUpperCase() === 'CE' ? 'CE' : 'PE')),
  /** Ignored; existing clients still send it. */
  strategy: fields.text().nullish(),
})

export const optionChainPayload = z.strictObject({
  ...underlyingFields,
  expiry_date: fields.text(32),
  strike_count: fields
    .integer()
    .refine((count) => count >= 1 && count <= 100, within(1, 100))
    .nullish(),
  with_greeks: fields.boolean().default(false),
  interest_rate: interestRate,
})

export const syntheticFuturePayload = z.strictObject({ ...underlyingFields, expiry_date: fields.text(32) })

const legFields = {
  symbol: fields.text(64),
  exchange: contractExchange(),
  underlying_symbol: fields.text(64).nullish(),
  underlying_exchange: fields.oneOf(EXCHANGES).nullish(),
}
const pricingFields = { interest_rate: interestRate, expiry_time: expiryTime.nullish() }

export const optionGreeksPayload = z.strictObject({
  ...legFields,
  ...pricingFields,
  /** 0 means: compute it. */
  forward_price: fields.nonNegative('Must be greater than or equal to 0.').nullish(),
})

export const multiOptionGreeksPayload = z.strictObject({
  symbols: fields.list(z.strictObject(legFields)).min(1, LEG_COUNT).max(MAX_LEGS, LEG_COUNT),
  ...pricingFields,
})
