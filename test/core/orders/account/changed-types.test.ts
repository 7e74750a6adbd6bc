import { expect, test } from 'vitest'
import { ChangedTypes } from '../../../../src/core/orders/account/changed-types.js'

test('the last change of an order decides on its type, and the oldest changes are forgotten', () => {
  const types = new ChangedTypes()
  types.note('first', 'LIMIT')
  types.note('second', 'LIMIT')
  types.note('first', 'SL')
  const placed = new Map([
    ['first', 'MARKET'],
    ['second', 'MARKET'],
    ['unchanged', 'MARKET'],
  ] as const)
  const now = () => [...types.over(placed).values()]
  expect(now()).toEqual(['SL', 'LIMIT', 'MARKET'])
  for (let other = 0; other < 9_999; other++) types.note(`other ${other}`, 'LIMIT')
  expect(now()).toEqual(['SL', 'MARKET', 'MARKET'])
})
