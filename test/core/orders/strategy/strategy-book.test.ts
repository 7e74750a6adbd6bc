import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { BrokerOrder } from '../../../../src/core/brokers/broker.js'
import { toMoney } from '../../../../src/core/money/index.js'
import { StrategyBook, type StrategyLeg } from '../../../../src/core/orders/index.js'
import { OrderJournal } from '../../../../src/core/orders/journal/journal.js'
import { newOrderRef } from '../../../../src/core/orders/order-ref.js'
import { Database } from '../../../../src/core/storage/index.js'
import { istInstant, sessionDate, VirtualClock } from '../../../../src/core/time/index.js'
import { payloadOf } from '../../../support/desk/desk.js'
import { tempDir } from '../../../support/files/temp.js'

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
const rules = { sessionOf: sessionDate, hasEnded: () => false }
const totals = (legs: StrategyLeg[]) => ({
  of: async () => ({ legs, through: 0 }),
  ofSession: notAsked,
  catchUp: notAsked,
  close: notAsked,
})

/** A simulated account whose position book has only SBIN, at 810. */
const book = (
  quotes: Readonly<Record<string, number>>,
  legs = [held('SBIN', 10, 8000.5), held('INFY', 7, 10500.4)],
) =>
  new StrategyBook({
    mode: () => 'analyze',
    clock,
    journal: { unfinishedOf: notAsked, waitingOf: notAsked, filledThrough: notAsked },
    broker: { client: notAsked },
    live: {
      totals: { of: notAsked, ofSession: notAsked, catchUp: notAsked, close: notAsked },
      rules,
      working: notAsked,
    },
    sandbox: {
      totals: totals(legs),
      rules,
      working: async () => 2,
      concluded: async () => undefined,
      positions: async () => [{ symbol: 'SBIN', exchange: 'NSE', ltp: 810 }],
    },
    contractValue: () => 1,
    sessionOf: notAsked,
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

it('no number has more decimals than money or a quantity has', async () => {
  const units = fc.integer({ min: -1e10, max: 1e10 }).map((all) => all / 1e8)
  const rupees = fc.integer({ min: 0, max: 1e9 }).map((all) => all / 1e4)
  const legs = fc.array(fc.tuple(units, rupees), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(legs, rupees, async (rows, price) => {
      const all = rows.map(([quantity, cost], at) => held(`S${at}`, quantity, cost))
      const {
        legs: shown,
        open_quantity,
        ...sums
      } = await book(Object.fromEntries(all.map(({ symbol }) => [symbol, price])), all).profit('asha', 'orb')
      const numbers = [sums, ...shown].flatMap((row) => Object.entries(row))
      const noisy = [...numbers, ['quantity', open_quantity] as const].filter(
        ([name, value]) =>
          typeof value === 'number' && Number(value.toFixed(name === 'quantity' ? 8 : 4)) !== value,
      )
      expect(noisy).toEqual([])
    }),
  )
})

it('leaves a leg without a price out, and counts it', async () => {
  const { legs, ...totals } = await book({}).profit('asha', 'orb')

  expect(totals).toMatchObject({ unrealized: 99.5, today_total: 99.5, unpriced_legs: 1, open_quantity: 17 })
  expect(legs[1]).toMatchObject({ symbol: 'INFY', quantity: 7, ltp: null, unrealized: null })
})

it('counts what an order for the next open fills on its day, until the journal has it', async () => {
  const friday = new VirtualClock('2026-11-20T16:00:00+05:30')
  const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
  onTestFinished(() => db.close())
  const journal = new OrderJournal(db, friday)
  const orderRef = newOrderRef(friday)
  const entry = { userId: 'asha', operation: 'placeorder', source: 'api', mode: 'live', broker: 'x' } as const
  const payload = { ...payloadOf({ strategy: 'orb', product: 'CNC' }), amo: true }
  await journal.open([{ ...entry, orderRef, state: 'claimed', payload }])
  await journal.move(orderRef, 'sending')
  const open: BrokerOrder = {
    symbol: 'SBIN',
    exchange: 'NSE',
    product: 'CNC',
    orderId: '1',
    tag: orderRef,
    action: 'BUY',
    quantity: 10,
    price: 0,
    triggerPrice: 0,
    priceType: 'MARKET',
    status: 'open',
    filledQuantity: 4,
    pendingQuantity: 6,
    averagePrice: 800,
    rejectionReason: '',
    timestamp: 0,
  }
  const isTradingDay = (date: string) => ![0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay())
  const client = { orders: { list: async () => [open] }, portfolio: { positions: async () => [] } }
  const live = new StrategyBook({
    mode: () => 'live',
    clock: friday,
    journal,
    broker: { client: () => client },
    live: { totals: totals([]), rules, working: async () => 1 },
    sandbox: { totals: totals([]), rules, working: notAsked, concluded: notAsked, positions: notAsked },
    contractValue: () => 1,
    sessionOf: (_, date) =>
      isTradingDay(date) ? { open: istInstant(date, '09:15'), close: istInstant(date, '15:30') } : undefined,
    quote: async () => 810,
  })
  const quantityAt = async (time: string) => {
    friday.suspend(Date.parse(time) - friday.now())
    return (await live.profit('asha', 'orb')).open_quantity
  }
  expect(await quantityAt('2026-11-23T10:00:00+05:30')).toBe(4)
  // A number that another order has the next day says nothing of this one.
  expect(await quantityAt('2026-11-24T10:00:00+05:30')).toBe(0)
})
