import { ServiceError } from '../../../errors/index.js'
import { rowFault } from '../../../instruments/index.js'
import { CASH_EXCHANGES, type Instrument } from '../../../instruments/schema.js'
import type { Logger } from '../../../logging/index.js'
import { nextTurn } from '../../../time/index.js'
import { BrokerError } from '../../broker.js'

const BATCH = 5000
/** So many rows are read at once. */
const PART = 500
/** So many reasons are logged. */
const EXAMPLES = 3

/** Reads one row of a broker's file: an instrument, undefined for a row that is left out on purpose, or why it cannot be used. */
export type RowReader<Row> = (row: Row) => Instrument | string | undefined

/** What the rows so far have named. */
interface Listed {
  symbols: Set<string>
  tokens: Set<string>
}

/** A broker's file, as it is read. */
interface MasterRows<Row> {
  /** Names the request in errors. */
  call: string
  /** The rows, in parts. Nobody is held up between two of them. */
  parts: AsyncIterable<readonly Row[]>
  read: RowReader<Row>
}

/**
 * Returns the instruments of a master in batches. Rows that cannot be used, and symbols and tokens that are listed already, are
 * left out, counted and logged once.
 * @throws BrokerError `protocol` if the file is not a master, or ends within a row
 */
export async function* masterBatches<Row>(
  log: Pick<Logger, 'warn'>,
  { call, parts, read }: MasterRows<Row>,
): AsyncGenerator<Instrument[]> {
  const listed: Listed = { symbols: new Set(), tokens: new Set() }
  const unusable: string[] = []
  let batch: Instrument[] = []
  let left = 0
  for await (const part of readable(call, parts)) {
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

/** Gives the rows of a text in parts, so that others come in between. */
export async function* inParts<Row>(rows: Iterable<Row>): AsyncGenerator<Row[]> {
  let part: Row[] = []
  for (const row of rows) {
    part.push(row)
    if (part.length < PART) continue
    yield part
    part = []
    await nextTurn()
  }
  if (part.length > 0) yield part
}

/** What a parser finds wrong with the whole file is an error of the broker here, and names the request. */
async function* readable<Row>(call: string, parts: AsyncIterable<readonly Row[]>) {
  try {
    yield* parts
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new BrokerError('protocol', `${call}: ${error.message}`, { sent: 'yes' })
  }
}

/**
 * A token of two contracts would name one in the broker's books after the other. In the cash market two series of one share may
 * have the same, and both stay: which of them comes first is left to the file.
 */
function repetition(row: Instrument, listed: Listed): string | undefined {
  const { brokerExchange, exchange, symbol, token } = row
  const [bySymbol, byToken] = [`${exchange}:${symbol}`, `${brokerExchange}:${token}`]
  if (listed.symbols.has(bySymbol)) return `${symbol} on ${exchange} is listed twice`
  if (listed.tokens.has(byToken) && !CASH_EXCHANGES.has(exchange))
    return `${symbol} on ${exchange} has the token ${token} of another row of ${brokerExchange}`
  listed.symbols.add(bySymbol)
  listed.tokens.add(byToken)
  return undefined
}
