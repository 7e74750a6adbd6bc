import { expect, it } from 'vitest'
import { exitPrice, typedDistance, typedExit } from '../../../../src/tui/positions/exits/typed-exit.js'

it.each([
  ['940', { price: 940 }],
  [' 940.05 ', { price: 940.05 }],
  ['2%', { percent: 2 }],
  ['1.5 %', { percent: 1.5 }],
  ['15pt', { points: 15 }],
  ['15 PT', { points: 15 }],
])('%s is an exit', (text, typed) => {
  expect(typedExit(text)).toEqual(typed)
})

it.each(['', '0', '0%', '-5', '5e3', '0x10', '2%%', '15p', '15 points', '1,000', '.5', 'NaN'])(
  '%j is no exit',
  (text) => {
    expect(typedExit(text)).toBeUndefined()
  },
)

it('a distance needs its unit: a number alone may be a price', () => {
  expect(typedDistance('15')).toBeUndefined()
  expect(typedDistance('15pt')).toEqual({ points: 15 })
})

it.each([
  [{ percent: 2 }, 'below', 948.05],
  [{ percent: 2 }, 'above', 986.8],
  [{ points: 15 }, 'below', 952.4],
  [{ points: 15 }, 'above', 982.45],
] as const)('%j %s the average 967.4321 ends on the tick that is not nearer: %f', (typed, side, price) => {
  expect(exitPrice(typed, { base: 967.4321, side, tick: 0.05 })).toBe(price)
})

it('a typed price is taken as it is, and refused between two ticks', () => {
  const from = { base: 967, side: 'below', tick: 0.05 } as const
  expect(exitPrice({ price: 940.05 }, from)).toBe(940.05)
  expect(exitPrice({ price: 940.03 }, from)).toEqual({ problem: expect.stringContaining('the tick is 0.05') })
})

it('a distance of the whole price is none', () => {
  const from = { base: 100, side: 'below', tick: 0.05 } as const
  expect(exitPrice({ percent: 100 }, from)).toEqual({
    problem: expect.stringContaining('more than the price'),
  })
})
