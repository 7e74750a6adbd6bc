import { z } from 'zod'
import { EXCHANGES } from '../../../core/instruments/index.js'
import { ACTIONS, PRICE_TYPES, PRODUCTS } from '../../../core/orders/schema.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { CALENDAR_OPERATIONS, timings, timingsPayload } from '../../operations/market/calendar.js'
import { instrumentList } from '../../operations/market/instrument-list.js'
import { search, searchPayload } from '../../operations/market/symbols.js'
import { count, symbolFields } from './bars.js'
import { computedTools } from './build.js'
import type { Tool } from './tool.js'

const computed = computedTools({ scope: 'read:market', toolset: 'marketdata' })
const constants = computedTools({ scope: 'read:market', toolset: 'utility' })

const KINDS = { options: ['CE', 'PE'], futures: ['FUT'] } as const
const found = z.object({ message: z.string(), data: z.array(z.looseObject({ instrumenttype: z.string() })) })

/** The most rows of a search: more words find fewer. */
const MOST_FOUND = 100

const INDEX_EXCHANGES = { NSE: 'NSE_INDEX', BSE: 'BSE_INDEX', MCX: 'MCX_INDEX' } as const
const named = z.object({ symbol: z.string(), name: z.string() })

/** Every exchange has at most this many indices. */
const MOST_INDICES = 1000

export const INSTRUMENT_TOOLS: readonly Tool[] = [
  computed('search_instruments', {
    title: 'Find instruments',
    description: `Finds instruments by words, at most ${MOST_FOUND}. Give more words to find fewer.`,
    input: searchPayload.extend({
      instrument_type: fields.oneOf(['options', 'futures']).optional(),
    }),
    output: search,
    run: async ({ instrument_type: kind, ...body }, context) => {
      const { data, message } = parseWith(found, await context.ask('POST /api/v1/search', body))
      const kinds: readonly string[] | undefined = kind && KINDS[kind]
      const rows = kinds ? data.filter(({ instrumenttype }) => kinds.includes(instrumenttype)) : data
      const shown = rows.slice(0, MOST_FOUND)
      const text = kinds ? `Found ${rows.length} matching symbols` : message
      return { status: 'success', message: text, data: shown }
    },
  }),
  computed('get_index_symbols', {
    title: 'List the indices of an exchange',
    description: 'Lists the indices of an exchange. Their own exchange is in the answer.',
    input: z.strictObject({ exchange: fields.oneOf(['NSE', 'BSE', 'MCX']).default('NSE') }),
    output: z.strictObject({
      status: z.literal('success'),
      exchange: z.string(),
      data: z.array(named),
    }),
    run: async ({ exchange }, context) => {
      const own = INDEX_EXCHANGES[exchange]
      const { rows } = context.instruments(own, MOST_INDICES)
      return { status: 'success', exchange: own, data: rows.map((row) => parseWith(named, row)) }
    },
  }),
  computed('get_instruments', {
    title: 'List instruments',
    description:
      'Lists the first instruments of all exchanges or of one. search_instruments finds single ones.',
    input: z.strictObject({
      exchange: symbolFields.exchange.unwrap().optional(),
      limit: count(1, 1000).default(500).meta({ description: 'The most rows, up to 1000; 500 by default.' }),
    }),
    output: instrumentList,
    run: async ({ exchange, limit }, context) => {
      const { rows, total } = context.instruments(exchange, limit)
      const message = `Found ${total} instruments; these are ${rows.length}`
      return { status: 'success', message, data: rows }
    },
  }),
  constants('get_timings', {
    title: 'Get trading hours',
    description: `${CALENDAR_OPERATIONS['POST /api/v1/market/timings'].summary} Without a date: of today.`,
    input: timingsPayload.partial(),
    output: timings,
    run: ({ date }, context) => context.ask('POST /api/v1/market/timings', { date: date ?? context.today() }),
  }),
  constants('validate_order_constants', {
    title: 'List the values of order fields',
    description: 'Lists the exchanges, products, price types and sides that orders may have.',
    input: z.strictObject({}),
    output: z.strictObject({
      exchanges: z.array(z.string()),
      products: z.array(z.string()),
      price_types: z.array(z.string()),
      actions: z.array(z.string()),
    }),
    run: async () => ({
      exchanges: [...EXCHANGES],
      products: [...PRODUCTS],
      price_types: [...PRICE_TYPES],
      actions: [...ACTIONS],
    }),
  }),
]
