import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACTIONS, ORDER_PRODUCTS, PRODUCTS } from '../../../src/core/orders/vocabulary.js'
import { type Line, lineText } from '../../../src/views/grammar/line.js'
import { isOrderLine, parseOrderLine } from '../../../src/views/grammar/parse.js'
import { ACT_ROWS, GRAMMAR, PART_ROWS } from '../../../src/views/grammar/table.js'
import { TRADED_EXCHANGES } from '../../../src/views/market/exchange.js'

const BUY = { act: 'order', action: 'BUY' } as const
const SBIN = { ...BUY, quantity: { units: 10 }, symbol: 'SBIN' } as const
const NIFTY = { ...BUY, quantity: { lots: 2 }, symbol: 'NIFTY' } as const

describe('the words of a line', () => {
  it.each<[string, Line]>([
    ['b 10 sbin 965', { ...SBIN, price: 965 }],
    ['buy 10 sbin', SBIN],
    ['B 10 SBIN', SBIN],
    ['  b   10  sbin  ', SBIN],
    ['b 10 sbin mkt', SBIN],
    ['s 10 sbin', { ...SBIN, action: 'SELL' }],
    ['sell 10 sbin', { ...SBIN, action: 'SELL' }],
    ['b 10 nse:sbin', { ...SBIN, exchange: 'NSE' }],
    ['b 10 sbin bse', { ...SBIN, exchange: 'BSE' }],
    ['b 10 sbin sl 950', { ...SBIN, trigger: 950 }],
    ['b 10 sbin sl 950 965.05', { ...SBIN, trigger: 950, price: 965.05 }],
    ['b 10 sbin cnc 965', { ...SBIN, product: 'CNC', price: 965 }],
    ['b 10 sbin 965 mis', { ...SBIN, product: 'MIS', price: 965 }],
    ['b 10 sbin nrml', { ...SBIN, product: 'NRML' }],
    ['b 2l nifty fut', { ...NIFTY, contract: 'FUT' }],
    ['b 2 lots nifty fut', { ...NIFTY, contract: 'FUT' }],
    ['b 2lots nifty fut', { ...NIFTY, contract: 'FUT' }],
    ['b nifty fut 2 lots', { ...NIFTY, contract: 'FUT' }],
    ['b nifty 2l fut', { ...NIFTY, contract: 'FUT' }],
    ['b 2l nifty 26300ce', { ...NIFTY, contract: { strike: 26300, kind: 'CE' } }],
    ['b 2l nifty 26300 pe', { ...NIFTY, contract: { strike: 26300, kind: 'PE' } }],
    ['b 2l nifty 26300.0CE', { ...NIFTY, contract: { strike: 26300, kind: 'CE' } }],
    ['s nifty 26300ce 2l mkt', { ...NIFTY, action: 'SELL', contract: { strike: 26300, kind: 'CE' } }],
    ['b 2l nifty 5dec 26300ce', { ...NIFTY, expiry: '05DEC', contract: { strike: 26300, kind: 'CE' } }],
    ['b 2l nifty fut 05dec26', { ...NIFTY, expiry: '05DEC26', contract: 'FUT' }],
    // The names of exchanges are symbols, too.
    ['b 10 bse 2500', { ...SBIN, symbol: 'BSE', price: 2500 }],
    ['b 10 mcx', { ...SBIN, symbol: 'MCX' }],
    ['b 10 m&m', { ...SBIN, symbol: 'M&M' }],
    ['b 10 bajaj-auto', { ...SBIN, symbol: 'BAJAJ-AUTO' }],
    ['b 10 20microns', { ...SBIN, symbol: '20MICRONS' }],
    ['b 10 nse:mkt', { ...SBIN, symbol: 'MKT', exchange: 'NSE' }],
    ['b 0.5 crypto:btcinr', { ...SBIN, quantity: { units: 0.5 }, symbol: 'BTCINR', exchange: 'CRYPTO' }],
    ['x sbin', { act: 'close', symbol: 'SBIN' }],
    ['x sbin mtf', { act: 'close', symbol: 'SBIN', product: 'MTF' }],
    ['x nse:sbin cnc', { act: 'close', symbol: 'SBIN', exchange: 'NSE', product: 'CNC' }],
    ['x nifty 26300ce', { act: 'close', symbol: 'NIFTY', contract: { strike: 26300, kind: 'CE' } }],
    ['x all', { act: 'close-all' }],
    ['x nse:all', { act: 'close', symbol: 'ALL', exchange: 'NSE' }],
    ['c 2504AbC', { act: 'cancel', id: '2504AbC' }],
    ['c all', { act: 'cancel-all' }],
    ['m 2504AbC 966', { act: 'modify', id: '2504AbC', price: 966 }],
    ['m 2504AbC sl 950', { act: 'modify', id: '2504AbC', trigger: 950 }],
    ['m 2504AbC sl 950 966', { act: 'modify', id: '2504AbC', trigger: 950, price: 966 }],
  ])('%s', (text, line) => {
    expect(parseOrderLine(text)).toEqual(line)
  })
})

