import { member } from '../../../client/answers/json.js'
import { EXCHANGES } from '../../../views/market/exchange.js'
import { CHAIN_COLUMNS, strikeRow } from '../../../views/market/option-chain.js'
import { optionExchange, underlyingExchange } from '../../../views/market/underlying.js'
import type { Column } from '../../../views/table/column.js'
import type { Input, NounSpec } from '../../framework/command/command.js'
import { called } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { EXAMPLE_CALL, EXAMPLE_EXPIRY, EXAMPLE_PUT } from '../../help/example-contracts.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'
import { instrumentsOf, symbolOf, symbolsArgument } from './symbols.js'

const GREEK_COLUMNS: ReadonlySet<string> = new Set(['ce_delta', 'ce_iv', 'pe_delta', 'pe_iv'])

export const chain: NounSpec = {
  summary: 'Shows the option chain of an underlying around the money.',
  examples: [
    'chain NIFTY',
    `chain NSE_INDEX:NIFTY --expiry ${EXAMPLE_EXPIRY} --strikes 5 --greeks`,
    'chain RELIANCE --json',
  ],
  arguments: [
    { syntax: '<underlying>', summary: 'NIFTY, BANKNIFTY, RELIANCE, …', complete: 'symbols' },
    {
      syntax: '[exchange]',
      summary: 'exchange of the underlying (default: that of the index, else NSE)',
      complete: EXCHANGES,
    },
  ],
  options: [
    {
      flags: '--expiry <date>',
      field: 'expiry_date',
      summary: 'DDMMMYY (default: the nearest)',
      complete: 'expiries',
    },
    {
      flags: '--strikes <n>',
      field: 'strike_count',
      summary: 'strikes above and below the money (default: 10)',
    },
    { flags: '--greeks', summary: 'with delta and implied volatility' },
    ...WATCH_OPTIONS,
  ],
  async run(context, input) {
    const greeks = input.flag('greeks')
    const request = { ...(await underlyingOf(context, input)), strike_count: input.number('strikes') ?? 10 }
    const read = async () =>
      (await context.apiRead('optionchain', { ...request, ...(greeks && { with_greeks: true }) })).body
    const { format } = context.settings
    if (format === 'json' || format === 'yaml') {
      await context.out.record({ record: await read(), fields: [], id: 'atm_strike' })
      return EXIT.done
    }
    return watchable(context, input, async () => {
      const body = await read()
      context.out.note(
        `${body.underlying} ${body.underlying_ltp}, at the money ${body.atm_strike}, ${body.expiry_date}`,
      )
      return {
        rows: body.chain.map(strikeRow),
        columns: CHAIN_COLUMNS.filter(({ key }) => greeks || !GREEK_COLUMNS.has(key)),
        id: 'strike',
        empty: 'There are no strikes.',
      }
    })
  },
}

async function underlyingOf(
  context: Context,
  input: Input,
): Promise<{ underlying: string; exchange: string; expiry_date: string }> {
  const { underlying, exchange } = namedUnderlying(input.required(0), input.argument(1))
  const given = input.text('expiry')?.toUpperCase()
  if (given !== undefined) return { underlying, exchange, expiry_date: given }
  const [nearest] = await optionExpiries(context, underlying, exchange)
  if (nearest === undefined)
    throw new CliError(EXIT.notFound, `${underlying} has no options on ${optionExchange(exchange)}.`, {
      code: 'not_found',
      hint: `Look for it: svc search ${underlying}`,
    })
  return { underlying, exchange, expiry_date: nearest }
}

/** Returns an underlying with its exchange: that of the index of this name, otherwise the NSE. */
export function namedUnderlying(
  word: string,
  code: string | undefined,
): { underlying: string; exchange: string } {
  const { symbol: underlying, exchange } = symbolOf(word, code)
  return { underlying, exchange: exchange ?? underlyingExchange(underlying) }
}

/** Returns the expiries of the options of an underlying as DDMMMYY, nearest first. */
export async function optionExpiries(
  context: Context,
  underlying: string,
  exchange: string,
): Promise<string[]> {
  const { body } = await context.apiRead('expiry', {
    symbol: underlying,
    exchange: optionExchange(exchange),
    instrumenttype: 'options',
  })
  return body.data.map((expiry) => expiry.replaceAll('-', ''))
}

const GREEKS = [
  { key: 'symbol' },
  { key: 'spot_price', title: 'SPOT', kind: 'price' },
  { key: 'option_price', title: 'PRICE', kind: 'price' },
  { key: 'days_to_expiry', title: 'DAYS', leaves: 3 },
  { key: 'implied_volatility', title: 'IV %' },
  { key: 'delta' },
  { key: 'gamma' },
  { key: 'theta' },
  { key: 'vega', leaves: 2 },
  { key: 'rho', leaves: 4 },
  { key: 'message', leaves: 1 },
] as const satisfies readonly Column[]

/** Returns an answer for people, with the Greeks as fields beside the others. */
type ShownGreeks = { readonly [Key in (typeof GREEKS)[number]['key']]?: unknown }

export const greeks: NounSpec = {
  summary: 'Shows Greeks and implied volatility of options.',
  examples: [`greeks ${EXAMPLE_CALL}`, `greeks NFO:${EXAMPLE_CALL} ${EXAMPLE_PUT} --rate 6.5`],
  arguments: [symbolsArgument('NFO')],
  options: [
    { flags: '--rate <percent>', field: 'interest_rate', summary: 'annual interest rate (default: 0)' },
    ...WATCH_OPTIONS,
  ],
  run: called({
    calls: 'POST /api/v1/multioptiongreeks',
    isWatchable: true,
    request(input) {
      const rate = input.number('rate')
      const symbols = instrumentsOf(input.words(0), 'NFO')
      return { body: { symbols, ...(rate !== undefined && { interest_rate: rate }) } }
    },
    list: ({ data }) => ({
      rows: data.map((row): ShownGreeks => ({ ...row, ...member(row, 'greeks') })),
      columns: GREEKS,
      id: 'symbol',
      empty: 'No option was found.',
    }),
    exit: ({ data }) => (data.every((row) => member(row, 'greeks')) ? EXIT.done : EXIT.notFound),
  }),
}
