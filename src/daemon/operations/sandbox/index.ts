import { z } from 'zod'
import { messageOnly } from '../common/answers.js'
import { csvFileQuery } from '../common/payloads.js'
import * as market from '../market/answers.js'
import { signedIn } from '../running.js'
import * as answers from './answers.js'
import { followPayload, settingPayload } from './payloads.js'

const sandbox = signedIn('Sandbox', 'api')
const stream = signedIn('Stream', 'api')
const search = signedIn('Search')

const reading = { scopes: ['read', 'settings'] } as const
const changing = { scopes: ['settings'] } as const
const read = { scopes: ['read'] } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const

const optional = z.string().optional()
const FOLLOW = { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }], mode: 'Quote' }

export const SANDBOX_OPERATIONS = {
  'GET /sandbox/api/configs': sandbox('Lists the sandbox settings by group.', {
    ...reading,
    answer: answers.configs,
  }),
  'POST /sandbox/update': sandbox('Changes a sandbox setting.', {
    ...changing,
    body: settingPayload,
    example: { config_key: 'equity_mis_leverage', config_value: '5' },
    answer: messageOnly,
    errors: json,
  }),
  'POST /sandbox/reset': sandbox('Resets the simulated account and its settings.', {
    ...changing,
    answer: messageOnly,
  }),
  'POST /sandbox/reload-squareoff': sandbox('Reloads the square-off times.', {
    ...changing,
    answer: messageOnly,
  }),
  'GET /sandbox/squareoff-status': sandbox('Returns the schedule of the sandbox jobs.', {
    ...reading,
    answer: answers.schedule,
  }),
  'GET /sandbox/mypnl/api/data': sandbox('Returns profit and history.', { ...reading, answer: answers.pnl }),
  'GET /sandbox/mypnl/export/:kind': sandbox('Exports profit and history as a CSV file.', {
    ...reading,
    params: { kind: 'daily, positions, holdings or trades.' },
    query: csvFileQuery,
    answerText: 'text/csv',
    errors: ['not_found', 'validation'],
  }),
  'GET /api/websocket/config': stream('Returns the address of the market stream.', {
    ...reading,
    answer: answers.streamConfig,
  }),
  'GET /api/websocket/apikey': stream('Returns the API key for the market stream.', {
    scopes: ['admin'],
    fresh: true,
    answer: answers.streamKey,
    errors: ['not_found'],
  }),
  'GET /api/websocket/status': stream('Returns the state of the market stream.', {
    ...reading,
    answer: answers.streamStatus,
  }),
  'GET /api/websocket/subscriptions': stream('Lists the subscriptions of the session.', {
    ...reading,
    answer: answers.subscriptions,
  }),
  'POST /api/websocket/subscribe': stream('Subscribes to symbols.', {
    ...changing,
    body: followPayload,
    example: FOLLOW,
    answer: answers.subscribed,
    errors: json,
  }),
  'POST /api/websocket/unsubscribe': stream('Unsubscribes from symbols.', {
    ...changing,
    body: followPayload,
    example: FOLLOW,
    answer: answers.unsubscribed,
    errors: json,
  }),
  'POST /api/websocket/unsubscribe-all': stream('Unsubscribes from all symbols.', {
    ...changing,
    answer: answers.unsubscribed,
  }),
  'GET /api/websocket/market-data': stream(
    'Returns the last prices of one symbol, or of all subscribed symbols.',
    {
      ...reading,
      query: z.object({ symbol: optional, exchange: optional }),
      example: { symbol: 'SBIN', exchange: 'NSE' },
      answer: answers.lastTicks,
    },
  ),
  'GET /api/websocket/health': stream('Returns the health of the market stream.', {
    ...reading,
    answer: answers.streamHealth,
  }),
  'GET /api/websocket/trade-safe': stream('Returns whether prices are fresh enough to trade on.', {
    ...reading,
    answer: answers.tradeSafe,
  }),
  'GET /api/websocket/metrics': stream('Returns counters of the market stream.', {
    ...reading,
    answer: answers.streamMetrics,
  }),
  'GET /search': search('Finds instruments by words.', {
    ...read,
    query: z.object({ symbol: optional }),
    example: { symbol: 'nifty' },
    answer: market.found,
    answerText: 'text/html',
  }),
  'GET /search/token': search('Finds instruments by their token.', {
    ...read,
    query: z.object({ token: optional }),
    example: { token: 'SBIN' },
    answer: market.found,
    answerText: 'text/html',
  }),
  'GET /search/api/search': search('Finds instruments by words and filters.', {
    ...read,
    query: z.object({
      q: optional,
      exchange: optional,
      instrumenttype: optional,
      underlying: optional,
      expiry: optional,
      strike_min: optional,
      strike_max: optional,
    }),
    example: { q: 'nifty', exchange: 'NFO' },
    answer: market.found,
    errors: ['validation'],
  }),
  'GET /search/api/expiries': search('Lists the expiries of an underlying.', {
    ...read,
    query: z.object({ exchange: optional, underlying: optional, instrumenttype: optional }),
    example: { exchange: 'NFO', underlying: 'NIFTY' },
    answer: market.expiries,
  }),
  'GET /search/api/underlyings': search('Lists the underlyings with options.', {
    ...read,
    query: z.object({ exchange: optional, include_futures: optional }),
    example: { exchange: 'NFO' },
    answer: market.underlyings,
  }),
}
