import { z } from 'zod'
import * as market from '../market/answers.js'
import { signedIn } from '../running.js'

const search = signedIn('Search')

const read = { scopes: ['read'] } as const
const optional = z.string().optional()

/** Symbol search for signed-in users. */
export const SEARCH_OPERATIONS = {
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
