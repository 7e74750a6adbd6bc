import type { BrokerHolding, BrokerOrder, BrokerPosition } from '../../brokers/broker.js'
import { exactQuantity } from '../../money/index.js'
import type { PositionName } from '../account/positions.js'

/** The products of shares in a demat account, which does not know at which exchange they were bought. */
const DELIVERED: ReadonlySet<string> = new Set(['CNC', 'MTF'])
/** The products whose positions end with the trading day. */
const OF_THE_DAY: ReadonlySet<string> = new Set(['MIS', 'CO', 'BO'])

/** A contract of an account. The exchange is empty for delivered shares: they can be sold at each. */
export type Contract = PositionName

export function contractOf({ exchange, product, symbol }: PositionName): Contract {
  return { exchange: DELIVERED.has(product) ? '' : exchange, product, symbol }
}

export function keyOf({ exchange, product, symbol }: Contract): string {
  return JSON.stringify([exchange, symbol, product])
}

export function endsWithTheDay({ product }: Contract): boolean {
  return OF_THE_DAY.has(product)
}

/** What a broker says about an account at one moment. */
export interface AccountAt {
  positions: readonly BrokerPosition[]
  holdings: readonly BrokerHolding[]
  orders: readonly BrokerOrder[]
}

/** Signed quantities by contract. */
export class Quantities {
  readonly #rows = new Map<string, { contract: Contract; quantity: number }>()

  add(name: PositionName, quantity: number): void {
    const contract = contractOf(name)
    const key = keyOf(contract)
    const before = this.#rows.get(key)?.quantity ?? 0
    this.#rows.set(key, { contract, quantity: exactQuantity(before + quantity) })
  }

  of(contract: Contract): number {
    return this.#rows.get(keyOf(contract))?.quantity ?? 0
  }

  contracts(): Contract[] {
    return [...this.#rows.values()].map(({ contract }) => contract)
  }
}

/**
 * Returns what an account holds of each contract, whenever it was bought: positions, and delivered shares with those that it
 * held when the day began. Only sales of the day change the latter, and they are in the positions.
 */
export function heldIn({ holdings, positions }: AccountAt): Quantities {
  const held = new Quantities()
  for (const row of positions) held.add(row, row.quantity)
  for (const row of holdings) held.add(row, row.openingQuantity)
  return held
}

export function signedFill({
  action,
  filledQuantity,
}: Pick<BrokerOrder, 'action' | 'filledQuantity'>): number {
  return action === 'BUY' ? filledQuantity : -filledQuantity
}
