import type { Instrument } from '../../../instruments/schema.js'
import { type Contract, Units } from '../../kit/books/units.js'

/** Kite counts lots on these exchanges, and its dump does not say how large they are. */
export const UNITS = new Units(new Set(['MCX', 'CDS', 'BCD', 'NCO']))

/** Returns whether Kite counts lots of a contract. */
export function isCountedInLots(contract: Contract): boolean {
  return UNITS.isCountedInLots(contract)
}

/** Returns Kite's count for a quantity in units: see {@link Units.brokerCount}. */
export function kiteCount(instrument: Instrument, units: number, field?: string): number {
  return UNITS.brokerCount(instrument, units, field)
}

/** Returns the units of a quantity that Kite sent: see {@link Units.unitsOf}. */
export function unitsOf(contract: Contract, count: number): number {
  return UNITS.unitsOf(contract, count)
}
