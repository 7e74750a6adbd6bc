import type { BrokerContext, BrokerGtt } from '../../broker.js'
import { mapped } from '../../kit/books/mapping.js'
import { productOf } from '../orders/rows.js'
import { placeOf, UNITS } from '../units.js'
import { angelTime, type RuleRow } from '../wire.js'
import { STATUS_OF_RULE } from '../words.js'

/** Converts a rule, without its last price. Angel does not say which order it sent. */
export function toGtt(context: BrokerContext, row: RuleRow): BrokerGtt {
  const { contract, ref } = placeOf(context, row)
  return {
    triggerId: row.id,
    type: 'single',
    status: mapped(context, 'rule_status', STATUS_OF_RULE, row.status.toUpperCase(), 'active'),
    ...ref,
    triggerPrices: [row.triggerprice],
    lastPrice: 0,
    legs: [
      {
        action: row.transactiontype,
        quantity: UNITS.unitsOf(contract, row.qty),
        price: row.price,
        priceType: 'LIMIT',
        product: productOf(row.producttype),
      },
    ],
    createdAt: angelTime(row.createddate) || undefined,
    updatedAt: angelTime(row.updateddate) || undefined,
    expiresAt: angelTime(row.expirydate) || undefined,
  }
}
