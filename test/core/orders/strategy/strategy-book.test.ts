import { expect, it } from 'vitest'
import { toMoney } from '../../../../src/core/money/index.js'
import { StrategyBook, type StrategyLeg } from '../../../../src/core/orders/index.js'
import { sessionDate, VirtualClock } from '../../../../src/core/time/index.js'

const clock = new VirtualClock('2026-11-20T11:00:00+05:30')

function held(symbol: string, quantity: number, cost: number): StrategyLeg {
  return {
    symbol,
    exchange: 'NSE',
    product: 'CNC',
    quantity,
    cost: toMoney(cost),
    realized: 0n,
    todayRealized: 0n,
    session: sessionDate(clock.now()),
  }
}

const notAsked = () => {
  throw new Error('not asked in this mode')
}
const rules = { sessionOf: sessionDate, endsWithSession: () => false }
const totals = (legs: StrategyLeg[]) => ({
  of: async () => ({ legs, through: 0 }),
  catchUp: notAsked,
  close: notAsked,
})

/** A simulated account whose position book has only SBIN, at 810. */
const book = (quotes: Readonly<Record<string, number>>) =>
  new StrategyBook({
    mode: () => 'analyze',
    clock,
    journal: { unfinishedOf: notAsked, filledThrough: notAsked },
    broker: { client: notAsked },
    live: { totals: { of: notAsked, catchUp: notAsked, close: notAsked }, rules },
    sandbox: {
      totals: totals([held('SBIN', 10, 8000.5), held('INFY', 7, 10500.4)]),
      rules,
      concluded: async () => undefined,
      positions: async () => [{ symbol: 'SBIN', exchange: 'NSE', ltp: 810 }],
    },
    contractValue: () => 1,
    quote: async ({ symbol }) => quotes[symbol],
  })

it('values what the position book does not show by its quote', async () => {
  const { legs, ...totals } = await book({ INFY: 1501 }).profit('asha', 'orb')

  expect(totals).toMatchObject({ unrealized: 106.1, total: 106.1, unpriced_legs: 0, open_quantity: 17 })
  expect(legs).toMatchObject([
    { symbol: 'SBIN', average_price: 800.05, ltp: 810, unrealized: 99.5 },
    { symbol: 'INFY', average_price: 1500.0571, ltp: 1501, unrealized: 6.6 },
  ])
})

it('leaves a leg without a price out, and counts it', async () => {
  const { legs, ...totals } = await book({}).profit('asha', 'orb')

  expect(totals).toMatchObject({ unrealized: 99.5, today_total: 99.5, unpriced_legs: 1, open_quantity: 17 })
  expect(legs[1]).toMatchObject({ symbol: 'INFY', quantity: 7, ltp: null, unrealized: null })
})
