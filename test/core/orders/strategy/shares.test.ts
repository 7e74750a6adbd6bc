import { expect, it } from 'vitest'
import { toMoney } from '../../../../src/core/money/index.js'
import type { StrategyLeg } from '../../../../src/core/orders/index.js'
import { type AccountRow, sharesOf } from '../../../../src/core/orders/strategy/shares.js'

const CONTRACT = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const

const owned = (
  strategy: string,
  fields: Partial<Omit<StrategyLeg, 'cost' | 'todayRealized'>>,
  money = [0, 0],
) => ({
  strategy,
  leg: {
    ...CONTRACT,
    ...{ quantity: 0, realized: 0n, session: '2026-11-20', ...fields },
    ...{ cost: toMoney(money[0] ?? 0), todayRealized: toMoney(money[1] ?? 0) },
  },
})
const row = (fields: Partial<AccountRow>): AccountRow => ({
  ...CONTRACT,
  ...{ ltp: 0, pnl: 0, unrealized: 0, ...fields },
})
const one = () => 1

it('splits the profit of the book by strategy, the largest first, and the rest last', () => {
  const legs = [
    owned('vwap', {}, [0, 40]),
    owned('orb', { quantity: 10 }, [1000, -20]),
    owned('orb', { symbol: 'INFY' }, [0, 5]),
  ]
  const rows = [row({ ltp: 112, pnl: 150, unrealized: 130 }), row({ symbol: 'INFY', pnl: 5 })]
  expect(sharesOf(legs, rows, one)).toEqual([
    { strategy: 'orb', realized: -15, unrealized: 120, total: 105 },
    { strategy: 'vwap', realized: 40, unrealized: 0, total: 40 },
    { strategy: null, realized: 0, unrealized: 10, total: 10 },
  ])
})

it('gives the rest what no strategy has ordered, also where nobody has anything', () => {
  expect(sharesOf([], [row({ pnl: -12.5, unrealized: -12.5 })], one)).toEqual([
    { strategy: null, realized: 0, unrealized: -12.5, total: -12.5 },
  ])
})

it('has no rows for a book without positions', () => {
  expect(sharesOf([owned('orb', {}, [0, 5])], [], one)).toEqual([])
})

it('leaves out a contract that the book does not have: delivered shares, and another product', () => {
  const legs = [owned('orb', { product: 'CNC', quantity: 10 }, [1000, 0]), owned('orb', {}, [0, 7])]
  expect(sharesOf(legs, [row({ pnl: 7 })], one)).toEqual([
    { strategy: 'orb', realized: 7, unrealized: 0, total: 7 },
    { strategy: null, realized: 0, unrealized: 0, total: 0 },
  ])
})

it('counts the multiplier of the contract', () => {
  const legs = [owned('orb', { quantity: -10 }, [1000, 50])]
  const [share] = sharesOf(legs, [row({ ltp: 90, pnl: 1.5, unrealized: 1 })], () => 0.01)
  expect(share).toEqual({ strategy: 'orb', realized: 0.5, unrealized: 1, total: 1.5 })
})

it('the shown amounts have the sum of the book to the paisa, however each was rounded', () => {
  const legs = ['a', 'b', 'c'].map((strategy) => owned(strategy, {}, [0, 3.3333]))
  const shares = sharesOf(legs, [row({ pnl: 9.9999 })], one)
  expect(shares.map(({ total }) => total)).toEqual([3.33, 3.33, 3.33, 0.01])
})

it('an open leg without a price has no profit of its own', () => {
  const [share] = sharesOf([owned('orb', { quantity: 10 }, [1000, 0])], [row({ pnl: 0 })], one)
  expect(share).toMatchObject({ unrealized: 0, total: 0 })
})
