import { Chalk } from 'chalk'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { drawTable } from '../../../src/cli/output/table.js'
import type { Column } from '../../../src/views/table/column.js'

const style = { human: true, utc: false, zone: false, now: 0 }
const paint = new Chalk({ level: 0 })
const draw = (rows: readonly object[], columns: readonly Column[], width?: number, totals?: object) =>
  drawTable({ rows, columns, totals, style, paint, width, headers: true })

const COLUMNS: readonly Column[] = [
  { key: 'symbol' },
  { key: 'reason', leaves: 2 },
  { key: 'price', kind: 'price', leaves: 1 },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
]
const ROWS = [
  { symbol: 'SBIN', reason: 'outside the band', price: 812.5, quantity: 10 },
  { symbol: 'USDINR28NOV26FUT', reason: '', price: 84.1125, quantity: 1 },
]

describe('drawTable', () => {
  it('puts decimal points below each other', async () => {
    expect(await draw(ROWS, COLUMNS)).toBe(
      [
        'SYMBOL            REASON               PRICE  QTY',
        'SBIN              outside the band  812.50     10',
        'USDINR28NOV26FUT                     84.1125    1',
        '',
      ].join('\n'),
    )
  })

  it.each([
    [49, 'SYMBOL            REASON               PRICE  QTY'],
    [48, 'SYMBOL               PRICE  QTY'],
    [30, 'SYMBOL            QTY'],
    [16, 'SYMBOL       QTY'],
  ])('at %i columns has the heading %s', async (width, heading) => {
    expect((await draw(ROWS, COLUMNS, width)).split('\n')[0]).toBe(heading)
  })

  it('cuts the longest text with an ellipsis when no more column may leave', async () => {
    expect(await draw(ROWS, COLUMNS, 16)).toContain('USDINR28NO…')
  })

  it('shows a line of totals', async () => {
    const lines = (await draw(ROWS, COLUMNS, 80, { symbol: 'TOTAL', quantity: 11 })).trimEnd().split('\n')
    expect(lines.at(-1)).toBe('TOTAL                                          11')
  })

  it('puts a text that must be read whole below its row when the table is too wide', async () => {
    const columns: readonly Column[] = [{ key: 'symbol' }, { key: 'state' }, { key: 'reason', below: true }]
    const rows = [
      { symbol: 'SBIN', state: 'error', reason: 'Price 1.00 is outside the band 778.60 to 1167.80' },
      { symbol: 'INFY', state: 'done', reason: null },
    ]
    expect(await draw(rows, columns, 30)).toBe(
      [
        'SYMBOL  STATE',
        'SBIN    error',
        '  Price 1.00 is outside the',
        '  band 778.60 to 1167.80',
        'INFY    done',
        '',
      ].join('\n'),
    )
    expect(await draw(rows, columns, 80)).toContain('SBIN    error  Price 1.00 is outside the band')
  })

  it('puts only the texts of chosen rows below, and cuts the others', async () => {
    const columns: readonly Column[] = [
      { key: 'symbol' },
      { key: 'answer', leaves: 1, below: { state: ['error'] } },
    ]
    const rows = [
      { symbol: 'SBIN', state: 'error', answer: 'outside the price band of today' },
      { symbol: 'INFY', state: 'done', answer: 'a long answer that nobody needs to read' },
    ]
    expect(await draw(rows, columns, 24)).toBe(
      ['SYMBOL', 'SBIN', '  outside the price band', '  of today', 'INFY', ''].join('\n'),
    )
  })

  it('never draws a line that is wider than the terminal while a text can be cut', async () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 40 })
    const row = fc.record({ a: text, b: text, c: text, n: fc.integer({ min: -99_999, max: 99_999 }) })
    const columns: readonly Column[] = [
      { key: 'a' },
      { key: 'b', leaves: 1 },
      { key: 'c', leaves: 2 },
      { key: 'n', kind: 'quantity' },
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 20, max: 120 }),
        async (rows, width) => {
          const lines = (await draw(rows, columns, width)).split('\n')
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
          expect(lines).toHaveLength(rows.length + 2)
        },
      ),
    )
  })
})
