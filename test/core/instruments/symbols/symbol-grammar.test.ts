import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareExpiries,
  dateToExpiry,
  expiryToDate,
} from '../../../../src/core/instruments/symbols/expiry.js'
import {
  futureSymbol,
  optionSymbol,
  perpetualSymbol,
  splitPerpetual,
  splitSymbol,
  strikeText,
  underlyingOf,
} from '../../../../src/core/instruments/symbols/symbol-grammar.js'

describe('dated symbols', () => {
  it.each([
    ['BANKNIFTY24APR24FUT', 'BANKNIFTY', '24-APR-24', undefined, 'FUT'],
    ['NIFTY28MAR2420800CE', 'NIFTY', '28-MAR-24', 20800, 'CE'],
    ['VEDL25APR24292.5CE', 'VEDL', '25-APR-24', 292.5, 'CE'],
    ['USDINR19APR2482CE', 'USDINR', '19-APR-24', 82, 'CE'],
    ['USDINR19APR2482.25PE', 'USDINR', '19-APR-24', 82.25, 'PE'],
    ['726GS203325APR24FUT', '726GS2033', '25-APR-24', undefined, 'FUT'],
    ['726GS203225APR2497PE', '726GS2032', '25-APR-24', 97, 'PE'],
    ['360ONE30DEC251100CE', '360ONE', '30-DEC-25', 1100, 'CE'],
    ['NIFTYNXT5030DEC25FUT', 'NIFTYNXT50', '30-DEC-25', undefined, 'FUT'],
    ['M&M30DEC25FUT', 'M&M', '30-DEC-25', undefined, 'FUT'],
    ['BAJAJ-AUTO30DEC259000PE', 'BAJAJ-AUTO', '30-DEC-25', 9000, 'PE'],
    ['CRUDEOIL17APR246750CE', 'CRUDEOIL', '17-APR-24', 6750, 'CE'],
    ['BTC28FEB2580000CE', 'BTC', '28-FEB-25', 80000, 'CE'],
    ['NIFTY28MAR24', 'NIFTY', '28-MAR-24', undefined, undefined],
  ])('%s splits into its parts', (symbol, base, expiry, strike, type) => {
    expect(splitSymbol(symbol)).toEqual({ base, expiry, strike, type })
  })

  it.each([
    'SBIN',
    'NIFTY',
    'BTCUSDFUT',
    'NIFTY28MAR24CE',
    'NIFTY28MAR2420800',
    'NIFTY28MAR2420800FUT',
    'NIFTY31FEB24FUT',
    'NIFTY00MAR24FUT',
    'NIFTY28MAR2420800.CE',
    '28MAR24FUT',
    'nifty28MAR24FUT',
    '',
    `${'A1JAN'.repeat(2000)}FUT`,
  ])('%.40s is not a dated symbol', (symbol) => {
    expect(splitSymbol(symbol)).toBeUndefined()
  })

  const bases = fc.stringMatching(/^[A-Z0-9&_-]{1,14}$/)
  const expiries = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => dateToExpiry(date.toISOString().slice(0, 10)) ?? '')
  const strikes = fc.integer({ min: 1, max: 500_000_00 }).map((hundredths) => hundredths / 100)

  it('splits a symbol into the parts it was built from, for any base', () => {
    fc.assert(
      fc.property(bases, expiries, strikes, fc.constantFrom('CE', 'PE'), (base, expiry, strike, type) => {
        expect(splitSymbol(optionSymbol(base, expiry, strike, type))).toEqual({ base, expiry, strike, type })
        expect(splitSymbol(futureSymbol(base, expiry))).toEqual({
          base,
          expiry,
          strike: undefined,
          type: 'FUT',
        })
      }),
      { numRuns: 2000 },
    )
  })
})

describe('strikes', () => {
  it.each([
    [20800, '20800'],
    [292.5, '292.5'],
    [82.25, '82.25'],
    [0.1 + 0.2, '0.3'],
    [0.0000005, '0.0000005'],
    [120000000, '120000000'],
  ])('%d is written %s', (strike, text) => {
    expect(strikeText(strike)).toBe(text)
  })
})

describe('underlyings', () => {
  it.each([
    ['SBIN', 'NSE', 'SBIN'],
    ['NIFTY', 'NSE_INDEX', 'NIFTY'],
    ['726GS203325APR24FUT', 'CDS', '726GS2033'],
    ['BTCUSDFUT', 'CRYPTO', 'BTC'],
    ['BTCINR', 'CRYPTO', 'BTCINR'],
    ['C-BTC-MOVE', 'CRYPTO', 'C-BTC-MOVE'],
  ])('%s on %s has the underlying %s', (symbol, exchange, underlying) => {
    expect(underlyingOf(symbol, exchange)).toBe(underlying)
  })

  it('splits perpetuals by their quote currency', () => {
    expect(splitPerpetual(perpetualSymbol('ETH', 'USDT'))).toEqual({ base: 'ETH', quote: 'USDT' })
    expect(splitPerpetual('BTC28FEB25FUT')).toBeUndefined()
  })
})

describe('expiry texts', () => {
  it.each([
    ['2024-03-28', '28-MAR-24'],
    ['25-04-2024', '25-APR-24'],
    ['2024-02-29', '29-FEB-24'],
  ])('%s is shown as %s', (date, text) => {
    expect(dateToExpiry(date)).toBe(text)
  })

  it.each(['', '2023-02-29', '2024-13-01', '24-04-25', '1999-01-01', '2024-04-00', 'x'])(
    '%s is no expiry date',
    (date) => {
      expect(dateToExpiry(date)).toBeUndefined()
    },
  )

  it('reads its own text back', () => {
    expect(expiryToDate('28-MAR-24')).toBe('2024-03-28')
    expect(expiryToDate('31-FEB-24')).toBeUndefined()
    expect(expiryToDate('28-mar-24')).toBeUndefined()
  })

  it('sorts by date, unreadable texts last', () => {
    expect(['28-MAR-24', '??', '01-APR-23', '27-DEC-23'].sort(compareExpiries)).toEqual([
      '01-APR-23',
      '27-DEC-23',
      '28-MAR-24',
      '??',
    ])
  })
})
