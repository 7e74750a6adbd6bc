import { z } from 'zod'
import type { ErrorCode } from '../errors/index.js'
import { EXCHANGES } from '../instruments/schema.js'
import { PRODUCTS } from '../orders/schema.js'

/** The limits of the pre-trade gate. `null` switches a limit off. Amounts in rupees. */
export interface RiskRules {
  max_order_value: number | null
  max_order_quantity: number | null
  max_orders_per_day: number | null
  allowed_exchanges: string[] | null
  allowed_products: string[] | null
  /** A limit or trigger price may be this far from the last price, in percent. */
  price_band_percent: number | null
  /** An order whose price the market sets is refused when the last price is older than this, in seconds. */
  max_price_age_seconds: number | null
  /** New orders stop once the day's loss (realised and open) reaches this. */
  max_day_loss: number | null
}

export type RiskRuleName = keyof RiskRules

const positive = z
  .number({ error: 'Not a valid number.' })
  .positive('Must be greater than 0.')
  .finite()
  .nullable()
const wholePositive = z
  .number({ error: 'Not a valid number.' })
  .int('Must be a whole number.')
  .positive('Must be greater than 0.')
  .nullable()

interface RuleDefinition {
  schema: z.ZodType
  /** Ceilings that catch a typing mistake are on from the start; everything else is the user's choice. */
  default: RiskRules[RiskRuleName]
  description: string
}

/** Every rule, its range and its default: what the API validates, the gate reads and the documentation lists. */
export const RISK_RULES: { readonly [Name in RiskRuleName]: RuleDefinition } = {
  max_order_value: {
    schema: positive,
    default: 200_000_000,
    description: 'Largest value of one order, in rupees.',
  },
  max_order_quantity: {
    schema: positive,
    default: 5_000_000,
    description: 'Largest quantity of one order, in units.',
  },
  max_orders_per_day: {
    schema: wholePositive,
    default: null,
    description: 'Orders in one trading session (03:00 to 03:00 IST).',
  },
  allowed_exchanges: {
    schema: z.array(z.enum(EXCHANGES, { error: `Must be one of: ${EXCHANGES.join(', ')}.` })).nullable(),
    default: null,
    description: 'Exchanges on which orders may be placed.',
  },
  allowed_products: {
    schema: z.array(z.enum(PRODUCTS, { error: `Must be one of: ${PRODUCTS.join(', ')}.` })).nullable(),
    default: null,
    description: 'Products orders may use.',
  },
  price_band_percent: {
    schema: positive,
    default: null,
    description: 'How far a limit or trigger price may be from the last price, in percent.',
  },
  max_price_age_seconds: {
    schema: positive,
    default: null,
    description: 'How old the last price may be for an order that depends on it, in seconds.',
  },
  max_day_loss: {
    schema: positive,
    default: null,
    description: "The day's loss (realised and open), in rupees, at which new orders stop.",
  },
}

export const DEFAULT_RULES = Object.fromEntries(
  Object.entries(RISK_RULES).map(([name, rule]) => [name, rule.default]),
) as unknown as RiskRules

/** A change of some rules; what is absent stays. */
export const riskRulesChange = z.strictObject(
  Object.fromEntries(Object.entries(RISK_RULES).map(([name, rule]) => [name, rule.schema.optional()])),
)

export interface KillSwitchState {
  on: boolean
  reason: string
  /** Epoch milliseconds of the last change; 0 when it was never used. */
  since: number
  by: string
}

/** Why the gate said no: the rule, and a sentence with the figure and the limit. */
export interface RiskRefusal {
  rule: RiskRuleName | 'kill_switch'
  message: string
}

/** One line of a dry run: the rule and whether this order would pass it. */
export interface RiskCheck {
  rule: RiskRuleName | 'kill_switch'
  ok: boolean
  message?: string
}

/** Refusals with a code of their own; every other rule's is `risk_refused`. */
const CODE_OF_RULE: Partial<Record<RiskRefusal['rule'], ErrorCode>> = {
  kill_switch: 'kill_switch',
  max_price_age_seconds: 'price_stale',
}

/** The code a refusal of the gate is answered with. */
export function refusalCode({ rule }: RiskRefusal): ErrorCode {
  return CODE_OF_RULE[rule] ?? 'risk_refused'
}
