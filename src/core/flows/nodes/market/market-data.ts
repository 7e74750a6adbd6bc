import { EXCHANGES } from '../../../instruments/schema.js'
import { isObject } from '../../language/interpolation.js'
import type { Body } from '../../ports.js'
import { defineNode, type NodeDefinition, NodeError, type NodeResult } from '../definition.js'
import type { Field, Fields } from '../field.js'
import { EXPIRY, STRIKE_OFFSET, SYMBOL } from '../form.js'
import { mirrored } from '../mirrored.js'
import { exchangeField, rowsOf, symbolField } from '../shared.js'

/** Nodes for prices, contracts and instruments. */

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
    data: 'The quote as the endpoint returns it.',
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
    bids: 'Five bid levels, best first: price, quantity.',
    asks: 'Five ask levels, best first: price, quantity.',
    totalbuyqty: 'Total bid quantity.',
    totalsellqty: 'Total ask quantity.',
    ltp: 'Last price.',
    ltq: 'Quantity of the last trade.',
    data: 'The depth as the endpoint returns it, with open, high, low, prev_close, volume and oi.',
  },
  run: async (run) =>
    mirrored(await run.read('depth', { symbol: run.text('symbol'), exchange: run.text('exchange') })),
})

const QUOTED_FIELDS: Fields = {
  symbol: { kind: 'text', form: SYMBOL, description: 'Symbol.' },
  exchange: { kind: 'text', choices: EXCHANGES, description: 'Exchange.' },
}

/** Returns the symbols of a list or a text, with the exchanges that are written with them. */
const quotedIn = (saved: unknown): readonly Body[] => refsOf(saved, '')

const multiQuotes = defineNode({
  ...market,
  type: 'multiQuotes',
  summary: 'Reads the quotes of several symbols.',
  fields: {
    symbols: {
      kind: 'json',
      required: true,
      items: { fields: QUOTED_FIELDS, of: quotedIn },
      description: 'Comma-separated symbols, or a list.',
    },
    exchange: {
      ...exchangeField,
      required: false,
      description: 'Exchange of the symbols that have none of their own.',
    },
  },
  output: { results: 'One entry per symbol: symbol, exchange, and data (the quote) or error.' },
  run: async (run) => {
    const symbols = refsOf(run.value('symbols'), run.text('exchange'))
    if (symbols.length === 0) throw new NodeError('No symbols specified')
    return run.read('multiquotes', { symbols })
  },
})

/** Returns the symbols of a text or a list. An item may have its own exchange. */
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
    seconds: 'Intervals in seconds.',
    minutes: 'Intervals in minutes.',
    hours: 'Intervals in hours.',
    days: 'Intervals in days.',
    weeks: 'Intervals in weeks.',
    months: 'Intervals in months.',
    data: 'The same members, as the endpoint returns them.',
  },
  run: async (run) => mirrored(await run.read('intervals', {})),
})

const underlyingField = {
  kind: 'text',
  required: true,
  default: 'NIFTY',
  form: SYMBOL,
  description: 'Underlying of the options.',
} as const satisfies Field

const quoteExchangeField = {
  kind: 'text',
  default: 'NSE_INDEX',
  choices: EXCHANGES,
  description: 'Exchange that quotes the underlying.',
} as const satisfies Field

const expiryDateField = {
  kind: 'text',
  default: '',
  form: EXPIRY,
  aliases: ['expiry'],
  description: 'Expiry date, such as 28OCT25 or 28-OCT-25.',
} as const satisfies Field

const optionSymbol = defineNode({
  ...market,
  type: 'optionSymbol',
  summary: 'Finds an option by its number of strikes from the money.',
  fields: {
    underlying: underlyingField,
    exchange: quoteExchangeField,
    expiryDate: expiryDateField,
    offset: {
      kind: 'text',
      default: 'ATM',
      form: STRIKE_OFFSET,
      description: 'ATM, ITM1 to ITM50 or OTM1 to OTM50.',
    },
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
    exchange: 'Exchange of the option.',
    lotsize: 'Size of one lot.',
    tick_size: 'Tick size.',
    freeze_qty: 'Largest order quantity the exchange accepts.',
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
  summary: 'Reads the options near the money with their quotes.',
  fields: {
    underlying: underlyingField,
    exchange: quoteExchangeField,
    expiryDate: expiryDateField,
    strikeCount: {
      kind: 'integer',
      default: 10,
      min: 1,
      max: 100,
      description: 'Number of strikes on each side of the money.',
    },
  },
  output: {
    chain:
      'One entry per strike, ascending: strike, ce and pe (symbol, label, ltp, bid, ask, oi, lotsize, …).',
    calls: 'The calls of the chain, each with its strike.',
    puts: 'The puts of the chain, each with its strike.',
    spot_price: 'Last price of the underlying.',
    underlying: 'The underlying.',
    underlying_ltp: 'Last price of the underlying.',
    underlying_prev_close: 'Previous close of the underlying.',
    expiry_date: 'Expiry of the chain.',
    atm_strike: 'At-the-money strike.',
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

/** Adds the calls and puts as separate lists. A strike without one of them is missing in its list. */
function withSides(result: NodeResult): NodeResult {
  const rows = rowsOf(result.chain)
  const side = (name: 'ce' | 'pe') =>
    rows.flatMap((row) => (isObject(row[name]) ? [{ strike: row.strike, ...row[name] }] : []))
  return { ...result, calls: side('ce'), puts: side('pe'), spot_price: result.underlying_ltp }
}

const syntheticFuture = defineNode({
  ...market,
  type: 'syntheticFuture',
  summary: 'Computes the price of a synthetic future: a long call and a short put at the money.',
  fields: { underlying: underlyingField, exchange: quoteExchangeField, expiryDate: expiryDateField },
  output: {
    synthetic_future_price: 'Strike plus call minus put.',
    underlying: 'The underlying.',
    underlying_ltp: 'Last price of the underlying.',
    expiry: 'Expiry of the options.',
    atm_strike: 'At-the-money strike.',
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
  summary: 'Reads a symbol from the instrument master.',
  fields: { symbol: symbolField, exchange: exchangeField },
  output: {
    symbol: 'Symbol in the format of svc.',
    name: 'Name of the share, or underlying of the contract.',
    exchange: 'Exchange.',
    token: "The broker's token.",
    expiry: 'Expiry; empty for an instrument without expiry.',
    strike: 'Strike of an option.',
    lotsize: 'Size of one lot.',
    tick_size: 'Tick size.',
    instrumenttype: 'Type of instrument.',
    freeze_qty: 'Largest order quantity the exchange accepts.',
    data: "The row as the endpoint returns it, with id, and with the broker's names in brsymbol and brexchange.",
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
      description: 'Kind of contract.',
    },
  },
  output: {
    data: 'Expiry dates such as 28-OCT-25, the next one first.',
    message: 'A text with the number of expiries.',
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
