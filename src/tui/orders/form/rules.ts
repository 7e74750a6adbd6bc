import { priceTypeNamed, hasPrice as typeHasPrice } from '../../../core/orders/price-type.js'
import type { Instrument } from './instrument.js'

/** The exchanges of shares; on the others a contract trades in whole lots, and nothing is delivered. */
const SHARES: ReadonlySet<string> = new Set(['NSE', 'BSE'])
/** A decimal number. `Number` would also read `0x10`. */
const DECIMAL = /^(\d+\.?\d*|\.\d+)$/
/** Prices and ticks are decimals, so their quotient is whole only about. */
const ROUNDING = 1e-6

const isMultiple = (value: number, unit: number) =>
  Math.abs(value / unit - Math.round(value / unit)) < ROUNDING

type Lot = Pick<Instrument, 'exchange' | 'lotsize'>

/** Returns the rule that a quantity breaks. Without an instrument, only a number is asked for. */
export function quantityProblem(text: string, instrument: Lot | undefined): string | undefined {
  const value = decimalOf(text)
  if (instrument?.exchange === 'CRYPTO') return value !== undefined && value > 0 ? undefined : 'above 0'
  if (value === undefined || !Number.isSafeInteger(value) || value < 1) return 'a whole number from 1'
  const { exchange = '', lotsize = 0 } = instrument ?? {}
  if (instrument === undefined || SHARES.has(exchange) || lotsize <= 0) return undefined
  return isMultiple(value, lotsize) ? undefined : `a multiple of the lot, ${lotsize}`
}

/** Returns the rule that a price breaks: it is above zero, and on the tick. */
export function priceProblem(text: string, tick: number | undefined): string | undefined {
  const value = decimalOf(text)
  if (value === undefined || value <= 0) return 'a price above 0'
  if (tick === undefined || tick <= 0 || isMultiple(value, tick)) return undefined
  return `a multiple of the tick, ${tick}`
}

/** Returns the products that an exchange takes. */
export function productsOf(exchange: string | undefined): readonly ['MIS', 'CNC'] | readonly ['MIS', 'NRML'] {
  return exchange === undefined || SHARES.has(exchange) ? ['MIS', 'CNC'] : ['MIS', 'NRML']
}

/** Returns whether a price type has a limit price, or a trigger price. */
export function hasPrice(field: 'price' | 'trigger_price', priceType: string | undefined): boolean {
  const type = priceTypeNamed(priceType)
  return type !== undefined && typeHasPrice(type, field === 'price' ? 'price' : 'trigger')
}

function decimalOf(text: string): number | undefined {
  const trimmed = text.trim()
  return DECIMAL.test(trimmed) ? Number(trimmed) : undefined
}