describe('a line that is not clear is refused, with the part that is meant', () => {
  it.each([
    ['', 'A line begins with b, buy, s, sell, x, c, m'],
    ['buyy 10 sbin', 'A line begins with'],
    ['b', 'The quantity is missing'],
    ['b sbin', 'The quantity is missing'],
    ['b sbin 10', 'The quantity is missing'],
    ['b sbin 10 965', 'The quantity is missing'],
    ['b sbin 965 10', 'The quantity is missing'],
    ['b 10', 'The symbol is missing, as in "b 10 sbin 965"'],
    ['b 10 965', 'The symbol is missing before "965"'],
    ['b 10 mkt', 'The symbol is missing before "mkt"'],
    ['b 10 sl 950', 'The symbol is missing before "sl"'],
    ['b 2l 26300ce', 'The symbol is missing before "26300ce"'],
    ['b 10 20 sbin', 'The symbol is missing before "20"'],
    ['b 10 sbin 965 966', '"966" is a second price'],
    ['b 10 sbin mkt 965', '"965" is a second price'],
    ['b 10 sbin 965 mkt', '"mkt" is a second price'],
    ['b 10 sbin sl 950 965 966', '"966" is a second price'],
    ['b 10 sbin cnc mis', '"mis" is a second product'],
    ['b 10 nse:sbin bse', '"bse" is a second exchange'],
    ['b 10 sbin 2l', '"2l" is a second quantity'],
    ['b 2l nifty fut 26300ce', '"26300ce" is a second contract'],
    ['b 2l nifty 05dec', '05DEC is an expiry: add fut, or a strike'],
    ['b 10 sbin infy', '"infy" is not understood. Here may stand: 2l, 2 lots; fut; 26300ce'],
    ['b 10 bse sbin', '"sbin" is not understood'],
    ['b 10 sbin sl', '"sl" is not understood'],
    ['b 10 sbin 0', '"0" is not understood'],
    ['b 10 sbin -5', '"-5" is not understood'],
    ['b 10 sbin 1e3', '"1e3" is not understood'],
    ['b 10 sbin 9,650', '"9,650" is not understood'],
    ['b 10 sbin 965.', '"965." is not understood'],
    ['b 2l nifty 2630 0ce', '"0ce" is not understood'],
    ['b 10 sl', '"sl" is a word of the line. As a symbol it needs its exchange, as in nse:sl'],
    ['b 10 lots 965', 'The symbol is missing before "965"'],
    ['b 26300 ce', '"ce" is a word of the line'],
    ['b 10k sbin', 'The quantity is missing'],
    ['b 1,000 sbin', 'The quantity is missing'],
    ['b -10 sbin', 'The quantity is missing'],
    ['b 1.5l nifty fut', 'The quantity is missing'],
    ['b 9999999999 sbin', 'The quantity is missing'],
    ['b 10 sbin mtf', '"mtf" has no place in this line. It means: product of a position that x closes'],
    ['b 10 nyse:sbin', '"NYSE" is no exchange that takes orders: NSE, BSE'],
    ['b 10 nse_index:nifty', '"NSE_INDEX" is no exchange that takes orders'],
    ['b 10 nse:', '"nse:" is no symbol'],
    ['b 10 sb!n', '"sb!n" is no symbol'],
    ['x', 'The symbol is missing, as in "x sbin"'],
    ['x sbin 965', '"965" has no place in this line. It means: limit price'],
    ['x sbin 2l', '"2l" has no place in this line'],
    ['x all sbin', '"sbin" is not understood'],
    ['c', 'The id of the order is missing'],
    ['c 12 13', '"13" has no place in this line: c takes one id'],
    ['c $(id)', '"$(id)" is no id of an order'],
    ['m', 'The id of the order is missing'],
    ['m 12', 'The new price is missing'],
    ['m 12 mkt', '"mkt" has no place in this line'],
    ['m 966 250408000989443', '"250408000989443" is not understood'],
  ])('%s: %s', (text, refusal) => {
    expect(parseOrderLine(text)).toMatchObject({ refusal: expect.stringContaining(refusal), code: 'usage' })
  })

  it.each(PART_ROWS.filter(({ part }) => part !== 'exchange'))('$form is no symbol', ({ form }) => {
    const word = form.split(', ')[0]
    expect(parseOrderLine(`b 10 ${word}`)).toMatchObject({
      refusal: expect.stringContaining('symbol is missing'),
    })
  })
})

