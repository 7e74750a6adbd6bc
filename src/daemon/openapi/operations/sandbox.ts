import { z } from 'zod'
import { updateBody } from '../../routes/sandbox.js'
import { type Operation, signedIn } from '../operation.js'
import { said } from '../responses/common.js'
import * as market from '../responses/market.js'
import * as answers from '../responses/sandbox.js'

const sandbox = signedIn('Sandbox')
const stream = signedIn('Stream')
const search = signedIn('Search')

const reading = { scopes: ['read', 'settings'] } as const
const changing = { scopes: ['settings'] } as const
const read = { scopes: ['read'] } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const

const optional = z.string().optional()
const followBody = z.looseObject({
  symbols: z.array(z.union([z.string(), z.object({ symbol: z.string(), exchange: z.string() })])),
  mode: z.union([z.enum(['LTP', 'Quote', 'Depth']), z.int().min(1).max(3)]).optional(),
})
const FOLLOW = { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }], mode: 'Quote' }

export const SANDBOX_OPERATIONS: readonly Operation[] = [
  sandbox('GET', '/sandbox/api/configs', 'The settings, in groups.', { ...reading, answer: answers.configs }),
  sandbox('POST', '/sandbox/update', 'Changes a setting.', {
    ...changing,
    body: updateBody,
    example: { config_key: 'equity_mis_leverage', config_value: '5' },
    answer: said,
    errors: json,
  }),
  sandbox('POST', '/sandbox/reset', 'Starts the account afresh.', { ...changing, answer: said }),
  sandbox('POST', '/sandbox/reload-squareoff', 'Reads the square-off times anew.', {
    ...changing,
    answer: said,
  }),
  sandbox('GET', '/sandbox/squareoff-status', 'When its jobs run.', { ...reading, answer: answers.schedule }),
  sandbox('GET', '/sandbox/mypnl/api/data', 'Profit and history.', { ...reading, answer: answers.pnl }),
  {
    ...sandbox('GET', '/sandbox/mypnl/export/:kind', 'The same as a file.', {
      ...reading,
      params: { kind: 'daily, positions, holdings or trades.' },
      answer: said,
      answerText: 'text/csv',
      errors: ['not_found'],
    }),
    answers: {},
  },
  stream('GET', '/api/websocket/config', 'The address of the market stream.', {
    ...reading,
    answer: answers.streamConfig,
  }),
  stream('GET', '/api/websocket/apikey', 'The API key that the stream asks for.', {
    scopes: ['admin'],
    answer: answers.streamKey,
    errors: ['not_found'],
  }),
  stream('GET', '/api/websocket/status', 'The state of the stream.', {
    ...reading,
    answer: answers.streamStatus,
  }),
  stream('GET', '/api/websocket/subscriptions', 'What the session follows.', {
    ...reading,
    answer: answers.subscriptions,
  }),
  stream('POST', '/api/websocket/subscribe', 'Follows symbols.', {
    ...changing,
    body: followBody,
    example: FOLLOW,
    answer: answers.subscribed,
    errors: json,
  }),
  stream('POST', '/api/websocket/unsubscribe', 'Follows symbols no more.', {
    ...changing,
    body: followBody,
    example: FOLLOW,
    answer: answers.unsubscribed,
    errors: json,
  }),
  stream('POST', '/api/websocket/unsubscribe-all', 'Follows nothing.', {
    ...changing,
    answer: answers.unsubscribed,
  }),
  stream('GET', '/api/websocket/market-data', 'The last prices of one symbol, or of all that are followed.', {
    ...reading,
    query: z.object({ symbol: optional, exchange: optional }),
    example: { symbol: 'SBIN', exchange: 'NSE' },
    answer: answers.lastTicks,
  }),
  stream('GET', '/api/websocket/health', 'The health of the stream.', {
    ...reading,
    answer: answers.streamHealth,
  }),
  stream('GET', '/api/websocket/trade-safe', 'Whether prices are good enough to act on.', {
    ...reading,
    answer: answers.tradeSafe,
  }),
  stream('GET', '/api/websocket/metrics', 'Counters of the stream.', {
    ...reading,
    answer: answers.streamMetrics,
  }),
  search('GET', '/search', 'Instruments by words.', {
    ...read,
    query: z.object({ symbol: optional }),
    example: { symbol: 'nifty' },
    answer: market.found,
  }),
  search('GET', '/search/token', 'Instruments by their token.', {
    ...read,
    query: z.object({ token: optional }),
    example: { token: 'SBIN' },
    answer: market.found,
  }),
  search('GET', '/search/api/search', 'Instruments by words and filters.', {
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
  search('GET', '/search/api/expiries', 'The expiries of an underlying.', {
    ...read,
    query: z.object({ exchange: optional, underlying: optional, instrumenttype: optional }),
    example: { exchange: 'NFO', underlying: 'NIFTY' },
    answer: market.expiries,
  }),
  search('GET', '/search/api/underlyings', 'The underlyings with options.', {
    ...read,
    query: z.object({ exchange: optional, include_futures: optional }),
    example: { exchange: 'NFO' },
    answer: market.underlyings,
  }),
]
