import type { Calendar } from '../../../core/calendar/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { type Instruments, liveExpiries, searchRow } from '../../../core/instruments/index.js'
import { liveAt } from '../../../core/options/index.js'
import type { Clock } from '../../../core/time/index.js'
import type { Handlers } from '../../http/handlers.js'

interface SymbolParts {
  instruments: Instruments
  calendar: Pick<Calendar, 'sessionOf'>
  clock: Clock
}

const SEARCH_LIMIT = 500

/**
 * Returns the handlers for one instrument by symbol, for a text search and for the expiries of an underlying.
 */
export function symbolHandlers({ calendar, instruments, clock }: SymbolParts) {
  const { directory } = instruments
  return {
    'POST /api/v1/symbol': ({ body: { symbol, exchange } }) => {
      const instrument = directory.find(symbol, exchange)
      const id = directory.idOf(symbol, exchange)
      if (!instrument || id === undefined) {
        throw new ServiceError('not_found', `Symbol ${symbol} not found in exchange ${exchange}`)
      }
      return { status: 'success', data: { id, ...searchRow(directory, instrument) } }
    },
    'POST /api/v1/search': async ({ body: { query, exchange } }) => {
      const text = required('query', query, 'Query parameter is required and cannot be empty')
      const exchanges = exchange && [exchange]
      const { count, rows } = await instruments.search.find({ text, exchanges, limit: SEARCH_LIMIT })
      return {
        status: 'success',
        message: count === 0 ? 'No matching symbols found' : `Found ${count} matching symbols`,
        data: Array.from(rows, (row) => searchRow(directory, row)),
      }
    },
    'POST /api/v1/expiry': ({ body: { symbol, exchange, instrumenttype: kind } }) => {
      const given = required('symbol', symbol, 'Symbol parameter is required and cannot be empty')
      const underlying = given.toUpperCase()
      const data = liveExpiries(directory, { exchange, underlying, kind }, liveAt(calendar, clock.now()))
      const found = data.length === 0 ? 'No expiry dates found' : `Found ${data.length} expiry dates`
      return { status: 'success', message: `${found} for ${underlying} ${kind} in ${exchange}`, data }
    },
  } satisfies Partial<Handlers>
}

function required(field: string, value: string, text: string): string {
  const trimmed = value.trim()
  if (trimmed !== '') return trimmed
  throw new ServiceError('validation', text, { errors: { [field]: [text] } })
}
