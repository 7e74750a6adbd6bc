import { expect, it } from 'vitest'
import { budgetLines, budgetText } from '../../../src/views/system/budget.js'

const none = { waiting: 0, refused: 0 }

it('says what is left of each limit, that of orders first', () => {
  const budgets = [
    { ...none, call_class: 'quote', windows: [{ limit: 1, per_ms: 1000, left: 0 }] },
    {
      ...none,
      call_class: 'order',
      waiting: 2,
      windows: [
        { limit: 10, per_ms: 1000, left: 9 },
        { limit: 400, per_ms: 60_000, left: 399 },
        { limit: 5000, per_ms: 86_400_000, left: 4999 },
        { limit: 30, per_ms: 5000, left: 30 },
      ],
    },
  ]
  const orders = 'order 9 of 10/s, 399 of 400/min, 4,999 of 5,000/day, 30 of 30/5 s, 2 calls waiting'
  expect(budgetLines(budgets)).toEqual([orders, 'quote 0 of 1/s'])
  expect(budgetText(budgets)).toBe(`${orders}; quote 0 of 1/s`)
})

it('says that a broker has no limits', () => {
  expect(budgetText([])).toBe('no limits')
})
