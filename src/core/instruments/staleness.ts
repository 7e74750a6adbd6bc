import { istDate, istInstant } from '../time/index.js'
import type { MasterRecord } from './store.js'

/** IST time of day after which the day's master of an exchange broker is complete. */
const MASTER_CUTOFF = '08:00'

export type StaleReason = 'never_loaded' | 'other_broker' | 'before_cutoff' | 'other_day'

/**
 * Why the master should be fetched anew at this moment, or undefined when it will do: it belongs to another
 * broker, to another day, or was loaded before today's cutoff. A dump the user brought stays until the user
 * replaces it or changes the broker.
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
  // What a generator makes does not change within the day.
  if (record.source === 'generated') return undefined
  const cutoffAt = istInstant(istDate(now), cutoff)
  return now >= cutoffAt && record.loadedAt < cutoffAt ? 'before_cutoff' : undefined
}
