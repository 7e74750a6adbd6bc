import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../../src/client/answers/json.js'
import type { AnswerOf } from '../../../src/client/endpoints.js'
import { parseOrderLine } from '../../../src/views/grammar/parse.js'
import { type Asks, closeMeant, orderMeant } from '../../../src/views/grammar/resolve.js'

/** Instruments as `EXCHANGE:SYMBOL LOT`. */
const LISTED = [
  'NSE:SBIN 1',
  'BSE:SBIN 1',
  'BSE:ONLYBSE 1',
  'NSE:MCX 1',
  'NSE_INDEX:NIFTY 1',
  'NFO:NIFTY01DEC26FUT 65',
  'NFO:NIFTY29DEC26FUT 65',
  'NFO:NIFTY01DEC2626300CE 65',
  'NFO:NIFTY08DEC2626300CE 65',
  'NFO:NIFTY08DEC2626400CE 65',
  'NFO:NIFTY28DEC2726300CE 75',
  'BFO:SENSEX03DEC2685000PE 20',
  'MCX:GOLD05FEB27FUT 100',
  'CDS:TWIN27NOV26FUT 1000',
  'BCD:TWIN27NOV26FUT 1000',
  'CRYPTO:BTCUSDFUT 1',
]
const EXPIRIES: Readonly<Record<string, readonly string[]>> = {
  'NFO NIFTY options': ['01-DEC-26', '08-DEC-26', '29-DEC-26', '28-DEC-27', '29-DEC-27'],
  'NFO NIFTY futures': ['01-DEC-26', '29-DEC-26'],
  'BFO SENSEX options': ['03-DEC-26'],
  'MCX GOLD futures': ['05-FEB-27'],
}

/** The answers of a daemon; its search finds similar symbols too, as the real one does. */
const ANSWERS: Readonly<Record<string, (asked: JsonObject) => unknown>> = {
  search: ({ exchange: place, query }) => ({
    data: LISTED.map((text) => text.split(/[: ]/))
      .filter(([exchange, symbol = '']) => (place ?? exchange) === exchange && isLike(symbol, String(query)))
      .map(([exchange, symbol, lot]) => ({ exchange, symbol, lotsize: Number(lot) })),
  }),
  expiry: ({ exchange, symbol, instrumenttype }) => ({
    data: EXPIRIES[`${exchange} ${symbol} ${instrumenttype}`] ?? [],
  }),
}

const isLike = (symbol: string, query: string) => symbol.startsWith(query.slice(0, 3))

const asks: Asks = {
  async call(name, body) {
    const asked: unknown = body
    const answer = isObject(asked) ? ANSWERS[name]?.(asked) : undefined
    return answer as AnswerOf<typeof name>
  },
}

async function meant(text: string) {
  const line = parseOrderLine(text)
  if ('refusal' in line || line.act !== 'order') throw new Error(`${text} is no order`)
  const read = await orderMeant(line, asks)
  return 'refusal' in read ? read : read.order
}

describe('the order that a line means', () => {
  it.each([
    ['b 10 sbin', { exchange: 'NSE', symbol: 'SBIN', quantity: 10, pricetype: 'MARKET', product: 'MIS' }],
    [
      's 10 bse:sbin 965 cnc',
      { exchange: 'BSE', action: 'SELL', pricetype: 'LIMIT', price: 965, product: 'CNC' },
    ],
    ['b 10 sbin sl 970', { pricetype: 'SL-M', price: 0, trigger_price: 970 }],
    ['b 10 sbin sl 970 971', { pricetype: 'SL', price: 971, trigger_price: 970 }],
    ['b 10 onlybse', { exchange: 'BSE', symbol: 'ONLYBSE' }],
    ['b 10 mcx', { exchange: 'NSE', symbol: 'MCX' }],
    ['b 65 nifty01dec26fut', { exchange: 'NFO', symbol: 'NIFTY01DEC26FUT', quantity: 65 }],
    ['b 2l nifty fut', { exchange: 'NFO', symbol: 'NIFTY01DEC26FUT', quantity: 130 }],
    ['b 130 nifty fut', { symbol: 'NIFTY01DEC26FUT', quantity: 130 }],
    ['b 1l nifty 29dec fut', { symbol: 'NIFTY29DEC26FUT' }],
    ['s nifty 26300ce 2l mkt', { symbol: 'NIFTY01DEC2626300CE', action: 'SELL', quantity: 130 }],
    ['b 1l nifty 8dec 26300ce', { symbol: 'NIFTY08DEC2626300CE', quantity: 65 }],
    ['b 1l nifty 28dec27 26300ce', { symbol: 'NIFTY28DEC2726300CE', quantity: 75 }],
    ['b 1l sensex 85000pe', { exchange: 'BFO', symbol: 'SENSEX03DEC2685000PE', quantity: 20 }],
    ['b 1l mcx:gold fut', { exchange: 'MCX', symbol: 'GOLD05FEB27FUT', quantity: 100 }],
    ['b 1l gold fut mcx', { exchange: 'MCX', symbol: 'GOLD05FEB27FUT', quantity: 100 }],
    ['b 2l btcusdfut', { exchange: 'CRYPTO', symbol: 'BTCUSDFUT', quantity: 2 }],
  ])('%s', async (text, order) => {
    expect(await meant(text)).toMatchObject(order)
  })

  it.each([
    ['b 10 sbi', 'not_found', 'No instrument is SBI. Look for it: svc search SBI'],
    ['b 10 nse:onlybse', 'not_found', 'No instrument is ONLYBSE on NSE'],
    ['b 10 nifty', 'not_found', 'NIFTY is an index. Add fut, or a strike'],
    ['b 10 nifty 26300', 'not_found', 'NIFTY is an index'],
    ['b 1000 twin27nov26fut', 'ambiguous', 'CDS:TWIN27NOV26FUT, BCD:TWIN27NOV26FUT'],
    ['b 10 nifty fut', 'usage', '10 of NFO:NIFTY01DEC26FUT is not a multiple of the lot, 65'],
    ['b 66 nifty 26300ce', 'usage', 'is not a multiple of the lot, 65'],
    ['b 2l sbin', 'usage', 'NSE:SBIN does not trade in lots'],
    ['b 1l gold fut', 'not_found', 'GOLD has no futures on NFO. Name another exchange, as in mcx:gold'],
    ['b 1l sbin 900ce', 'not_found', 'SBIN has no options on NFO'],
    [
      'b 1l nifty 02dec 26300ce',
      'not_found',
      'NIFTY has no options of 02DEC. The next ones: 01dec26, 08dec26',
    ],
    ['b 1l nifty 29dec 26300ce', 'ambiguous', '29dec26, 29dec27. Write the year'],
    // The strike of a later expiry is never taken in the place of the nearest one.
    ['b 1l nifty 26400ce', 'not_found', 'NIFTY01DEC2626400CE is not listed on NFO. See: svc chain NIFTY'],
  ])('%s is refused: %s, %s', async (text, code, refusal) => {
    expect(await meant(text)).toMatchObject({ code, refusal: expect.stringContaining(refusal) })
  })
})

