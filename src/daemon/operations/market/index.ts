import {
  multiOptionGreeksPayload,
  optionChainPayload,
  optionGreeksPayload,
  optionSymbolPayload,
  syntheticFuturePayload,
} from '../../../core/options/index.js'
import { noFields } from '../common/payloads.js'
import { keyed } from '../running.js'
import * as answers from './answers.js'
import {
  checkHolidayPayload,
  expiryPayload,
  historyPayload,
  holidaysPayload,
  instrumentsQuery,
  multiQuotesPayload,
  searchPayload,
  symbolPayload,
  tickerQuery,
  timingsPayload,
} from './payloads.js'

const market = keyed('Market data', 'data')
const instruments = keyed('Instruments', 'data')
const options = keyed('Options', 'data')
const greeks = keyed('Options', 'greeks')
const calendar = keyed('Calendar', 'api')

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

export const MARKET_OPERATIONS = {
  'POST /api/v1/quotes': market('Returns the quote of one symbol.', {
    body: symbolPayload,
    example: SBIN,
    answer: answers.quotes,
    errors: broker,
    loggedAs: 'quotes',
  }),
  'POST /api/v1/multiquotes': market('Returns the quotes of many symbols, failed ones first.', {
    body: multiQuotesPayload,
    example: { symbols: [SBIN, { symbol: 'INFY', exchange: 'NSE' }] },
    answer: answers.multiQuotes,
    sentAgain: true,
    errors: broker,
  }),
  'POST /api/v1/depth': market('Returns five levels of the order book of one symbol.', {
    body: symbolPayload,
    example: SBIN,
    answer: answers.depth,
    errors: broker,
    loggedAs: 'depth',
  }),
  'POST /api/v1/history': market('Returns the bars of one symbol.', {
    body: historyPayload,
    example: { ...SBIN, interval: '1h', start_date: '2026-11-19', end_date: '2026-11-20' },
    answer: answers.candles,
    errors: broker,
    loggedAs: 'history',
  }),
  'POST /api/v1/intervals': market('Lists the bar intervals.', {
    body: noFields,
    answer: answers.intervals,
  }),
  'GET /api/v1/ticker/:ticker': market('Returns the bars of one symbol, as JSON or as lines of text.', {
    params: { ticker: 'EXCHANGE:SYMBOL, such as NSE:SBIN.' },
    query: tickerQuery,
    example: { from: '2026-11-10', to: '2026-11-20', interval: 'D' },
    answer: answers.candles,
    answerText: 'text/plain',
    errors: broker,
  }),
  'POST /api/v1/symbol': instruments('Returns one instrument.', {
    body: symbolPayload,
    example: CALL,
    answer: answers.symbol,
    errors: ['not_found'],
  }),
  'POST /api/v1/search': instruments('Finds instruments by words.', {
    limit: 'search',
    body: searchPayload,
    example: { query: 'nifty 26000' },
    answer: answers.search,
  }),
  'POST /api/v1/expiry': instruments('Lists the expiries of an underlying.', {
    body: expiryPayload,
    example: { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options' },
    answer: answers.expiry,
  }),
  'GET /api/v1/instruments': instruments('Lists all instruments or those of one exchange, as JSON or CSV.', {
    query: instrumentsQuery,
    example: { exchange: 'NSE' },
    answer: answers.instruments,
    answerText: 'text/csv',
  }),
  'POST /api/v1/optionsymbol': options('Returns the option at an offset from the money.', {
    body: optionSymbolPayload,
    example: { ...NIFTY, offset: 'ATM', option_type: 'CE' },
    answer: answers.optionSymbol,
    errors: broker,
  }),
  'POST /api/v1/optionchain': options(
    'Returns the option chain of one expiry with quotes, and with Greeks on request.',
    {
      body: optionChainPayload,
      example: { ...NIFTY, strike_count: 5, with_greeks: true },
      answer: answers.optionChain,
      errors: broker,
    },
  ),
  'POST /api/v1/syntheticfuture': options(
    'Computes the price of a synthetic future: a long call and a short put at the money.',
    {
      body: syntheticFuturePayload,
      example: NIFTY,
      answer: answers.syntheticFuture,
      errors: broker,
    },
  ),
  'POST /api/v1/optiongreeks': greeks('Computes Greeks and implied volatility of one option.', {
    body: optionGreeksPayload,
    example: { ...CALL, underlying_symbol: 'NIFTY', underlying_exchange: 'NSE_INDEX' },
    answer: answers.optionGreeks,
    errors: broker,
  }),
  'POST /api/v1/multioptiongreeks': options('Computes Greeks of up to 50 options.', {
    body: multiOptionGreeksPayload,
    example: { symbols: [CALL, { symbol: 'NIFTY23NOV2626000PE', exchange: 'NFO' }] },
    answer: answers.multiOptionGreeks,
    errors: broker,
  }),
  'POST /api/v1/market/holidays': calendar('Lists the holidays of a year.', {
    body: holidaysPayload,
    example: { year: 2026 },
    answer: answers.holidays,
  }),
  'POST /api/v1/market/timings': calendar('Lists the trading hours of a day.', {
    body: timingsPayload,
    example: { date: '2026-11-20' },
    answer: answers.timings,
  }),
  'POST /api/v1/checkholiday': calendar('Returns whether a day is a holiday.', {
    body: checkHolidayPayload,
    example: { date: '2026-11-20', exchange: 'NSE' },
    answer: answers.holiday,
  }),
}
