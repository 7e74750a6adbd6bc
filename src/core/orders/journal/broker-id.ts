import type { JournalRow } from './journal.js'

/**
 * Returns the id by which a broker knows the order of a journal row; undefined for the order of another
 * broker, and for one without an id.
 */
export function orderIdAt(broker: string, row: Pick<JournalRow, 'broker' | 'orderId'>): string | undefined {
  return row.broker === broker ? (row.orderId ?? undefined) : undefined
}