const position = (key: string, product: string, quantity: number) => {
  const [exchange = '', symbol = ''] = key.split(':')
  return { exchange, symbol, product, quantity }
}
const HELD = [
  position('NSE:SBIN', 'MIS', 10),
  position('NFO:NIFTY01DEC26FUT', 'NRML', -65),
  position('NFO:NIFTY29DEC2626300PE', 'NRML', 65),
  position('NFO:NIFTY01DEC2626500CE', 'NRML', 65),
  position('NFO:NIFTY29DEC2626500CE', 'NRML', 65),
  position('BSE:TWICE', 'CNC', 5),
  position('NSE:TWICE', 'CNC', 7),
  position('NSE:INFY', 'CNC', 5),
  position('NSE:INFY', 'MIS', -2),
]

async function closed(text: string) {
  const line = parseOrderLine(text)
  if ('refusal' in line || line.act !== 'close') throw new Error(`${text} is no close`)
  return closeMeant(line, HELD, asks)
}

describe('the position that a line closes', () => {
  it.each([
    ['x sbin', 'NSE:SBIN', 'MIS'],
    ['x sbin mis', 'NSE:SBIN', 'MIS'],
    ['x nifty fut', 'NFO:NIFTY01DEC26FUT', 'NRML'],
    ['x nifty01dec26fut', 'NFO:NIFTY01DEC26FUT', 'NRML'],
    // Without an expiry, what is open decides, and not the nearest one.
    ['x nifty 26300pe', 'NFO:NIFTY29DEC2626300PE', 'NRML'],
    ['x nifty 29dec26 26500ce', 'NFO:NIFTY29DEC2626500CE', 'NRML'],
    ['x bse:twice', 'BSE:TWICE', 'CNC'],
    ['x infy mis', 'NSE:INFY', 'MIS'],
    // Nothing of it is open, which is no wrong line.
    ['x onlybse', 'BSE:ONLYBSE', undefined],
  ])('%s', async (text, key, product) => {
    const [exchange, symbol] = key.split(':')
    expect(await closed(text)).toMatchObject({ exchange, symbol, ...(product !== undefined && { product }) })
  })

  it.each([
    ['x infy', 'ambiguous', 'NSE:INFY CNC (5), NSE:INFY MIS (-2)'],
    ['x twice', 'ambiguous', 'BSE:TWICE CNC (5), NSE:TWICE CNC (7)'],
    ['x nifty 26500ce', 'ambiguous', 'NFO:NIFTY01DEC2626500CE NRML (65), NFO:NIFTY29DEC2626500CE NRML (65)'],
    ['x sbin cnc', 'not_found', 'SBIN is not open in CNC, but in MIS'],
    ['x nope', 'not_found', 'No instrument is NOPE'],
    ['x nifty', 'not_found', 'NIFTY is an index'],
  ])('%s is refused: %s, %s', async (text, code, refusal) => {
    expect(await closed(text)).toMatchObject({ code, refusal: expect.stringContaining(refusal) })
  })
})
