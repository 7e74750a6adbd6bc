import { lotInUnits, unsettledContract } from '../../instruments/index.js'
import type { Instrument } from '../../instruments/schema.js'
import type { Depth } from '../../market/schema.js'
import { isMultipleOf } from '../../money/index.js'
import { notSent } from './errors.js'

/*
 * Quantities are units of the price inside the service. Kite counts lots on some exchanges, and its dump does not
 * say how large they are. These two functions convert every quantity that crosses the wire.
 */

/** What decides the units of a quantity: an instrument, or the exchange and underlying of a row. */
export interface Contract {
  exchange: string
  name: string
}

/** The exchanges on which Kite counts lots. On the others it counts units, as the service does. */
const IN_LOTS: ReadonlySet<string> = new Set(['MCX', 'CDS', 'BCD', 'NCO'])

/** Returns whether Kite counts lots of a contract. */
export function isCountedInLots({ exchange }: Contract): boolean {
  return IN_LOTS.has(exchange)
}

/**
 * Returns Kite's count for a quantity in units.
 * @throws BrokerError, never sent: `unsupported` for a contract whose units are not settled, `validation` for a
 * quantity that is not a whole number of lots
 */
export function kiteCount(instrument: Instrument, units: number, field = 'Quantity'): number {
  if (!IN_LOTS.has(instrument.exchange)) return units
  const unsettled = unsettledContract(instrument)
  if (unsettled !== undefined) throw notSent('unsupported', `${unsettled}.`)
  const lot = lotInUnits(instrument) ?? 1
  if (instrument.lotSize !== lot) {
    const stored = `The instrument list has a lot size of ${instrument.lotSize} for ${instrument.symbol}, not ${lot}.`
    throw notSent('validation', `${stored} Load the list again with: svc broker sync`)
  }
  if (!isMultipleOf(units, lot)) {
    throw notSent('validation', `${field} must be in multiples of lot size ${lot}`)
  }
  return Math.round(units / lot)
}

/**
 * Returns the units of a quantity that Kite sent. A contract whose units are not settled keeps Kite's count: it
 * cannot be traded, and its row stays visible.
 */
export function unitsOf(contract: Contract, count: number): number {
  return IN_LOTS.has(contract.exchange) ? count * (lotInUnits(contract) ?? 1) : count
}

/** Returns an order book that Kite sent with its quantities in units. */
export function depthInUnits(contract: Contract, depth: Depth): Depth {
  if (unitsOf(contract, 1) === 1) return depth
  const side = (levels: Depth['buy']) =>
    levels.map((level) => ({ ...level, quantity: unitsOf(contract, level.quantity) }))
  return { buy: side(depth.buy), sell: side(depth.sell) }
}
