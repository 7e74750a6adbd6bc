import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import {
  DERIVATIVE_EXCHANGES,
  type Instrument,
  liveExpiries,
  optionRoots,
  type SearchHits,
  type SearchQuery,
  searchRow,
  storedExpiry,
} from '../../../core/instruments/index.js'
import { liveAt } from '../../../core/options/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { jsonWithRows, streamText } from '../../http/response/stream.js'
import { wantsPage } from '../../pages/negotiate.js'
import type { AppEnv } from '../../process/env.js'
import { amount, count, ok, text } from '../common/answers.js'
import { http, signedIn } from '../running.js'
import { foundFields } from './symbols.js'

/** The most rows of a search among derivative contracts. Cash and index exchanges have no limit. */
const CONTRACT_LIMIT = 10_000

const KIND_OF_TYPE: Readonly<Record<string, 'options' | 'futures'>> = {
  OPTION: 'options',
  OPTIONS: 'options',
  FUT: 'futures',
  FUTURE: 'futures',
  FUTURES: 'futures',
}
const YES = new Set(['1', 'true', 'yes'])

const optional = z.string().optional()
const names = z.array(text)

/** The answer of the session routes: without a status, and with the size of a contract. */
const found = z.strictObject({
  total: count,
  results: z.array(z.strictObject({ ...foundFields, contract_value: amount.nullable() })),
})

const search = signedIn('Search', undefined, 'read')

/** Symbol search for signed-in users. It has no rate limit. */
export const SEARCH_OPERATIONS = {
  'GET /search': search('Finds instruments by words.', {
    query: z.object({ symbol: optional }),
    example: { symbol: 'nifty' },
    answer: found,
    answerText: 'text/html',
    run: http('a stream', async (service, c) => {
      const hits = await service.instruments.search.find(textQuery(c.req.query('symbol') ?? ''))
      return sendHits(c, service, shownOf(c, hits))
    }),
  }),
  'GET /search/token': search('Finds instruments by their token.', {
    query: z.object({ token: optional }),
    example: { token: 'SBIN' },
    answer: found,
    answerText: 'text/html',
    run: http('a stream', async (service, c) => {
      const token = (c.req.query('token') ?? '').trim()
      const { rows } = await service.instruments.search.find(textQuery(token))
      const withToken = [...rows].filter((row) => row.token === token)
      return sendHits(c, service, { count: withToken.length, rows: withToken })
    }),
  }),
  'GET /search/api/search': search('Finds instruments by words and filters.', {
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
    answer: found,
    errors: ['validation'],
    run: http('a stream', async (service, c) => {
      const query = searchQuery(c)
      return sendHits(
        c,
        service,
        query ? await service.instruments.search.find(query) : { count: 0, rows: [] },
      )
    }),
  }),
  'GET /search/api/expiries': search('Lists the expiries of an underlying.', {
    query: z.object({ exchange: optional, underlying: optional, instrumenttype: optional }),
    example: { exchange: 'NFO', underlying: 'NIFTY' },
    answer: ok({ expiries: names }),
    run: ({ calendar, clock, instruments: { directory } }, { query }) => {
      const kind = KIND_OF_TYPE[upper(query.instrumenttype) ?? '']
      const filter = { exchange: upper(query.exchange), underlying: upper(query.underlying), kind }
      return { status: 'success', expiries: liveExpiries(directory, filter, liveAt(calendar, clock.now())) }
    },
  }),
  'GET /search/api/underlyings': search('Lists the underlyings with options.', {
    query: z.object({ exchange: optional, include_futures: optional }),
    example: { exchange: 'NFO' },
    answer: ok({ underlyings: names }),
    run: ({ calendar, clock, instruments: { directory } }, { query }) => {
      const underlyings = optionRoots(directory, {
        exchange: upper(query.exchange),
        includeFutures: YES.has((query.include_futures ?? '').toLowerCase()),
        isLive: liveAt(calendar, clock.now()),
      })
      return { status: 'success', underlyings }
    },
  }),
}

/** Streams the instruments that were found. */
function sendHits(
  c: Context<AppEnv>,
  { instruments: { directory } }: RunningService,
  { count: total, rows }: SearchHits,
): Response {
  const view = (instrument: Instrument) => ({
    ...searchRow(directory, instrument),
    contract_value: instrument.contractValue ?? null,
  })
  return streamText(c, 'application/json', jsonWithRows({ total }, 'results', viewed(rows, view)))
}

/** A page shows the first hits. Without this limit it would be made of tens of thousands of rows. */
const PAGE_LIMIT = 200

/** Returns all hits to a script, and the first of them to a browser, with the number of all. */
function shownOf(c: Context<AppEnv>, { count, rows }: SearchHits): SearchHits {
  return { count, rows: wantsPage(c) ? firstOf(rows, PAGE_LIMIT) : rows }
}

function* firstOf<T>(items: Iterable<T>, most: number): Generator<T> {
  let left = most
  for (const item of items) {
    if (left === 0) return
    left -= 1
    yield item
  }
}

function* viewed<T>(rows: Iterable<Instrument>, view: (instrument: Instrument) => T): Generator<T> {
  for (const row of rows) yield view(row)
}

/** Returns the query for a text. A blank text finds nothing rather than everything. */
function textQuery(text: string): SearchQuery {
  return { text, ...(text.trim() === '' && { exchanges: [] }), limit: CONTRACT_LIMIT }
}

/** Returns the search that the URL asks for, or undefined when it has neither a text nor an exchange. */
function searchQuery(c: Context<AppEnv>): SearchQuery | undefined {
  const text = c.req.query('q') ?? ''
  const exchanges = list(c, 'exchange')
  if (text.trim() === '' && !exchanges) return undefined
  const expiry = upper(c.req.query('expiry'))
  const filters = {
    types: list(c, 'instrumenttype'),
    underlying: upper(c.req.query('underlying')),
    expiry: expiry && (storedExpiry(expiry) ?? expiry),
    strikeMin: price(c, 'strike_min'),
    strikeMax: price(c, 'strike_max'),
  }
  const isAmongContracts =
    Object.values(filters).some((filter) => filter !== undefined) ||
    (exchanges?.some((code) => DERIVATIVE_EXCHANGES.has(code)) ?? false)
  const limit = isAmongContracts ? CONTRACT_LIMIT : Number.POSITIVE_INFINITY
  return { text, exchanges, ...filters, limit }
}

function upper(given: string | undefined): string | undefined {
  return given?.trim().toUpperCase() || undefined
}

function list(c: Context<AppEnv>, name: string): string[] | undefined {
  const values = (upper(c.req.query(name)) ?? '').split(',').map((value) => value.trim())
  const given = values.filter((value) => value !== '')
  return given.length > 0 ? given : undefined
}

/** Returns the price in a query parameter. @throws ServiceError `validation` when it is not a number */
function price(c: Context<AppEnv>, name: string): number | undefined {
  const given = c.req.query(name)?.trim()
  if (!given) return undefined
  const parsed = fields.number().safeParse(given)
  if (parsed.success) return parsed.data
  const text = parsed.error.issues[0]?.message ?? 'Not a valid number.'
  throw new ServiceError('validation', `${name}: ${text}`, { errors: { [name]: [text] } })
}
