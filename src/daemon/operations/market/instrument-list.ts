import type { Context } from 'hono'
import { z } from 'zod'
import { EXCHANGES, type Instrument, instrumentRow, ROW_COLUMNS } from '../../../core/instruments/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { readingInput, refuseInPlainText } from '../../http/api-route.js'
import { byteOrderMark } from '../../http/response/csv-file.js'
import { csvLines, jsonWithRows, streamText } from '../../http/response/stream.js'
import { readApiQuery } from '../../middleware/api-key.js'
import type { AppEnv } from '../../process/env.js'
import { message, ok } from '../common/answers.js'
import { csvFile } from '../common/payloads.js'
import { http, keyed } from '../running.js'
import { listedFields } from './symbols.js'

const instrumentsQuery = z.object({
  exchange: fields.oneOf(EXCHANGES).optional(),
  format: fields
    .text()
    .transform((format) => format.toLowerCase())
    .pipe(fields.oneOf(['json', 'csv']))
    .default('json'),
  ...csvFile,
})

export const instrumentList = ok({ message, data: z.array(z.strictObject(listedFields)) })

/** The instruments as a stream. */
export const INSTRUMENT_LIST_OPERATIONS = {
  'GET /api/v1/instruments': keyed('Instruments', 'data')(
    'Lists all instruments or those of one exchange, as JSON or CSV.',
    {
      query: instrumentsQuery,
      example: { exchange: 'NSE' },
      answer: instrumentList,
      answerText: 'text/csv',
      run: http('a stream', (service, c) => {
        const answer = () => listInstruments(c, service)
        return c.req.query('format')?.toLowerCase() === 'csv' ? refuseInPlainText(c, answer) : answer()
      }),
    },
  ),
}

/** Streams the instruments of all exchanges or of one. */
async function listInstruments(
  c: Context<AppEnv>,
  { identity, instruments: { directory } }: RunningService,
): Promise<Response> {
  const { payload } = await readingInput(c, identity, instrumentsQuery, readApiQuery(c))
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
