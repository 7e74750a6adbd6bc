import { csvRecords } from '../../../csv/index.js'
import { ServiceError } from '../../../errors/index.js'
import { type BrokerContext, BrokerError, type BrokerInstruments } from '../../broker.js'
import { textOfFile } from '../../kit/http/response.js'
import { inParts, masterBatches } from '../../kit/master/master-batches.js'
import { masterFile } from '../../kit/master/master-file.js'
import { DEFAULT_ENDPOINTS } from '../manifest.js'
import { type Cell, cellsBy } from './columns.js'
import { instrumentOf } from './rows.js'

/** The file with the underlying of each contract, and the one without. */
const DETAILED = '/api-data/api-scrip-master-detailed.csv'
const COMPACT = '/api-data/api-scrip-master.csv'
/** The first has some forty megabytes. */
const DOWNLOAD_TIMEOUT_MS = 180_000

/** Dhan's master: one file of all exchanges, for which nobody signs in. */
export const instruments: BrokerInstruments = {
  async *download(_session, context) {
    const { call, text } = await masterText(context)
    yield* masterBatches(context.log, { call, parts: inParts(cellsIn(text)), read: instrumentOf })
  },
}

/** Returns the text of the master, and the request that got it. Where the detailed one is missing, the compact one counts. */
async function masterText(context: BrokerContext): Promise<{ call: string; text: string }> {
  const endpoint = context.endpoints.master ?? DEFAULT_ENDPOINTS.master
  const read = async (path: string) => {
    const call = `GET ${path}`
    const answer = await masterFile(context, { endpoint, path, timeoutMs: DOWNLOAD_TIMEOUT_MS })
    return { call, text: await textOfFile(call, answer) }
  }
  try {
    return await read(DETAILED)
  } catch (error) {
    if (!(error instanceof BrokerError) || error.kind !== 'not_found') throw error
    return read(COMPACT)
  }
}

/**
 * Yields the records of a master.
 * @throws ServiceError `validation` if it is no master, or ends within a record
 */
function* cellsIn(text: string): Generator<Cell> {
  const records = csvRecords(text)
  const header = records.next().value?.fields ?? []
  const cells = cellsBy(header)
  let last: readonly string[] = header
  for (const { fields } of records) {
    last = fields
    if (fields.length >= header.length) yield cells(fields)
  }
  // A file that ends within a record has also lost the records after it.
  if (last.length < header.length && !text.endsWith('\n'))
    throw new ServiceError('validation', 'the master is truncated: it ends within a record')
}
