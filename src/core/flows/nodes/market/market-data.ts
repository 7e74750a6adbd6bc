import { EXCHANGES } from '../../../instruments/schema.js'
import { isObject } from '../../language/interpolation.js'
import type { Body } from '../../ports.js'
import { defineNode, type NodeDefinition, NodeError, type NodeResult } from '../definition.js'
import type { Field } from '../field.js'
import { mirrored } from '../mirrored.js'
import { exchangeField, rowsOf, symbolField } from '../shared.js'

/** Prices, contracts and the instrument table (contract, flow section 2.3). */

const market = { family: 'data', effect: 'market', storesOutput: true } as const

const getQuote = defineNode({
  ...market,
  type: 'getQuote',
  summary: 'Reads the quote of a symbol.',
  fields: { symbol: symbolField, exchange: exchangeField },
  output: {
    ltp: 'Last price.',
    open: 'Open of the day.',
    high: 'High of the day.',
    low: 'Low of the day.',
    close: 'Close of the previous session.',
    prev_close: 'Close of the previous session.',
    volume: 'Volume of the day.',
    oi: 'Open interest.',
    bid: 'Best bid.',
    ask: 'Best ask.',
    data: 'The quote as the endpoint answers it.',
  },
  run: async (run) => {
    const quote = await run.read('quotes', { symbol: run.text('symbol'), exchange: run.text('exchange') })
    return mirrored(quote, ({ prev_close }) => ({ close: prev_close }))
  },
})

const getDepth = defineNode({
  ...market,
  type: 'getDepth',
  summary: 'Reads five levels of the order book of a symbol.',
  fields: { symbol: symbolField, exchange: exchangeField },
  output: {
    bids: 'Five levels of buyers, best first: price, quantity.',
    asks: 'Five levels of sellers, best first: price, quantity.',
    totalbuyqty: 'Quantity of all buyers.',
    totalsellqty: 'Quantity of all sellers.',
    ltp: 'Last price.',
    ltq: 'Last quantity.',
    data: 'The depth as the endpoint answers it, with open, high, low, prev_close, volume and oi.',
  },
  run: async (run) =>
    mirrored(await run.read('depth', { symbol: run.text('symbol'), exchange: run.text('exchange') })),
})

const multiQuotes = defineNode({
  ...market,
  type: 'multiQuotes',
  summary: 'Reads the quotes of several symbols.',
  fields: {
    symbols: {
      kind: 'json',
      required: true,
      description: 'Symbols joined by commas, or a list of them.',
    },
    exchange: { ...exchangeField, required: false, description: 'Exchange of all of them.' },
  },
  output: { results: 'By symbol: symbol, exchange, and data (the quote) or error.' },
  run: async (run) => {
    const symbols = refsOf(run.value('symbols'), run.text('exchange'))
    if (symbols.length === 0) throw new NodeError('No symbols specified')
    return run.read('multiquotes', { symbols })
  },
})

/** Symbols of a text or a list; an item may name an exchange of its own. */
function refsOf(given: unknown, exchange: string): Body[] {
  const items: unknown[] = Array.isArray(given) ? given : String(given ?? '').split(',')
  return items.flatMap((item) => {
    if (isObject(item)) return [{ symbol: item.symbol, exchange: item.exchange ?? exchange }]
    const symbol = String(item).trim()
    return symbol === '' ? [] : [{ symbol, exchange }]
  })
}

const intervals = defineNode({
  ...market,
  type: 'intervals',
  summary: 'Lists the bar intervals of the broker.',
  fields: {},
  output: {
    seconds: 'Intervals of seconds.',
    minutes: 'Intervals of minutes.',
    hours: 'Intervals of hours.',
    days: 'Intervals of days.',
    weeks: 'Intervals of weeks.',
    months: 'Intervals of months.',
    data: 'The same, as the endpoint answers it.',
  },
  run: async (run) => mirrored(await run.read('intervals', {})),
})

const underlyingField = {
  kind: 'text',
  required: true,
  default: 'NIFTY',
  description: 'Underlying of the options.',
} as const satisfies Field

const quoteExchangeField = {
  kind: 'text',
  default: 'NSE_INDEX',
  choices: EXCHANGES,
  description: 'Exchange the underlying is quoted on.',
} as const satisfies Field

const expiryDateField = {
  kind: 'text',
  default: '',
  aliases: ['expiry'],
  description: 'Expiry, as 28OCT25 or 28-OCT-25.',
} as const satisfies Field

