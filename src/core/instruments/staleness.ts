import { istDate, istInstant } from '../time/index.js'
import type { MasterRecord } from './store.js'

/** IST time of day after which a broker's master of the day is complete. */
const MASTER_CUTOFF = '08:00'

export type StaleReason = 'never_loaded' | 'other_broker' | 'before_cutoff' | 'other_day'

/**
 * Returns why the master needs to be fetched again, or undefined if it is current. A master is stale if it
 * belongs to another broker or another day, or was loaded before today's cutoff. A dump that the user
 * imported never becomes stale with time: it stays until the user replaces it or changes the broker.
 */
export function staleReason(
  record: MasterRecord | undefined,
  brokerId: string,
  now: number,
  cutoff: string = MASTER_CUTOFF,
): StaleReason | undefined {
  if (!record) return 'never_loaded'
  if (record.brokerId !== brokerId) return 'other_broker'
  if (record.source === 'file') return undefined
  if (record.generatedFor !== istDate(now)) return 'other_day'
  // A generated master does not change within the day.
  if (record.source === 'generated') return undefined
  const cutoffAt = istInstant(istDate(now), cutoff)
  return now >= cutoffAt && record.loadedAt < cutoffAt ? 'before_cutoff' : undefined
}
