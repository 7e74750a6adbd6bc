import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { EXCHANGES, liveExpiries, searchRow } from '../../../core/instruments/index.js'
import { contractExchange, liveAt } from '../../../core/options/index.js'
import { fields } from '../../../core/validation/index.js'
import { amount, count, message, ok, text } from '../common/answers.js'
import { keyed } from '../reads.js'
import { symbolPayload } from './prices.js'

const instrument = keyed('Instruments', 'data')

const SEARCH_LIMIT = 500

export const searchPayload = z.strictObject({
  query: fields.text(),
  exchange: fields.oneOf(EXCHANGES).optional(),
})
const expiryPayload = z.strictObject({
  symbol: fields.text(),
  exchange: contractExchange(),
  instrumenttype: fields.oneOf(['futures', 'options']),
})
export const listedFields = {
  symbol: text,
  exchange: text,
  brsymbol: text,
  name: text,
  brexchange: text,
  token: text,
  expiry: text.meta({ description: 'DD-MMM-YY, or empty.' }),
  strike: amount,
  lotsize: amount,
  instrumenttype: text,
  tick_size: amount,
}
export const foundFields = { ...listedFields, freeze_qty: amount }

const symbol = ok({ data: z.strictObject({ id: count, ...foundFields }) })
export const search = ok({ message, data: z.array(z.strictObject(foundFields)) })
const expiry = ok({ message, data: z.array(text) })

/** One instrument by symbol, a text search, and the expiries of an underlying. */
export const SYMBOL_OPERATIONS = {
  'POST /api/v1/symbol': instrument('Returns one instrument.', {
    body: symbolPayload,
    example: { symbol: 'NIFTY23NOV2626000CE', exchange: 'NFO' },
    answer: symbol,
    errors: ['not_found'],
    tool: {
      name: 'get_symbol_info',
      title: 'Get an instrument',
      scope: 'read:market',
      toolset: 'marketdata',
      defaults: { exchange: 'NSE' },
    },
    run: ({ instruments: { directory } }, { body: { symbol, exchange } }) => {
      const found = directory.find(symbol, exchange)
      const id = directory.idOf(symbol, exchange)
      if (!found || id === undefined) {
        throw new ServiceError('not_found', `Symbol ${symbol} not found in exchange ${exchange}`)
      }
      return { status: 'success', data: { id, ...searchRow(directory, found) } }
    },
  }),
  'POST /api/v1/search': instrument('Finds instruments by words.', {
    limit: 'search',
    body: searchPayload,
    example: { query: 'nifty 26000' },
    answer: search,
    run: async ({ instruments: { directory, search } }, { body: { query, exchange } }) => {
      const text = required('query', query, 'Query parameter is required and cannot be empty')
      const exchanges = exchange && [exchange]
      const { count, rows } = await search.find({ text, exchanges, limit: SEARCH_LIMIT })
      return {
        status: 'success',
        message: count === 0 ? 'No matching symbols found' : `Found ${count} matching symbols`,
        data: Array.from(rows, (row) => searchRow(directory, row)),
      }
    },
  }),
  'POST /api/v1/expiry': instrument('Lists the expiries of an underlying.', {
    body: expiryPayload,
    example: { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options' },
    answer: expiry,
    tool: {
      name: 'get_expiry_dates',
      title: 'List expiries',
      scope: 'read:market',
      toolset: 'marketdata',
      names: { instrument_type: 'instrumenttype' },
      defaults: { exchange: 'NFO', instrument_type: 'options' },
    },
    run: (
      { calendar, clock, instruments: { directory } },
      { body: { symbol, exchange, instrumenttype: kind } },
    ) => {
      const given = required('symbol', symbol, 'Symbol parameter is required and cannot be empty')
      const underlying = given.toUpperCase()
      const data = liveExpiries(directory, { exchange, underlying, kind }, liveAt(calendar, clock.now()))
      const found = data.length === 0 ? 'No expiry dates found' : `Found ${data.length} expiry dates`
      return { status: 'success', message: `${found} for ${underlying} ${kind} in ${exchange}`, data }
    },
  }),
}

function required(field: string, value: string, text: string): string {
  const trimmed = value.trim()
  if (trimmed !== '') return trimmed
  throw new ServiceError('validation', text, { errors: { [field]: [text] } })
}
