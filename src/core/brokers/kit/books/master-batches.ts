import { ServiceError } from '../../../errors/index.js'
import type { Instrument } from '../../../instruments/schema.js'
import type { Logger } from '../../../logging/index.js'
import { BrokerError } from '../../broker.js'

const BATCH = 5000

/**
 * Returns the instruments of a master in batches. Rows that cannot be used are counted and logged once.
 * @param call names the request in errors
 * @param rows yields the instruments, and calls its argument for each row that it leaves out
 * @throws BrokerError `protocol` if the file is not a master, or ends within a row
 */
export function* masterBatches(
  call: string,
  log: Pick<Logger, 'warn'>,
  rows: (onUnusable: () => void) => Iterable<Instrument>,
): Generator<Instrument[]> {
  let unusable = 0
  let batch: Instrument[] = []
  try {
    for (const row of rows(() => {
      unusable += 1
    })) {
      batch.push(row)
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new BrokerError('protocol', `${call}: ${error.message}`, { sent: 'yes' })
  }
  if (batch.length > 0) yield batch
  if (unusable > 0) log.warn('broker.unusable_instruments', { rows: unusable })
}
