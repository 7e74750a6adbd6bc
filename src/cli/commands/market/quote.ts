import type { AnswerOf } from '../../../client/endpoints.js'
import { changeOf } from '../../../views/market/change.js'
import type { Column } from '../../../views/table/column.js'
import type { Input, NounSpec } from '../../framework/command/command.js'
import { called, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { EXAMPLE_FUTURE } from '../../help/example-contracts.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'
import { INSTRUMENT_ARGUMENTS, instrumentOf, instrumentsOf, symbolsArgument } from './symbols.js'

const QUOTES = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 2 },
  { key: 'ltp', title: 'LAST', kind: 'price' },
  { key: 'change', kind: 'change', leaves: 4 },
  { key: 'change_percent', title: 'CHANGE %', kind: 'signed' },
  { key: 'bid', kind: 'price', leaves: 3 },
  { key: 'ask', kind: 'price', leaves: 3 },
  { key: 'open', kind: 'price', leaves: 6 },
  { key: 'high', kind: 'price', leaves: 5 },
  { key: 'low', kind: 'price', leaves: 5 },
  { key: 'prev_close', title: 'CLOSE', kind: 'price', leaves: 7 },
  { key: 'volume', kind: 'quantity', leaves: 1 },
  { key: 'oi', title: 'OI', kind: 'quantity', leaves: 8 },
] as const satisfies readonly Column[]

async function readQuotes(context: Context, words: readonly string[]) {
  const { body } = await context.apiRead('multiquotes', { symbols: instrumentsOf(words) })
  const rows = body.results.flatMap((result) => {
    if (!('data' in result) || result.data === undefined) return []
    const { symbol, exchange, data } = result
    return [{ symbol, exchange, ...data, ...changeOf(data.ltp, data.prev_close) }]
  })
  return { rows, failed: body.results.flatMap((result) => ('error' in result ? [result] : [])) }
}

export const quote: NounSpec = {
  summary: 'Shows quotes of symbols.',
  examples: [
    'quote SBIN INFY',
    'quote SBIN BSE',
    `quote NSE:SBIN NFO:${EXAMPLE_FUTURE} --watch`,
    'quote NSE_INDEX:NIFTY --json',
  ],
  arguments: [symbolsArgument('NSE')],
  options: WATCH_OPTIONS,
  columns: QUOTES,
  async run(context, input) {
    let missing = 0
    const status = await watchable(context, input, async () => {
      const { rows, failed } = await readQuotes(context, input.words(0))
      for (const { symbol, exchange, error } of failed)
        await context.out.warn(`${exchange}:${symbol}: ${error}`)
      missing = failed.length
      return { rows, columns: QUOTES, id: 'ltp', record: 'quote', empty: 'No quotes.' }
    })
    return missing > 0 ? EXIT.notFound : status
  },
}

const LEVELS = [
  { key: 'bid_quantity', title: 'BID QTY', kind: 'quantity' },
  { key: 'bid', kind: 'price' },
  { key: 'ask', kind: 'price' },
  { key: 'ask_quantity', title: 'ASK QTY', kind: 'quantity' },
] as const satisfies readonly Column[]

const instrumentRequest = (input: Input) => ({ body: instrumentOf(input) })

export const depth: NounSpec = {
  summary: 'Shows the order book of one symbol, best prices first.',
  examples: ['depth SBIN NSE', 'depth NSE:SBIN --watch', 'depth SBIN NSE --json'],
  arguments: INSTRUMENT_ARGUMENTS,
  options: WATCH_OPTIONS,
  run: either(
    (_, { format }) => format === 'json' || format === 'yaml',
    called({
      calls: 'POST /api/v1/depth',
      request: instrumentRequest,
      record: ({ data }) => ({ record: data, fields: [], id: 'ltp' }),
    }),
    called({
      calls: 'POST /api/v1/depth',
      request: instrumentRequest,
      isWatchable: true,
      list: ({ data }) => ({ rows: levelsOf(data), columns: LEVELS, id: 'bid', empty: 'The book is empty.' }),
    }),
  ),
}

function levelsOf({ bids, asks }: AnswerOf<'depth'>['data']) {
  return Array.from({ length: Math.max(bids.length, asks.length) }, (_, level) => ({
    bid_quantity: bids[level]?.quantity,
    bid: bids[level]?.price,
    ask: asks[level]?.price,
    ask_quantity: asks[level]?.quantity,
  }))
}
