import { csvRecords } from '../../../csv/index.js'
import { ServiceError } from '../../../errors/index.js'
import type { Instrument } from '../../../instruments/schema.js'
import { nextTurn } from '../../../time/index.js'
import { type BrokerContext, BrokerError, type BrokerInstruments } from '../../broker.js'
import { streamedBatches } from '../../kit/books/master-batches.js'
import { BrokerHttp } from '../../kit/http/http.js'
import { errorOfAnswer } from '../../kit/http/outcomes.js'
import { textOfFile } from '../../kit/http/response.js'
import { OUTCOMES } from '../errors.js'
import { DEFAULT_ENDPOINTS } from '../manifest.js'
import { type Cell, cellsBy } from './columns.js'
import { instrumentOf } from './rows.js'

/** The file with the underlying of each contract. */
const PATH = '/api-data/api-scrip-master-detailed.csv'
/** It has some forty megabytes. */
const DOWNLOAD_TIMEOUT_MS = 180_000
/** So many records are read at once. */
const PART = 500

/** Dhan's master: one file of all exchanges, for which nobody signs in. */
export const instruments: BrokerInstruments = {
  async *download(_session, context) {
    const call = `GET ${PATH}`
    const text = await masterText(call, context)
    try {
      yield* streamedBatches<Cell>(context.log, partsOf(text), instrumentOf) satisfies AsyncIterable<
        Instrument[]
      >
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      throw new BrokerError('protocol', `${call}: ${error.message}`, { sent: 'yes' })
    }
  },
}

async function masterText(call: string, { budgets, clock, endpoints }: BrokerContext): Promise<string> {
  const http = new BrokerHttp({
    clock,
    budgets,
    baseUrl: endpoints.master ?? DEFAULT_ENDPOINTS.master,
    headers: { Accept: 'text/csv' },
    secrets: [],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  })
  const answer = await http.send({ method: 'GET', path: PATH })
  if (answer.status !== 200)
    throw errorOfAnswer(OUTCOMES, { call, status: answer.status, refusal: undefined })
  return textOfFile(call, answer)
}

/**
 * Yields the records of a master in parts, so that others come in between.
 * @throws ServiceError `validation` if it is no master, or ends within a record
 */
async function* partsOf(text: string): AsyncGenerator<Cell[]> {
  const records = csvRecords(text)
  const header = records.next().value?.fields ?? []
  const cells = cellsBy(header)
  let part: Cell[] = []
  let last: readonly string[] = header
  for (const { fields } of records) {
    last = fields
    if (fields.length >= header.length) part.push(cells(fields))
    if (part.length < PART) continue
    yield part
    part = []
    await nextTurn()
  }
  // A file that ends within a record has also lost the records after it.
  if (last.length < header.length && !text.endsWith('\n'))
    throw new ServiceError('validation', 'the master is truncated: it ends within a record')
  if (part.length > 0) yield part
}
