import { describe, expect, test } from 'vitest'
import { barOf, depthRows, totalsText } from '../../../../src/tui/market/symbol/Depth.js'

const level = (price: number, quantity: number) => ({ price, quantity })

describe('the depth', () => {
  test('has five levels; the longest bar stands for the largest quantity of both sides', () => {
    const rows = depthRows({ buy: [level(99, 100), level(98, 50)], sell: [level(101, 200)] }, 4)
    expect(rows).toHaveLength(5)
    expect(rows.slice(0, 2)).toEqual([
      {
        buy: { price: 99, quantity: 100, bar: '  ██' },
        sell: { price: 101, quantity: 200, bar: '████' },
      },
      {
        buy: { price: 98, quantity: 50, bar: '   █' },
        sell: { price: undefined, quantity: undefined, bar: '    ' },
      },
    ])
  })

  test('shows no level of zeros, and no more than five', () => {
    const seven = Array.from({ length: 7 }, (_, place) => level(99 - place, 10))
    const rows = depthRows({ buy: seven, sell: [level(0, 0), level(101, 5)] }, 2)
    expect(rows.map(({ buy }) => buy.price)).toEqual([99, 98, 97, 96, 95])
    expect(rows[0]?.sell.price).toBe(101)
  })
})

test.each([
  [0, 'left', '    '],
  [0.001, 'left', '▌   '],
  [0.001, 'right', '   ▐'],
  [0.375, 'left', '█▌  '],
  [0.375, 'right', '  ▐█'],
  [2, 'right', '████'],
] as const)('a bar of the share %d, aligned %s', (share, align, bar) => {
  expect(barOf(share, 4, align)).toBe(bar)
})

test.each([
  [{ totalBuy: 120_000, totalSell: 80_000 }, 'total buy 1,20,000 (60%)  sell 80,000'],
  [{}, 'no orders in the book'],
])('the totals of %j', (totals, text) => {
  expect(totalsText(totals)).toBe(text)
})
