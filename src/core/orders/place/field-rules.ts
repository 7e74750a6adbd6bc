import { EXCHANGES } from '../../instruments/schema.js'
import { ACTIONS, PRICE_TYPES, PRODUCTS } from '../schema.js'

type Payload = Readonly<Record<string, unknown>>

const REQUIRED = ['strategy', 'symbol', 'exchange', 'action', 'quantity'] as const

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

/** One rule a row: the field, what it accepts, and the text that says so. An absent optional field passes. */
const MEMBERSHIP: readonly { field: string; accepts: (value: unknown) => boolean; message: string }[] = [
  {
    field: 'exchange',
    accepts: (value) => EXCHANGES.some((exchange) => exchange === value),
    message: `Invalid exchange. Must be one of: ${EXCHANGES.join(', ')}`,
  },
  {
    field: 'action',
    accepts: (value) => typeof value === 'string' && ACTIONS.some((action) => action === value.toUpperCase()),
    message: 'Invalid action. Must be one of: BUY, SELL (case insensitive)',
  },
  {
    field: 'pricetype',
    accepts: (value) => PRICE_TYPES.some((type) => type === value),
    message: `Invalid price type. Must be one of: ${PRICE_TYPES.join(', ')}`,
  },
  {
    field: 'product',
    accepts: (value) => PRODUCTS.some((product) => product === value),
    message: 'Invalid product type. Must be one of: CNC, NRML, MIS',
  },
]

/**
 * Validates the fields of an order, before the risk gate. For HTTP requests the schema has already caught
 * most problems; for callers inside the service (approvals, flows, strategies) this is the only field check.
 * @returns the message for the user, or undefined when the fields are valid
 */
export function fieldProblem(payload: Payload): string | undefined {
  // A blank strategy is allowed: clients of the public API send it for a strategy without a name.
  const missing = REQUIRED.filter(
    (field) => isEmpty(payload[field]) && !(field === 'strategy' && payload[field] === ''),
  )
  if (missing.length > 0) return `Missing mandatory field(s): ${missing.join(', ')}`
  const broken = MEMBERSHIP.find(
    (rule) => !isEmpty(payload[rule.field]) && !rule.accepts(payload[rule.field]),
  )
  return broken?.message
}
