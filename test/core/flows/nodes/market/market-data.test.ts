import { describe, expect, it } from 'vitest'
import { MARKET_NODES } from '../../../../../src/core/flows/nodes/market/market-data.js'
import type { Body, ReadCall } from '../../../../../src/core/flows/ports.js'
import { runNode } from '../../support.js'

const node = (type: string) => {
  const found = MARKET_NODES.find((one) => one.type === type)
  if (!found) throw new Error(`no node ${type}`)
  return found
}

const QUOTE = { ltp: 812.4, open: 800, high: 815, low: 799, prev_close: 805.5, volume: 1200, oi: 0 }
const LEG = { symbol: 'NIFTY28OCT2526000CE', ltp: 120.5, lotsize: 65 }

interface Row {
  type: string
  call: ReadCall
  data: Body
  asked: Body
  answer?: Body
  gives?: Body
}

const ROWS: readonly Row[] = [
  {
    type: 'getQuote',
    call: 'quotes',
    data: { symbol: '{{s}}', exchange: 'nse' },
    asked: { symbol: 'SBIN', exchange: 'NSE' },
    answer: { data: QUOTE },
    gives: { ltp: 812.4, open: 800, close: 805.5, prev_close: 805.5, volume: 1200, data: QUOTE },
  },
  {
    type: 'getDepth',
    call: 'depth',
    data: { symbol: 'SBIN' },
    asked: { symbol: 'SBIN', exchange: 'NSE' },
    answer: { data: { bids: [{ price: 1, quantity: 2 }], asks: [], totalbuyqty: 2, totalsellqty: 0 } },
    gives: { bids: [{ price: 1, quantity: 2 }], totalbuyqty: 2, totalsellqty: 0 },
  },
  {
    type: 'multiQuotes',
    call: 'multiquotes',
    data: { symbols: 'SBIN, INFY,,', exchange: 'NSE' },
    asked: {
      symbols: [
        { symbol: 'SBIN', exchange: 'NSE' },
        { symbol: 'INFY', exchange: 'NSE' },
      ],
    },
    answer: { results: [{ symbol: 'SBIN', exchange: 'NSE', data: QUOTE }] },
    gives: { results: [{ symbol: 'SBIN', exchange: 'NSE', data: QUOTE }] },
  },
  {
    type: 'multiQuotes',
    call: 'multiquotes',
    data: { symbols: ['{{s}}', { symbol: 'NIFTY', exchange: 'NSE_INDEX' }], exchange: 'BSE' },
    asked: {
      symbols: [
        { symbol: 'SBIN', exchange: 'BSE' },
        { symbol: 'NIFTY', exchange: 'NSE_INDEX' },
      ],
    },
  },
  {
    type: 'multiQuotes',
    call: 'multiquotes',
    data: { symbols: '{{list}}' },
    asked: { symbols: [{ symbol: 'A', exchange: 'NSE' }] },
  },
  {
    type: 'intervals',
    call: 'intervals',
    data: {},
    asked: {},
    answer: { data: { minutes: ['1m', '5m'] } },
    gives: { minutes: ['1m', '5m'], data: { minutes: ['1m', '5m'] } },
  },
  {
    type: 'optionSymbol',
    call: 'optionsymbol',
    data: { expiryDate: '28-OCT-25', offset: 'OTM2', optionType: 'pe' },
    asked: {
      underlying: 'NIFTY',
      exchange: 'NSE_INDEX',
      expiry_date: '28-OCT-25',
      offset: 'OTM2',
      option_type: 'PE',
    },
    answer: { symbol: 'NIFTY28OCT2525900PE', exchange: 'NFO', lotsize: 65 },
    gives: { symbol: 'NIFTY28OCT2525900PE', exchange: 'NFO', lotsize: 65 },
  },
  {
    type: 'optionSymbol',
    call: 'optionsymbol',
    data: { underlying: 'NIFTY28OCT25FUT', exchange: 'NFO' },
    asked: { underlying: 'NIFTY28OCT25FUT', exchange: 'NFO', offset: 'ATM', option_type: 'CE' },
  },
  {
    type: 'optionChain',
    call: 'optionchain',
    data: { expiryDate: '{{exp[0]}}', strikeCount: '5' },
    asked: { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '28-OCT-25', strike_count: 5 },
    answer: { underlying_ltp: 26011, chain: [{ strike: 26000, ce: LEG, pe: null }] },
    gives: {
      spot_price: 26011,
      calls: [{ strike: 26000, ...LEG }],
      puts: [],
      chain: [{ strike: 26000, ce: LEG, pe: null }],
    },
  },
  {
    type: 'syntheticFuture',
    call: 'syntheticfuture',
    data: { underlying: 'BANKNIFTY', expiry: '28OCT25' },
    asked: { underlying: 'BANKNIFTY', exchange: 'NSE_INDEX', expiry_date: '28OCT25' },
    answer: { synthetic_future_price: 58010.5 },
    gives: { synthetic_future_price: 58010.5 },
  },
  {
    type: 'symbol',
    call: 'symbol',
    data: { symbol: 'SBIN', exchange: 'BSE' },
    asked: { symbol: 'SBIN', exchange: 'BSE' },
    answer: { data: { id: 7, symbol: 'SBIN', lotsize: 1 } },
    gives: { id: 7, symbol: 'SBIN', lotsize: 1, data: { id: 7, symbol: 'SBIN', lotsize: 1 } },
  },
  {
    type: 'expiry',
    call: 'expiry',
    data: { instrumenttype: 'Futures' },
    asked: { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'futures' },
    answer: { data: ['28-OCT-25'], message: 'Found 1' },
    gives: { data: ['28-OCT-25'], message: 'Found 1' },
  },
]

