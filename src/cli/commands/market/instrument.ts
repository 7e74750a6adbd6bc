import { EXCHANGES } from '../../../views/market/exchange.js'
import { INSTRUMENT_COLUMNS } from '../../../views/market/instrument.js'
import { byExpiry } from '../../../views/table/sort.js'
import type { Input, NounSpec } from '../../framework/command/command.js'
import { called } from '../../framework/command/declared.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { EXAMPLE_CALL } from '../../help/example-contracts.js'
import { INSTRUMENT_ARGUMENTS, instrumentOf, symbolOf } from './symbols.js'

/** The daemon returns no more rows of a search. */
const MOST_FOUND = 500

export const search: NounSpec = {
  summary: 'Finds instruments by words. Exit 4 when nothing matches.',
  examples: [
    'search reliance',
    'search nifty 26000 ce --exchange NFO',
    'search nifty --limit 20',
    'search sbin -q',
  ],
  columns: INSTRUMENT_COLUMNS,
  arguments: [{ syntax: '<words...>', summary: 'parts of the symbol, the name, the strike or the expiry' }],
  options: [
    { flags: '--exchange <code>', summary: 'only this exchange', complete: EXCHANGES },
    {
      flags: '--limit <count>',
      summary: `show at most so many (1 to ${MOST_FOUND}; default: ${MOST_FOUND})`,
    },
  ],
  run: called({
    calls: 'POST /api/v1/search',
    request(input) {
      limitOf(input)
      return { body: { query: input.words(0).join(' '), exchange: exchangeOf(input) } }
    },
    list: ({ data }, { input }) => ({
      rows: byExpiry(data).slice(0, limitOf(input)),
      columns: INSTRUMENT_COLUMNS,
      id: 'symbol',
      empty: '',
    }),
    warning: ({ data, message }, { input }) => cutText(data.length, foundIn(message), limitOf(input)),
    exit({ data }, { input }) {
      if (data.length > 0) return EXIT.done
      const exchange = exchangeOf(input)
      const where = exchange === undefined ? '' : ` on ${exchange}`
      throw new CliError(EXIT.notFound, `Nothing matches "${input.words(0).join(' ')}"${where}.`, {
        code: 'not_found',
      })
    },
  }),
}

const limitOf = (input: Input) => input.whole('limit', MOST_FOUND) ?? MOST_FOUND

/** Returns how many instruments match, as the answer says; undefined if it does not say. */
function foundIn(message: string): number | undefined {
  const [, count] = /^Found (\d+) /.exec(message) ?? []
  return count === undefined ? undefined : Number(count)
}

/** Says that matches were left out, and how many; undefined if all are shown. */
function cutText(given: number, found: number = given, limit: number): string | undefined {
  const shown = Math.min(given, limit)
  if (given < MOST_FOUND && shown >= found) return undefined
  const more = found > shown ? `, ${found - shown} more match` : ''
  return `only the first ${shown} matches are shown${more}: add words or --exchange`
}

const exchangeOf = (input: Input) => input.text('exchange')?.toUpperCase()

export const symbol: NounSpec = {
  summary: 'Shows one instrument: lot, tick, freeze quantity, expiry, broker names.',
  examples: ['symbol SBIN NSE', 'symbol NSE:SBIN', `symbol ${EXAMPLE_CALL} NFO --json`],
  arguments: INSTRUMENT_ARGUMENTS,
  run: called({
    calls: 'POST /api/v1/symbol',
    request: (input) => ({ body: instrumentOf(input) }),
    record: ({ data }) => ({
      record: data,
      fields: [
        ...INSTRUMENT_COLUMNS,
        { key: 'token' },
        { key: 'brsymbol', title: 'BROKER SYMBOL' },
        { key: 'brexchange', title: 'BROKER EXCHANGE' },
      ],
      id: 'token',
    }),
  }),
}

export const expiry: NounSpec = {
  summary: 'Lists the expiries of an underlying, nearest first.',
  examples: ['expiry NIFTY', 'expiry NFO:NIFTY --type futures', 'expiry GOLD MCX -q'],
  arguments: [
    { syntax: '<underlying>', summary: 'NIFTY, or NFO:NIFTY', complete: 'symbols' },
    {
      syntax: '[exchange]',
      summary: 'NFO (default), BFO, MCX, CDS, BCD or CRYPTO',
      complete: ['NFO', 'BFO', 'MCX', 'CDS', 'BCD', 'CRYPTO'],
    },
  ],
  options: [
    {
      flags: '--type <type>',
      field: 'instrumenttype',
      summary: 'options (default) or futures',
      choices: ['options', 'futures'],
    },
  ],
  run: called({
    calls: 'POST /api/v1/expiry',
    request: (input) => ({ body: seriesOf(input) }),
    list: ({ data }) => ({
      rows: data.map((expiry) => ({ expiry })),
      columns: [{ key: 'expiry' }],
      id: 'expiry',
      empty: '',
    }),
    exit({ data }, { input }) {
      if (data.length > 0) return EXIT.done
      const { symbol, exchange, instrumenttype } = seriesOf(input)
      throw new CliError(EXIT.notFound, `${symbol} has no ${instrumenttype} on ${exchange}.`, {
        code: 'not_found',
        hint: `Look for it: svc search ${symbol}`,
      })
    },
  }),
}

/** Returns the series of contracts that a command asks about. */
function seriesOf(input: Input) {
  const { symbol, exchange = 'NFO' } = symbolOf(input.required(0), input.argument(1))
  return { symbol, exchange, instrumenttype: input.text('type') ?? 'options' }
}
