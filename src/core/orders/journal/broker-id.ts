import type { JournalRow } from './journal.js'

/**
 * Returns the id by which a broker knows the order of a journal row; undefined for the order of another broker, for one
 * without an id, and for a GTT, whose id is no order id.
 */
export function orderIdAt(
  broker: string,
  row: Pick<JournalRow, 'broker' | 'operation' | 'orderId'>,
): string | undefined {
  if (row.broker !== broker || row.operation === 'placegttorder') return undefined
  return row.orderId ?? undefined
}