describe('the table', () => {
  it.each(GRAMMAR)('$example is understood', ({ example }) => {
    expect(parseOrderLine(example)).not.toHaveProperty('refusal')
  })

  it.each(PART_ROWS)('$example has $form', ({ example, take, part }) => {
    const words = example.split(' ')
    const found = words.map((_, at) => take(words.slice(at))).find((one) => one?.given[part] !== undefined)
    expect(found).toBeDefined()
  })

  it.each(ACT_ROWS.flatMap(({ act, words }) => words.map((word) => ({ word, act }))))(
    '$word begins a line',
    ({ word }) => {
      expect([isOrderLine(word), isOrderLine(`${word.toUpperCase()} 1`), isOrderLine(`${word}x 1`)]).toEqual([
        true,
        true,
        false,
      ])
    },
  )

  it('fits into the help, whose lines have a hundred characters', () => {
    const widest = (key: 'form' | 'meaning' | 'example') => Math.max(...GRAMMAR.map((row) => row[key].length))
    expect(2 + widest('form') + 2 + widest('meaning') + 2 + widest('example')).toBeLessThanOrEqual(100)
  })
})

describe('the text of a line', () => {
  const price = fc.integer({ min: 1, max: 999_999_999 }).map((ticks) => ticks / 20)
  const terms = fc.oneof(
    fc.constant({}),
    fc.record({ price }),
    fc.record({ trigger: price }),
    fc.record({ price, trigger: price }),
  )
  const written = fc
    .record({
      symbol: fc.constantFrom('SBIN', 'M&M', 'BAJAJ-AUTO', '20MICRONS', 'BSE', 'NIFTY24NOV2626000CE'),
      exchange: fc.option(fc.constantFrom(...TRADED_EXCHANGES), { nil: undefined }),
      contract: fc.option(
        fc.oneof(
          fc.constant('FUT' as const),
          fc.record({ strike: price, kind: fc.constantFrom('CE' as const, 'PE' as const) }),
        ),
        { nil: undefined },
      ),
      expiry: fc.constantFrom(undefined, '05DEC', '29JAN27'),
    })
    .map(({ expiry, ...rest }) => (rest.contract === undefined ? rest : { ...rest, expiry }))
  const id = fc.stringMatching(/^[A-Za-z0-9]{4,18}$/)
  const quantity = fc.oneof(
    fc.record({ units: fc.integer({ min: 1, max: 999_999_999 }) }),
    fc.record({ lots: fc.integer({ min: 1, max: 9999 }) }),
  )
  const optional = <T>(values: readonly T[]) => fc.constantFrom(undefined, ...values)
  const line: fc.Arbitrary<Line> = fc.oneof(
    fc
      .tuple(fc.constantFrom(...ACTIONS), quantity, written, terms, optional(PRODUCTS))
      .map(([action, size, named, prices, product]) => ({
        ...{ act: 'order' as const, action, quantity: size, ...named, ...prices, product },
      })),
    fc
      .tuple(written, optional(ORDER_PRODUCTS))
      .map(([named, product]) => ({ act: 'close' as const, ...named, product })),
    id.map((one) => ({ act: 'cancel' as const, id: one })),
    fc
      .tuple(
        id,
        terms.filter((one) => Object.keys(one).length > 0),
      )
      .map(([one, prices]) => ({ act: 'modify' as const, id: one, ...prices })),
    fc.constantFrom({ act: 'close-all' as const }, { act: 'cancel-all' as const }),
  )

  it('is parsed to the same line', () => {
    fc.assert(
      fc.property(line, (one) => {
        expect(parseOrderLine(lineText(one))).toEqual(one)
      }),
    )
  })

  it('of whatever is understood is parsed to the same line', () => {
    const words = fc.constantFrom(
      ...ACT_ROWS.flatMap((row) => row.words),
      ...GRAMMAR.flatMap(({ form, example }) => [...form.split(', '), ...example.split(' ')]),
      ...['0', '00', '1.50', '7', '26300', 'ce', 'l', 'lots', 'sl', 'all', 'nse:fut', ':', 'x'],
    )
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 8 }), (typed) => {
        const read = parseOrderLine(typed.join(' '))
        if (!('refusal' in read)) expect(parseOrderLine(lineText(read))).toEqual(read)
      }),
      { numRuns: 2000 },
    )
  })

  it('any text is understood or refused, never thrown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(() => parseOrderLine(`b ${text}`)).not.toThrow()
      }),
    )
  })
})
