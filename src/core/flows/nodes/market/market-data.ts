import { EXCHANGES } from '../../../instruments/schema.js'
import { isObject } from '../../../validation/index.js'
import type { Body } from '../../ports.js'
import { defineNode, type NodeDefinition, NodeError, type NodeResult } from '../definition.js'
import type { Field, Fields } from '../field.js'
import { EXPIRY, STRIKE_OFFSET, SYMBOL } from '../form.js'
import { mirrored } from '../mirrored.js'
import { flags, list, number, numbers, object, optional, text, texts } from '../output.js'
import { exchangeField, rowsOf, symbolField } from '../shared.js'

/** Nodes for prices, contracts and instruments. */

const market = { family: 'data', effect: 'market', storesOutput: true } as const

const AS_RETURNED = 'The same members, as the endpoint returns them.'

const QUOTE = numbers(
  ...['ltp', 'open', 'high', 'low', 'prev_close', 'volume', 'oi', 'bid', 'ask', 'bid_qty', 'ask_qty'],
)

const LEVELS = list(object(numbers('price', 'quantity')))

const DEPTH = {
  bids: { ...LEVELS, description: 'Five bid levels, best first.' },
  asks: { ...LEVELS, description: 'Five ask levels, best first.' },
  totalbuyqty: number('Total bid quantity.'),
  totalsellqty: number('Total ask quantity.'),
  ltp: number('Last price.'),
  ltq: number('Quantity of the last trade.'),
  ...numbers('open', 'high', 'low', 'prev_close', 'volume', 'oi'),
}

const INTERVAL_LISTS = {
  seconds: list(text(), 'Intervals in seconds.'),
  minutes: list(text(), 'Intervals in minutes.'),
  hours: list(text(), 'Intervals in hours.'),
  days: list(text(), 'Intervals in days.'),
  weeks: list(text(), 'Intervals in weeks.'),
  months: list(text(), 'Intervals in months.'),
}

const OPTION_QUOTE = {
  ...texts('symbol', 'label'),
  ...numbers('ltp', 'bid', 'ask', 'bid_qty', 'ask_qty', 'open', 'high', 'low', 'prev_close'),
  ...numbers('volume', 'oi', 'lotsize', 'tick_size'),
}

const INSTRUMENT = {
  symbol: text('Symbol in the format of svc.'),
  name: text('Name of the share, or underlying of the contract.'),
  exchange: text('Exchange.'),
  token: text("The broker's token."),
  expiry: text('Expiry; empty for an instrument without expiry.'),
  strike: number('Strike of an option.'),
  lotsize: number('Size of one lot.'),
  tick_size: number('Tick size.'),
  instrumenttype: text('Type of instrument.'),
  freeze_qty: number('Largest order quantity the exchange accepts.'),
  id: number(),
  brsymbol: text("The broker's symbol."),
  brexchange: text("The broker's exchange."),
}

const getQuote = defineNode({
  ...market,
  type: 'getQuote',
  summary: 'Reads the quote of a symbol.',
  fields: { symbol: symbolField, exchange: exchangeField },
  output: {
    ltp: number('Last price.'),
    open: number('Open of the day.'),
    high: number('High of the day.'),
    low: number('Low of the day.'),
    close: number('Close of the previous session.'),
    prev_close: number('Close of the previous session.'),
    volume: number('Volume of the day.'),
    oi: number('Open interest.'),
    bid: number('Best bid.'),
    ask: number('Best ask.'),
    ...numbers('bid_qty', 'ask_qty'),
    data: object(QUOTE, 'The quote as the endpoint returns it.'),
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
    ...DEPTH,
    data: object(DEPTH, AS_RETURNED),
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
  output: {
    results: list(
      object({
        ...texts('symbol', 'exchange'),
        data: optional(object(QUOTE)),
        error: optional(text()),
      }),
      'One entry per symbol, with data (the quote) or error.',
    ),
  },
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
    ...INTERVAL_LISTS,
    data: object(INTERVAL_LISTS, AS_RETURNED),
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
    symbol: text('Symbol of the option.'),
    exchange: text('Exchange of the option.'),
    lotsize: number('Size of one lot.'),
    tick_size: number('Tick size.'),
    freeze_qty: number('Largest order quantity the exchange accepts.'),
    underlying_ltp: number('Last price of the underlying.'),
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
    chain: list(
      object({ strike: number(), ce: object(OPTION_QUOTE), pe: object(OPTION_QUOTE) }),
      'One entry per strike, ascending, with its call `ce` and its put `pe`.',
    ),
    calls: list(
      object({ strike: number(), ...OPTION_QUOTE }),
      'The calls of the chain, each with its strike.',
    ),
    puts: list(object({ strike: number(), ...OPTION_QUOTE }), 'The puts of the chain, each with its strike.'),
    spot_price: number('Last price of the underlying.'),
    underlying: text('The underlying.'),
    underlying_ltp: number('Last price of the underlying.'),
    underlying_prev_close: number('Previous close of the underlying.'),
    expiry_date: text('Expiry of the chain.'),
    atm_strike: number('At-the-money strike.'),
    ...texts('underlying_symbol', 'underlying_exchange'),
    ...numbers('expiry_ts', 'server_ts', 'forward_price'),
    ...flags('quotes_included', 'greeks_included'),
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
    synthetic_future_price: number('Strike plus call minus put.'),
    underlying: text('The underlying.'),
    underlying_ltp: number('Last price of the underlying.'),
    expiry: text('Expiry of the options.'),
    atm_strike: number('At-the-money strike.'),
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
    ...INSTRUMENT,
    data: object(INSTRUMENT, AS_RETURNED),
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
    data: list(text(), 'Expiry dates such as 28-OCT-25, the next one first.'),
    message: text('A text with the number of expiries.'),
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
