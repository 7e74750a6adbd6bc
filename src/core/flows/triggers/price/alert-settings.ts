import { HOUR_MS } from '../../../time/index.js'
import { hasReference, isBlank } from '../../graph/graph.js'
import type { FieldProblem } from '../../nodes/definition.js'
import type { Body } from '../../ports.js'
import { choice, type Parsed, positive, trimmed, upper } from '../reading.js'
import { canonicalCondition, type Needs, PRICE_CONDITIONS, type PriceLevels } from './price-conditions.js'

export const REPEATS = ['once', 'every_time'] as const
export type Repeat = (typeof REPEATS)[number]

/** Time to live of an alert from its activation. */
const EXPIRATIONS = {
  none: undefined,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': 24 * HOUR_MS,
  '1w': 7 * 24 * HOUR_MS,
} as const
export const EXPIRATION_NAMES = ['none', '1h', '4h', '1d', '1w'] as const

/** The settings of a price alert. */
export interface AlertSettings {
  symbol: string
  exchange: string
  levels: PriceLevels
  trigger: Repeat
  /** Undefined if it never expires. */
  expiresAfterMs: number | undefined
}

type Level = 'price' | 'priceLower' | 'priceUpper' | 'percentage'

const LEVELS: Readonly<Record<Needs, readonly Level[]>> = {
  price: ['price'],
  channel: ['priceLower', 'priceUpper'],
  percentage: ['percentage'],
  none: [],
}

/** Reads the settings of a price alert node. */
export function readPriceAlert(data: Readonly<Body>): Parsed<AlertSettings> {
  const [symbol, exchange] = [upper(data.symbol), upper(data.exchange) || 'NSE']
  const condition = conditionOf(data)
  const trigger = choice('trigger', data.trigger, REPEATS)
  const expiration = choice('expiration', data.expiration, EXPIRATION_NAMES)
  const problems = [
    ...(symbol ? [] : [missing('symbol', 'symbol is required')]),
    ...checkPriceAlert(data),
    ...(trigger.problems ?? []),
    ...(expiration.problems ?? []),
  ]
  if (problems.length > 0 || !condition || !trigger.value || !expiration.value) return { problems }
  const levels = {
    condition,
    price: positive(data.price),
    lower: positive(data.priceLower),
    upper: positive(data.priceUpper),
    percentage: positive(data.percentage),
  }
  return {
    value: {
      symbol,
      exchange,
      levels,
      trigger: trigger.value,
      expiresAfterMs: EXPIRATIONS[expiration.value],
    },
  }
}

/** Checks the condition of a price alert and the levels that the condition needs. */
export function checkPriceAlert(data: Readonly<Body>): FieldProblem[] {
  const literal = (['symbol', 'exchange'] as const).flatMap((field) =>
    hasReference(data[field]) ? [mustBeLiteral(field, data[field])] : [],
  )
  const condition = conditionOf(data)
  if (condition === undefined) return [...literal, unknownCondition(data.condition)]
  const needs = PRICE_CONDITIONS[condition]?.needs ?? 'none'
  const levels = LEVELS[needs].flatMap((field) => checkLevel(field, data[field], condition))
  if (needs === 'channel' && levels.length === 0) return [...literal, ...checkChannel(data)]
  return [...literal, ...levels]
}

/** A trigger is read on activation, before any variables exist. */
export function mustBeLiteral(field: string, received: unknown): FieldProblem {
  const message = `${field} of a trigger cannot use variables: '${trimmed(received)}'`
  return { field, code: 'invalid_field', message, received }
}

function conditionOf({ condition }: Readonly<Body>): string | undefined {
  return canonicalCondition(trimmed(condition) || 'greater_than')
}

function checkLevel(field: Level, value: unknown, condition: string): FieldProblem[] {
  if (isBlank(value)) return [missing(field, `${field} is required for condition ${condition}`)]
  if (positive(value) !== undefined) return []
  const message = `${field} must be a positive number, got '${trimmed(value)}'`
  return [{ field, code: 'invalid_threshold', message, received: value }]
}

function checkChannel({ priceLower, priceUpper }: Readonly<Body>): FieldProblem[] {
  const [lowest = 0, highest = 0] = [positive(priceLower), positive(priceUpper)]
  if (lowest < highest) return []
  const message = 'priceLower must be below priceUpper'
  return [{ field: 'priceLower', code: 'invalid_threshold', message, received: priceLower }]
}

function unknownCondition(received: unknown): FieldProblem {
  const expected = Object.keys(PRICE_CONDITIONS)
  const message = `Unknown price alert condition: ${trimmed(received)}`
  return { field: 'condition', code: 'unknown_condition', message, expected, received }
}

function missing(field: string, message: string): FieldProblem {
  return { field, code: 'missing_required_field', message }
}
