import type { Context } from 'hono'
import type { Calendar } from '../../../core/calendar/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import {
  DERIVATIVE_EXCHANGES,
  type Instrument,
  type Instruments,
  liveExpiries,
  optionRoots,
  type SearchHits,
  type SearchQuery,
  searchRow,
  storedExpiry,
} from '../../../core/instruments/index.js'
import { liveAt } from '../../../core/options/index.js'
import type { Clock } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { jsonWithRows, streamText } from '../../http/response/stream.js'
import { wantsPage } from '../../pages/negotiate.js'
import type { AppEnv } from '../../process/env.js'

interface SearchParts {
  instruments: Instruments
  calendar: Pick<Calendar, 'sessionOf'>
  clock: Clock
}

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

/** Returns the handlers of symbol search for signed-in users. They have no rate limit. */
export function searchHandlers({ calendar, instruments, clock }: SearchParts) {
  const { directory, search } = instruments
  const view = (instrument: Instrument) => ({
    ...searchRow(directory, instrument),
    contract_value: instrument.contractValue ?? null,
  })
  const isLive = () => liveAt(calendar, clock.now())
  const reply = (c: Context<AppEnv>, { count, rows }: SearchHits) =>
    streamText(c, 'application/json', jsonWithRows({ total: count }, 'results', viewed(rows, view)))
  return {
    'GET /search': httpHandler(async (c) =>
      reply(c, shownOf(c, await search.find(textQuery(c.req.query('symbol') ?? '')))),
    ),
    'GET /search/token': httpHandler(async (c) => {
      const token = (c.req.query('token') ?? '').trim()
      const { rows } = await search.find(textQuery(token))
      const found = [...rows].filter((row) => row.token === token)
      return reply(c, { count: found.length, rows: found })
    }),
    'GET /search/api/search': httpHandler(async (c) => {
      const query = searchQuery(c)
      return reply(c, query ? await search.find(query) : { count: 0, rows: [] })
    }),
    'GET /search/api/expiries': ({ query }) => {
      const kind = KIND_OF_TYPE[upper(query.instrumenttype) ?? '']
      const filter = { exchange: upper(query.exchange), underlying: upper(query.underlying), kind }
      return { status: 'success', expiries: liveExpiries(directory, filter, isLive()) }
    },
    'GET /search/api/underlyings': ({ query }) => {
      const includeFutures = YES.has((query.include_futures ?? '').toLowerCase())
      const underlyings = optionRoots(directory, {
        exchange: upper(query.exchange),
        includeFutures,
        isLive: isLive(),
      })
      return { status: 'success', underlyings }
    },
  } satisfies Partial<Handlers>
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
