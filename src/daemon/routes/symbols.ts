import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import {
  EXCHANGES,
  type Instrument,
  type Instruments,
  instrumentRow,
  liveExpiries,
  ROW_COLUMNS,
  searchRow,
} from '../../core/instruments/index.js'
import { contractExchange } from '../../core/options/index.js'
import { type Clock, istDate } from '../../core/time/index.js'
import { fields } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { apiRoute, parseKeyed, plainRefusals, read } from '../http/api-route.js'
import { csvLines, jsonWithRows, streamText } from '../http/stream.js'
import { readApiQuery } from '../middleware/api-key.js'

export interface SymbolRoutesParts {
  identity: Identity
  instruments: Instruments
  clock: Clock
}

const SEARCH_LIMIT = 500

const apikey = fields.apiKeyField()
const exchange = fields.oneOf(EXCHANGES)
const symbolBody = z.strictObject({ apikey, symbol: fields.text(), exchange })
export const searchBody = z.strictObject({ apikey, query: fields.text(), exchange: exchange.optional() })
export const expiryBody = z.strictObject({
  apikey,
  symbol: fields.text(),
  exchange: contractExchange(),
  instrumenttype: fields.oneOf(['futures', 'options']),
})
export const instrumentsQuery = z.object({
  apikey,
  exchange: exchange.optional(),
  format: fields
    .text()
    .transform((format) => format.toLowerCase())
    .pipe(fields.oneOf(['json', 'csv']))
    .default('json'),
})

/** What these endpoints answer, for whoever asks: a request, or a node of a workflow. */
export function symbolReads({ instruments, clock }: Pick<SymbolRoutesParts, 'instruments' | 'clock'>) {
  const { directory } = instruments
  return {
    symbol: read(symbolBody, ({ symbol, exchange }) => {
      const instrument = directory.find(symbol, exchange)
      if (!instrument) {
        throw new ServiceError('not_found', `Symbol ${symbol} not found in exchange ${exchange}`)
      }
      return { data: { id: directory.idOf(symbol, exchange), ...searchRow(directory, instrument) } }
    }),
    expiry: read(expiryBody, ({ symbol, exchange, instrumenttype: kind }) => {
      const given = required('symbol', symbol, 'Symbol parameter is required and cannot be empty')
      const underlying = given.toUpperCase()
      const data = liveExpiries(directory, { exchange, underlying, kind }, istDate(clock.now()))
      const found = data.length === 0 ? 'No expiry dates found' : `Found ${data.length} expiry dates`
      return { message: `${found} for ${underlying} ${kind} in ${exchange}`, data }
    }),
  }
}

/** Instrument endpoints of `/api/v1` (contract, api-market section 3). */
export function symbolRoutes(parts: SymbolRoutesParts): Hono<AppEnv> {
  const { identity, instruments } = parts
  const { directory } = instruments
  const reads = symbolReads(parts)
  return new Hono<AppEnv>()
    .post('/symbol', reads.symbol.route(identity))
    .post(
      '/search',
      apiRoute(identity, searchBody, async ({ query, exchange }) => {
        const text = required('query', query, 'Query parameter is required and cannot be empty')
        const exchanges = exchange && [exchange]
        const { count, rows } = await instruments.search.find({ text, exchanges, limit: SEARCH_LIMIT })
        return {
          message: count === 0 ? 'No matching symbols found' : `Found ${count} matching symbols`,
          data: Array.from(rows, (row) => searchRow(directory, row)),
        }
      }),
    )
    .post('/expiry', reads.expiry.route(identity))
    .get('/instruments', (c) => {
      const answer = () => listInstruments(c, parts)
      return c.req.query('format')?.toLowerCase() === 'csv' ? plainRefusals(c, answer) : answer()
    })
}

/** The whole master, or that of one exchange, as a stream. */
async function listInstruments(
  c: Context<AppEnv>,
  { identity, instruments: { directory } }: SymbolRoutesParts,
): Promise<Response> {
  const { body } = await parseKeyed(identity, instrumentsQuery, readApiQuery(c))
  const { exchange, format } = body
  // Taken now, so that a master that is replaced meanwhile does not mix with its successor.
  const lists = (exchange ? [exchange] : EXCHANGES).map((code) => directory.forExchange(code))
  const counts = directory.countByExchange()
  const total = exchange ? (counts[exchange] ?? 0) : directory.count
  if (format === 'csv') {
    c.header('Content-Disposition', `attachment; filename=instruments_${exchange ?? 'all'}.csv`)
    return streamText(c, 'text/csv', csvLines(ROW_COLUMNS, rowsOf(lists)))
  }
  const message = total === 0 ? 'No instruments found' : `Found ${total} instruments`
  const head = { status: 'success', message }
  return streamText(c, 'application/json', jsonWithRows(head, 'data', rowsOf(lists)))
}

function* rowsOf(lists: readonly Iterable<Instrument>[]) {
  for (const list of lists) for (const instrument of list) yield instrumentRow(instrument)
}

function required(field: string, value: string, text: string): string {
  const trimmed = value.trim()
  if (trimmed !== '') return trimmed
  throw new ServiceError('validation', text, { errors: { [field]: [text] } })
}
