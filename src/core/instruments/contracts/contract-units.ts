import type { Exchange } from '../schema.js'

/** What one contract holds and what its price is for, both in the same measure. */
export interface ContractUnits {
  /** Contents of one lot: 1,000 for GOLD (1 kg). */
  perLot: number
  /** Contents that the price is for: 10 for GOLD (priced per 10 g). */
  perPrice: number
  measure: string
}

type Row = readonly [name: string, perLot: number, perPrice: number, measure: string]

/** Commodities from the contract specifications of the MCX. */
// biome-ignore format: one row per contract
const MCX: readonly Row[] = [
  ['GOLD', 1000, 10, 'g'],
  ['GOLDM', 100, 10, 'g'],
  ['GOLDTEN', 10, 10, 'g'],
  ['GOLDGUINEA', 8, 8, 'g'],
  ['GOLDPETAL', 1, 1, 'g'],
  ['SILVER', 30, 1, 'kg'],
  ['SILVERM', 5, 1, 'kg'],
  ['SILVERMIC', 1, 1, 'kg'],
  ['CRUDEOIL', 100, 1, 'bbl'],
  ['CRUDEOILM', 10, 1, 'bbl'],
  ['NATURALGAS', 1250, 1, 'mmBtu'],
  ['NATGASMINI', 250, 1, 'mmBtu'],
  ['COPPER', 2500, 1, 'kg'],
  ['ZINC', 5000, 1, 'kg'],
  ['ZINCMINI', 1000, 1, 'kg'],
  ['ALUMINIUM', 5000, 1, 'kg'],
  ['ALUMINI', 1000, 1, 'kg'],
  ['LEAD', 5000, 1, 'kg'],
  ['LEADMINI', 1000, 1, 'kg'],
  ['NICKEL', 250, 1, 'kg'],
  ['STEELREBAR', 5, 1, 't'],
  ['ELECDMBL', 50, 1, 'MWh'],
  ['MENTHAOIL', 360, 1, 'kg'],
  ['CARDAMOM', 100, 1, 'kg'],
  ['COTTONCNDY', 48, 1, 'candy'],
  ['KAPAS', 4000, 20, 'kg'],
  ['COTTONOIL', 5000, 10, 'kg'],
]

/** Currencies of the NSE and the BSE. Pairs that are priced in another currency than rupees are left out. */
const CURRENCIES: readonly Row[] = [
  ['USDINR', 1000, 1, 'USD'],
  ['EURINR', 1000, 1, 'EUR'],
  ['GBPINR', 1000, 1, 'GBP'],
  ['JPYINR', 100_000, 100, 'JPY'],
]

/** Commodities from the contract specifications of the NSE. */
const NCO: readonly Row[] = [
  ['GOLD', 1000, 10, 'g'],
  ['GOLDM', 100, 10, 'g'],
  ['SILVER', 30, 1, 'kg'],
  ['SILVERM', 5, 1, 'kg'],
  ['SILVERMIC', 1, 1, 'kg'],
  ['ELECMBL', 50, 1, 'MWh'],
]

const byName = (rows: readonly Row[]): ReadonlyMap<string, ContractUnits> =>
  new Map(rows.map(([name, perLot, perPrice, measure]) => [name, { perLot, perPrice, measure }]))

/**
 * The contracts whose units are settled, by exchange and underlying. Brokers count these contracts in different
 * ways and their masters do not say in which. So a contract without a row is shown and never traded. A row needs
 * both figures from the exchange's own specification.
 */
export const CONTRACT_UNITS: ReadonlyMap<string, ReadonlyMap<string, ContractUnits>> = new Map<
  Exchange,
  ReadonlyMap<string, ContractUnits>
>([
  ['MCX', byName(MCX)],
  ['CDS', byName(CURRENCIES)],
  ['BCD', byName(CURRENCIES)],
  ['NCO', byName(NCO)],
])

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
