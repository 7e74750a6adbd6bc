import { ServiceError } from '../../../errors/index.js'
import { rowFault } from '../../../instruments/index.js'
import type { Instrument } from '../../../instruments/schema.js'
import type { Logger } from '../../../logging/index.js'
import { BrokerError } from '../../broker.js'

const BATCH = 5000
/** So many reasons are logged. */
const EXAMPLES = 3

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

/** Reads one row of a broker's file: an instrument, undefined for a row that is left out on purpose, or why it cannot be used. */
export type RowReader<Row> = (row: Row) => Instrument | string | undefined

/**
 * Returns the instruments of a file that arrives in parts, in batches, without holding up anybody else between two parts. Rows
 * that cannot be used, and symbols that are listed already, are counted and logged once.
 */
export async function* streamedBatches<Row>(
  log: Pick<Logger, 'warn'>,
  parts: AsyncIterable<readonly Row[]>,
  read: RowReader<Row>,
): AsyncGenerator<Instrument[]> {
  const listed = new Set<string>()
  const unusable: string[] = []
  let batch: Instrument[] = []
  let left = 0
  for await (const part of parts) {
    for (const row of part) {
      const found = read(row)
      if (found === undefined) continue
      const fault = typeof found === 'string' ? found : (rowFault(found) ?? repetition(found, listed))
      if (fault !== undefined || typeof found === 'string') {
        left += 1
        if (fault !== undefined && unusable.length < EXAMPLES) unusable.push(fault)
      } else batch.push(found)
    }
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
  if (left > 0) log.warn('broker.unusable_instruments', { rows: left, examples: unusable })
}

function repetition({ exchange, symbol }: Instrument, listed: Set<string>): string | undefined {
  const key = `${exchange}:${symbol}`
  if (listed.has(key)) return `${symbol} on ${exchange} is listed twice`
  listed.add(key)
  return undefined
}
