import type { Context } from 'hono'
import type { Identity } from '../../../core/identity/index.js'
import {
  EXCHANGES,
  type Instrument,
  type Instruments,
  instrumentRow,
  ROW_COLUMNS,
} from '../../../core/instruments/index.js'
import { keyedInput, refuseInPlainText } from '../../http/api-route.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { csvLines, jsonWithRows, streamText } from '../../http/response/stream.js'
import { readApiQuery } from '../../middleware/api-key.js'
import { instrumentsQuery } from '../../operations/market/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { byteOrderMark } from '../logs/csv-file.js'

interface InstrumentListParts {
  identity: Identity
  instruments: Instruments
}

/** Returns the handler that streams the instruments as JSON or CSV. */
export function instrumentListHandlers(parts: InstrumentListParts) {
  return {
    'GET /api/v1/instruments': httpHandler((c) => {
      const answer = () => listInstruments(c, parts)
      return c.req.query('format')?.toLowerCase() === 'csv' ? refuseInPlainText(c, answer) : answer()
    }),
  } satisfies Partial<Handlers>
}

/** Streams the instruments of all exchanges or of one. */
async function listInstruments(
  c: Context<AppEnv>,
  { identity, instruments: { directory } }: InstrumentListParts,
): Promise<Response> {
  const { payload } = await keyedInput(identity, instrumentsQuery, readApiQuery(c))
  const { exchange, format } = payload
  // The list is read once, so that a master replaced during the stream does not mix with the new one.
  const lists = (exchange ? [exchange] : EXCHANGES).map((code) => directory.forExchange(code))
  const counts = directory.countByExchange()
  const total = exchange ? (counts[exchange] ?? 0) : directory.count
  if (format === 'csv') {
    c.header('Content-Disposition', `attachment; filename=instruments_${exchange ?? 'all'}.csv`)
    return streamText(c, 'text/csv; charset=utf-8', csvLines(ROW_COLUMNS, rowsOf(lists), byteOrderMark(c)))
  }
  const message = total === 0 ? 'No instruments found' : `Found ${total} instruments`
  const head = { status: 'success', message }
  return streamText(c, 'application/json', jsonWithRows(head, 'data', rowsOf(lists)))
}

function* rowsOf(lists: readonly Iterable<Instrument>[]) {
  for (const list of lists) for (const instrument of list) yield instrumentRow(instrument)
}
