import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CellStyle,
  cellText,
  dataValue,
  MOST_DECIMALS,
  undeclaredValue,
  visible,
} from '../../../src/views/table/cells.js'

it.each([
  ['\u061cx', '\\u061cx'],
  ['\u202ex', '\\u202ex'],
  ['\u001b[2J', '\\u001b[2J'],
  ['漢字 👩‍👩‍👧', '漢字 👩‍👩‍👧'],
])('%j reaches a terminal as %s', (text, shown) => {
  expect(visible(text)).toBe(shown)
})

const style: CellStyle = { human: false, utc: false, now: Date.parse('2026-11-20T04:00:00Z') }

describe('a number of a document', () => {
  const kinds = fc.constantFrom(...(['money', 'signed', 'price', 'change', 'quantity', 'decimals'] as const))
  const amounts = fc.double({ min: -1e9, max: 1e9, noNaN: true })

  it('never has more decimals than its kind: a sum of floats, a ratio or a text', () => {
    fc.assert(
      fc.property(kinds, fc.array(amounts, { minLength: 1, maxLength: 20 }), amounts, (kind, parts, part) => {
        const sum = parts.reduce((all, one) => all + one, 0)
        const most = MOST_DECIMALS[kind] ?? 0
        for (const value of [sum, sum / part, sum.toFixed(12)]) {
          if (!(Math.abs(Number(value)) < 1e15)) continue
          const shown = Number(dataValue(value, kind, style))
          expect(shown).toBe(Number(shown.toFixed(most)))
          const rounding = 0.5000001 * 10 ** -most
          expect(Math.abs(shown - Number(value))).toBeLessThanOrEqual(
            rounding + Math.abs(Number(value)) * 1e-14,
          )
        }
      }),
    )
  })

  it('keeps what has no noise', () => {
    const paise = fc.integer({ min: -1e13, max: 1e13 }).map((units) => units / 100)
    fc.assert(
      fc.property(paise, (amount) => {
        expect(dataValue(amount, 'money', style)).toBe(amount + 0)
      }),
    )
  })

  it.each([
    [25256.399999999998, 'money', 25256.4],
    [0.1 + 0.2, 'signed', 0.3],
    ['812.50', 'price', 812.5],
    [83.2525, 'price', 83.2525],
    [0.00001234, 'price', 0.00001234],
    [-0.001, 'signed', 0],
    [17.5432690000016, 'decimals', 17.5433],
    ['26112988077803', 'text', '26112988077803'],
  ] as const)('%j as %s is %j', (value, kind, shown) => {
    expect(dataValue(value, kind, style)).toBe(shown)
    expect(cellText(value, kind, style)).toBe(String(shown))
  })
})

describe('a word in place of a number', () => {
  it.each(['money', 'signed', 'price', 'change', 'quantity', 'decimals'] as const)('%s', (kind) => {
    for (const word of ['Multiple', '90 / 110', '-', '']) {
      expect(dataValue(word, kind, style)).toBe(null)
      expect(cellText(word, kind, style)).toBe('')
      expect(cellText(word, kind, { ...style, human: true })).toBe(word)
    }
  })

  it('is kept where a limit may be off', () => {
    expect([dataValue('off', 'limit', style), dataValue(500000, 'limit', style)]).toEqual(['off', 500000])
    expect(cellText(500000, 'limit', { ...style, human: true })).toBe('5,00,000')
  })
})

describe('an average price', () => {
  const human = { ...style, human: true }
  it.each([
    [812.33333333, 'NSE', 812.3333, '812.33'],
    [25.1, 'NFO', 25.1, '25.10'],
    [83.25251234, 'CDS', 83.252512, '83.2525'],
    [0.00001234, 'CRYPTO', 0.00001234, '0.00'],
    [812.33333333, undefined, 812.33333333, '812.3333'],
  ])(
    '%j on %s has the decimals of its exchange in documents (%j) and tables (%s)',
    (value, exchange, data, shown) => {
      expect(dataValue(value, 'price', style, exchange)).toBe(data)
      expect(cellText(value, 'price', human, exchange)).toBe(shown)
    },
  )
})

describe('a time of a document', () => {
  it.each([
    ['2026-11-20T03:45:00.123Z', '2026-11-20T09:15:00.123+05:30'],
    ['2026-11-20 09:15:00 IST', '2026-11-20T09:15:00+05:30'],
    ['2026-11-20T09:15:00+05:30', '2026-11-20T09:15:00+05:30'],
    ['2026-11-20 09:15:00', '2026-11-20T09:15:00+05:30'],
    ['09:15:00', '2026-11-20T09:15:00+05:30'],
    [Date.parse('2026-11-20T03:45:00.007Z'), '2026-11-20T09:15:00.007+05:30'],
    [Date.parse('2026-11-20T03:45:00Z'), '2026-11-20T09:15:00+05:30'],
  ])('%j is %s, whether a column declares it or not', (value, iso) => {
    expect(dataValue(value, 'time', style)).toBe(iso)
    expect(cellText(value, 'time', style)).toBe(iso)
    if (typeof value === 'string' && / IST$|Z$|\+/.test(value))
      expect(undeclaredValue('created_at', value, style)).toBe(iso)
  })

  it('is in UTC with --utc', () => {
    expect(dataValue('2026-11-20T09:15:00.5+05:30', 'time', { ...style, utc: true })).toBe(
      '2026-11-20T03:45:00.5Z',
    )
  })

  it('a text that is no time stays as it is', () => {
    expect(dataValue('now and then', 'time', style)).toBe('now and then')
    expect(undeclaredValue('name', '2026-11-20T03:45:00Z', style)).toBe('2026-11-20T03:45:00Z')
  })
})
