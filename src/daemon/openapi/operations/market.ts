import {
  multiOptionGreeksBody,
  optionChainBody,
  optionGreeksBody,
  optionSymbolBody,
  syntheticFutureBody,
} from '../../../core/options/index.js'
import { checkBody, holidaysBody, timingsBody } from '../../routes/calendar.js'
import { historyBody, intervalsBody, multiQuotesBody, symbolBody, tickerQuery } from '../../routes/market.js'
import { expiryBody, instrumentsQuery, searchBody } from '../../routes/symbols.js'
import { keyed, type Operation } from '../operation.js'
import * as answers from '../responses/market.js'

const market = keyed('Market data')
const instruments = keyed('Instruments')
const options = keyed('Options')
const calendar = keyed('Calendar')

const broker = [
  'refused',
  'not_found',
  'unsupported',
  'broker_rejected',
  'broker_missing',
  'broker_protocol',
] as const
const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const NIFTY = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '23NOV26' }
const CALL = { symbol: 'NIFTY23NOV2626000CE', exchange: 'NFO' }

export const MARKET_OPERATIONS: readonly Operation[] = [
  market('POST', '/api/v1/quotes', 'The quote of one symbol.', {
    body: symbolBody,
    example: SBIN,
    answer: answers.quotes,
    errors: broker,
  }),
  market('POST', '/api/v1/multiquotes', 'Quotes of many symbols; what failed comes first.', {
    body: multiQuotesBody,
    example: { symbols: [SBIN, { symbol: 'INFY', exchange: 'NSE' }] },
    answer: answers.multiQuotes,
    errors: broker,
  }),
  market('POST', '/api/v1/depth', 'The order book of one symbol: five levels.', {
    body: symbolBody,
    example: SBIN,
    answer: answers.depth,
    errors: broker,
  }),
  market('POST', '/api/v1/history', 'Bars of one symbol.', {
    body: historyBody,
    example: { ...SBIN, interval: '1h', start_date: '2026-11-19', end_date: '2026-11-20' },
    answer: answers.candles,
    errors: broker,
  }),
  market('POST', '/api/v1/intervals', 'The intervals that history knows.', {
    body: intervalsBody,
    answer: answers.intervals,
  }),
  market('GET', '/api/v1/ticker/:ticker', 'Bars of one symbol, as JSON or as lines of text.', {
    params: { ticker: 'EXCHANGE:SYMBOL, such as NSE:SBIN.' },
    query: tickerQuery,
    example: { from: '2026-11-10', to: '2026-11-20', interval: 'D' },
    answer: answers.candles,
    answerText: 'text/plain',
    errors: broker,
  }),
  instruments('POST', '/api/v1/symbol', 'One instrument.', {
    body: symbolBody,
    example: CALL,
    answer: answers.symbol,
    errors: ['not_found'],
  }),
  instruments('POST', '/api/v1/search', 'Instruments by words.', {
    body: searchBody,
    example: { query: 'nifty 26000' },
    answer: answers.search,
  }),
  instruments('POST', '/api/v1/expiry', 'The expiries of an underlying.', {
    body: expiryBody,
    example: { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options' },
    answer: answers.expiry,
  }),
  instruments('GET', '/api/v1/instruments', 'Every instrument, or those of one exchange, as JSON or CSV.', {
    query: instrumentsQuery,
    example: { exchange: 'NSE' },
    answer: answers.instruments,
    answerText: 'text/csv',
  }),
  options('POST', '/api/v1/optionsymbol', 'The option at an offset from the money.', {
    body: optionSymbolBody,
    example: { ...NIFTY, offset: 'ATM', option_type: 'CE' },
    answer: answers.optionSymbol,
    errors: broker,
  }),
  options(
    'POST',
    '/api/v1/optionchain',
    'The chain of one expiry with quotes, and with Greeks if asked for.',
    {
      body: optionChainBody,
      example: { ...NIFTY, strike_count: 5, with_greeks: true },
      answer: answers.optionChain,
      errors: broker,
    },
  ),
  options('POST', '/api/v1/syntheticfuture', 'The future that call and put at the money make.', {
    body: syntheticFutureBody,
    example: NIFTY,
    answer: answers.syntheticFuture,
    errors: broker,
  }),
  options('POST', '/api/v1/optiongreeks', 'Greeks and implied volatility of one option.', {
    body: optionGreeksBody,
    example: { ...CALL, underlying_symbol: 'NIFTY', underlying_exchange: 'NSE_INDEX' },
    answer: answers.optionGreeks,
    errors: broker,
  }),
  options('POST', '/api/v1/multioptiongreeks', 'Greeks of up to 50 options.', {
    body: multiOptionGreeksBody,
    example: { symbols: [CALL, { symbol: 'NIFTY23NOV2626000PE', exchange: 'NFO' }] },
    answer: answers.multiOptionGreeks,
    errors: broker,
  }),
  calendar('POST', '/api/v1/market/holidays', 'The holidays of a year.', {
    body: holidaysBody,
    example: { year: 2026 },
    answer: answers.holidays,
  }),
  calendar('POST', '/api/v1/market/timings', 'The trading hours of a day.', {
    body: timingsBody,
    example: { date: '2026-11-20' },
    answer: answers.timings,
  }),
  calendar('POST', '/api/v1/checkholiday', 'Whether a day is a holiday.', {
    body: checkBody,
    example: { date: '2026-11-20', exchange: 'NSE' },
    answer: answers.holiday,
  }),
]
