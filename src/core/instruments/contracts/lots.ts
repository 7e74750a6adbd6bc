import { CONTRACT_UNITS } from './contract-units.js'

/** What decides the units of a quantity: the exchange and the underlying. */
interface Contract {
  exchange: string
  name: string
}

/**
 * Returns whether the lots of an exchange come from the table of contract units, because brokers count its
 * contracts in different ways.
 */
export function hasContractUnits(exchange: string): boolean {
  return CONTRACT_UNITS.has(exchange)
}

/**
 * Returns the lot size of a contract in units of its price: 100 for GOLD, 1 kg priced per 10 g. A quantity in these
 * units times the price is the value in rupees. Undefined where the contract's units are not settled.
 */
export function lotInUnits({ exchange, name }: Contract): number | undefined {
  const units = CONTRACT_UNITS.get(exchange)?.get(name)
  return units && units.perLot / units.perPrice
}

/** Returns why a contract must not be traded: its units are not settled. Undefined for everything that may be. */
export function unsettledContract({ exchange, name }: Contract): string | undefined {
  if (!hasContractUnits(exchange) || lotInUnits({ exchange, name }) !== undefined) return undefined
  return `The contract size of ${name} on ${exchange} is not settled, so the value of an order is unknown: it is shown and cannot be traded`
}