const optionSymbol = defineNode({
  ...market,
  type: 'optionSymbol',
  summary: 'Finds the option that is so many strikes from the money.',
  fields: {
    underlying: underlyingField,
    exchange: quoteExchangeField,
    expiryDate: expiryDateField,
    offset: { kind: 'text', default: 'ATM', description: 'ATM, ITM1 to ITM50 or OTM1 to OTM50.' },
    optionType: {
      kind: 'text',
      required: true,
      default: 'CE',
      choices: ['CE', 'PE'],
      description: 'Call or put.',
    },
  },
  output: {
    symbol: 'Symbol of the option.',
    exchange: 'Exchange it is listed on.',
    lotsize: 'Size of one lot.',
    tick_size: 'Smallest step of its price.',
    freeze_qty: 'Largest order the exchange takes.',
    underlying_ltp: 'Last price of the underlying.',
  },
  run: (run) => {
    const expiry = run.text('expiryDate').trim()
    return run.read('optionsymbol', {
      underlying: run.text('underlying'),
      exchange: run.text('exchange'),
      ...(expiry !== '' && { expiry_date: expiry }),
      offset: run.text('offset'),
      option_type: run.text('optionType'),
    })
  },
})

const optionChain = defineNode({
  ...market,
  type: 'optionChain',
  summary: 'Reads the options around the money with their quotes.',
  fields: {
    underlying: underlyingField,
    exchange: quoteExchangeField,
    expiryDate: expiryDateField,
    strikeCount: {
      kind: 'integer',
      default: 10,
      min: 1,
      max: 100,
      description: 'Strikes on each side of the money.',
    },
  },
  output: {
    chain: 'By strike, ascending: strike, ce and pe (symbol, label, ltp, bid, ask, oi, lotsize, …).',
    calls: 'The calls of the chain, each with its strike.',
    puts: 'The puts of the chain, each with its strike.',
    spot_price: 'Last price of the underlying.',
    underlying: 'The underlying.',
    underlying_ltp: 'Last price of the underlying.',
    underlying_prev_close: 'Close of its previous session.',
    expiry_date: 'Expiry of the chain.',
    atm_strike: 'Strike at the money.',
  },
  run: async (run) => {
    const result = await run.read('optionchain', {
      underlying: run.text('underlying'),
      exchange: run.text('exchange'),
      expiry_date: run.text('expiryDate').trim(),
      strike_count: run.integer('strikeCount'),
    })
    return result.status === 'error' ? result : withSides(result)
  },
})

/** The chain by its sides, as the specification names them; a strike that lacks a side is left out of it. */
function withSides(result: NodeResult): NodeResult {
  const rows = rowsOf(result.chain)
  const side = (name: 'ce' | 'pe') =>
    rows.flatMap((row) => (isObject(row[name]) ? [{ strike: row.strike, ...row[name] }] : []))
  return { ...result, calls: side('ce'), puts: side('pe'), spot_price: result.underlying_ltp }
}

const syntheticFuture = defineNode({
  ...market,
  type: 'syntheticFuture',
  summary: 'Works out what a call bought and a put sold at the money cost as a future.',
  fields: { underlying: underlyingField, exchange: quoteExchangeField, expiryDate: expiryDateField },
  output: {
    synthetic_future_price: 'Strike plus call minus put.',
    underlying: 'The underlying.',
    underlying_ltp: 'Last price of the underlying.',
    expiry: 'Expiry of the options.',
    atm_strike: 'Strike at the money.',
  },
  run: (run) =>
    run.read('syntheticfuture', {
      underlying: run.text('underlying'),
      exchange: run.text('exchange'),
      expiry_date: run.text('expiryDate').trim(),
    }),
})

const symbol = defineNode({
  ...market,
  type: 'symbol',
  summary: 'Reads the row of a symbol in the instrument table.',
  fields: { symbol: symbolField, exchange: exchangeField },
  output: {
    symbol: 'Symbol as the service writes it.',
    name: 'Name, or the underlying of a contract.',
    exchange: 'Exchange.',
    token: "The broker's token.",
    expiry: 'Expiry; empty where nothing expires.',
    strike: 'Strike of an option.',
    lotsize: 'Size of one lot.',
    tick_size: 'Smallest step of its price.',
    instrumenttype: 'Type of instrument.',
    freeze_qty: 'Largest order the exchange takes.',
    data: "The row as the endpoint answers it, with id, brsymbol and brexchange, the broker's names.",
  },
  run: async (run) =>
    mirrored(await run.read('symbol', { symbol: run.text('symbol'), exchange: run.text('exchange') })),
})

const expiry = defineNode({
  ...market,
  type: 'expiry',
  summary: 'Lists the expiries of the contracts on an underlying.',
  fields: {
    symbol: { ...symbolField, default: 'NIFTY', description: 'The underlying.' },
    exchange: { ...exchangeField, default: 'NFO', description: 'Exchange of the contracts.' },
    instrumenttype: {
      kind: 'text',
      default: 'options',
      choices: ['options', 'futures'],
      description: 'Which contracts.',
    },
  },
  output: {
    data: 'Expiries as 28-OCT-25, the next one first.',
    message: 'How many there are.',
  },
  run: (run) =>
    run.read('expiry', {
      symbol: run.text('symbol'),
      exchange: run.text('exchange'),
      instrumenttype: run.text('instrumenttype'),
    }),
})

export const MARKET_NODES: readonly NodeDefinition[] = [
  getQuote,
  getDepth,
  multiQuotes,
  intervals,
  optionChain,
  optionSymbol,
  symbol,
  expiry,
  syntheticFuture,
]
