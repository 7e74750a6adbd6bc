import { CASH_EXCHANGES } from '../../core/instruments/vocabulary.js'

/** The facts of an instrument that decide which quantities it has. */
export interface Lot {
  exchange: string
  lotsize: number
}

/** Prices and ticks are decimals, so their quotient is whole only about. */
const ROUNDING = 1e-6

export const isMultiple = (value: number, unit: number): boolean =>
  Math.abs(value / unit - Math.round(value / unit)) < ROUNDING

/** Returns whether an instrument trades in lots: shares trade in any number. */
export const hasLots = ({ exchange, lotsize }: Lot): boolean => !CASH_EXCHANGES.has(exchange) && lotsize > 0

/** Returns the rule of the lot that a quantity in units breaks; undefined if it keeps it. */
export function lotProblem(units: number, lot: Lot): string | undefined {
  return hasLots(lot) && !isMultiple(units, lot.lotsize) ? `a multiple of the lot, ${lot.lotsize}` : undefined
}
