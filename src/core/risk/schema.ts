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
  /** The maximum distance of a limit or trigger price from the last price, in percent. */
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

const rules = z.strictObject({
  max_order_value: positive,
  max_order_quantity: positive,
  max_orders_per_day: wholePositive,
  allowed_exchanges: z
    .array(z.enum(EXCHANGES, { error: `Must be one of: ${EXCHANGES.join(', ')}.` }))
    .nullable(),
  allowed_products: z
    .array(z.enum(PRODUCTS, { error: `Must be one of: ${PRODUCTS.join(', ')}.` }))
    .nullable(),
  price_band_percent: positive,
  max_price_age_seconds: positive,
  max_day_loss: positive,
})

/** A change of some rules; absent rules stay. */
export const riskRulesChange = rules.partial()

interface RuleDefinition<Value> {
  /** Ceilings that catch typing mistakes are on by default; all other rules are the user's choice. */
  default: Value
  description: string
}

/** Every rule and its default: the gate reads them, and the documentation lists them. */
export const RISK_RULES: { readonly [Name in RiskRuleName]: RuleDefinition<RiskRules[Name]> } = {
  max_order_value: {
    default: 200_000_000,
    description: 'Largest value of one order, in rupees.',
  },
  max_order_quantity: {
    default: 5_000_000,
    description: 'Largest quantity of one order, in units.',
  },
  max_orders_per_day: {
    default: null,
    description: 'Orders in one trading session (03:00 to 03:00 IST).',
  },
  allowed_exchanges: {
    default: null,
    description: 'Exchanges on which orders may be placed.',
  },
  allowed_products: {
    default: null,
    description: 'Products that orders may use.',
  },
  price_band_percent: {
    default: null,
    description: 'Largest distance of a limit or trigger price from the last price, in percent.',
  },
  max_price_age_seconds: {
    default: null,
    description: 'Largest age of the last price for an order that depends on it, in seconds.',
  },
  max_day_loss: {
    default: null,
    description: "The day's loss (realised and open), in rupees, at which new orders stop.",
  },
}

export const DEFAULT_RULES: RiskRules = rules.parse(
  Object.fromEntries(Object.entries(RISK_RULES).map(([name, rule]) => [name, rule.default])),
)

/**
 * Returns the stored rules by name, merged over the defaults.
 * @throws when a limit cannot be read: nobody may trade without a limit that they have set
 */
export function readRules(stored: Readonly<Record<string, unknown>>): RiskRules {
  const { data, error } = riskRulesChange.safeParse(stored)
  if (error) throw new Error(`a stored risk rule cannot be read: ${z.prettifyError(error)}`)
  return { ...DEFAULT_RULES, ...data }
}

export interface KillSwitchState {
  on: boolean
  reason: string
  /** Epoch milliseconds of the last change; 0 when it was never used. */
  since: number
  by: string
}

/** A refusal by the gate: the rule, and a sentence with the figure and the limit. */
export interface RiskRefusal {
  rule: RiskRuleName | 'kill_switch'
  message: string
}

/** One line of a dry run: the rule, and whether this order would pass it. */
export interface RiskCheck {
  rule: RiskRuleName | 'kill_switch'
  ok: boolean
  message?: string
}

/** The rules whose refusals have their own code; all others answer `risk_refused`. */
const CODE_OF_RULE: Partial<Record<RiskRefusal['rule'], ErrorCode>> = {
  kill_switch: 'kill_switch',
  max_price_age_seconds: 'price_stale',
}

/** Returns the error code of a refusal. */
export function refusalCode({ rule }: RiskRefusal): ErrorCode {
  return CODE_OF_RULE[rule] ?? 'risk_refused'
}