const variables = { s: 'SBIN', list: ['A'], exp: ['28-OCT-25'] }

describe('requests and results', () => {
  it.each(ROWS)('$type $data', async ({ type, call, data, asked, answer = {}, gives = {} }) => {
    const { result, ports } = await runNode(node(type), data, { variables, reads: { [call]: answer } })

    expect(ports.asked).toEqual([{ call, body: asked }])
    expect(result).toMatchObject({ status: 'success', ...gives })
  })

  it.each(ROWS)('$type returns a refusal with its text and status', async ({ type, call, data }) => {
    const refusal = { status: 'error', message: 'Broker is away', code: 503 }
    const { result } = await runNode(node(type), data, { variables, reads: { [call]: refusal } })

    expect(result).toEqual({
      status: 'error',
      message: 'Broker is away',
      error: 'Broker is away',
      code: 503,
    })
  })
})

it.each([
  ['getQuote', { symbol: 'SBIN', exchange: 'NYSE' }, /^exchange 'NYSE' is not one of NSE, /],
  ['getDepth', { symbol: 'SBIN', exchange: '{{nowhere}}' }, /^exchange '\{\{nowhere\}\}' is not one of/],
  ['multiQuotes', { symbols: ' , ' }, /^No symbols specified$/],
  ['multiQuotes', { symbols: [] }, /^No symbols specified$/],
  ['optionSymbol', { optionType: 'FUT' }, /^optionType 'FUT' is not one of CE, PE$/],
  ['optionChain', { strikeCount: 'ten' }, /^strikeCount did not resolve to a number: 'ten'$/],
  ['syntheticFuture', { exchange: 'LSE' }, /^exchange 'LSE'/],
  ['symbol', { symbol: 'SBIN', exchange: 'LSE' }, /^exchange 'LSE'/],
  ['expiry', { instrumenttype: 'swaps' }, /^instrumenttype 'swaps' is not one of options, futures$/],
])('%s %j is refused before any request', async (type, data, message) => {
  const { failure, ports } = await runNode(node(type), data)

  expect(failure).toMatch(message)
  expect(ports.asked).toEqual([])
})
