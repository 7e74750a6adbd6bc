import type { BrokerOrder } from '../../broker.js'

/** Returns how many units of an order the market sees, for its row; nothing for an order that it sees all of. */
export function disclosedOf(units: number): Pick<BrokerOrder, 'disclosedQuantity'> {
  return units > 0 ? { disclosedQuantity: units } : {}
}
