import { expect } from 'vitest'
import { EXCHANGES } from '../../../../src/core/instruments/schema.js'
import type { Tick } from '../../../../src/core/market/schema.js'
import { isMultipleOf } from '../../../../src/core/money/index.js'
import { byTag } from '../by-tag.js'
import type { Bench, Case } from './bench.js'
import type { Counted } from './rig.js'

const LOTS = 2
const ORDERS_AT_ONCE = 15
const READS_AT_ONCE = 12
const SKEW_MS = 5 * 60_000

/** The cases on what crosses the wire: counts, limits, sessions, frames and secrets. */
export const WIRE_CASES: readonly Case[] = [
  {
    id: '34',
    async run(bench) {
      for (const [index, contract] of bench.rig.counted.entries())
        await expectUnits(bench, contract, `conf34${index}`)
      expect(bench.rig.counted.length).toBeGreaterThan(1)
    },
  },
  {
    id: '35',
    async run(bench) {
      const { budgets, client, settled, violations } = await has(bench.rig.metered)()
      const orders = Array.from({ length: ORDERS_AT_ONCE }, async (_, index) => {
        await budgets.take('order', 'order')
        return client.orders.place(bench.order(), `conf35${index}`)
      })
      const { cash, other } = bench.rig.instruments
      const { from, to } = bench.rig.history
      const reads = Array.from({ length: READS_AT_ONCE }, (_, index) =>
        index % 3 === 0
          ? client.market.quotes([cash, other])
          : index % 3 === 1
            ? client.orders.trades()
            : client.market.history({ ...cash, interval: 'D', from, to }),
      )
      const results = await settled<unknown>([...orders, ...reads])
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
      expect(violations()).toEqual([])
      await client.close()
    },
  },
  {
    id: '36',
    async run(bench) {
      const { client, endSession, refusals } = bench.rig
      await client.ticks?.open(() => undefined)
      await client.portfolio.funds()
      has(endSession)()
      const read = await bench.refusal(client.portfolio.funds())
      expect([read.kind, read.sent]).toEqual(['auth', 'yes'])
      const order = await bench.refusal(client.orders.place(bench.order(), 'conf36'))
      expect([order.kind, order.sent]).toEqual(['auth', 'yes'])
      expect(await bench.rig.brokerQuantity('conf36')).toBeUndefined()
      if (client.ticks) await bench.until(() => (has(refusals)() > 0 ? true : undefined))
    },
  },
  {
    id: '37',
    async run(bench) {
      const { client, feed, instruments } = bench.rig
      const ticks: Tick[] = []
      await client.ticks?.open((tick) => ticks.push(tick))
      client.ticks?.subscribe([instruments.cash, instruments.other], 3)
      const count = (symbol: string) => ticks.filter((tick) => tick.symbol === symbol).length
      const [cash, other] = [instruments.cash.symbol, instruments.other.symbol]
      await bench.until(() => (count(cash) > 0 && count(other) > 0 ? true : undefined))
      ticks.length = 0
      has(feed).sendBoth('cut')
      await bench.until(() => (count(cash) > 0 ? true : undefined))
      expect(count(other)).toBe(0)
      const sent = has(feed).sendBoth('whole')
      await bench.until(() => (count(other) > 0 ? true : undefined))
      for (const tick of ticks) expect(tick.ltp).toBe(tick.symbol === cash ? sent.cash : sent.other)
      expect(count(cash)).toBeGreaterThan(1)
    },
  },
  {
    id: '38',
    async run(bench) {
      const { client, feed } = bench.rig
      await client.ticks?.open(() => undefined)
      for (const dials of [2, 3]) {
        has(feed).cut()
        await bench.until(() => (has(feed).dials().length >= dials ? true : undefined))
      }
      expect(new Set(has(feed).dials()).size).toBe(has(feed).dials().length)
    },
  },
  {
    id: '39',
    async run(bench) {
      const { client, known, logged, refuseWith, secrets } = bench.rig
      await client.ticks?.open(() => undefined)
      for (const secret of has(known)) {
        has(refuseWith)(`The value ${secret} of ${encodeURIComponent(`token=${secret}`)} is wrong.`)
        const error = await bench.refusal(client.orders.place(bench.order(), 'conf39'))
        expect(error.message).toContain('is wrong')
      }
      for (const spoilt of bench.rig.spoilt) {
        bench.rig.spoil('place', spoilt)
        await bench.refusal(client.orders.place(bench.order(), 'conf39'))
      }
      bench.rig.feed?.cut()
      for (let turn = 0; turn < 20; turn++) await bench.rig.wait()
      await client.close()
      await bench.refusal(client.portfolio.funds())
      for (const secret of [...secrets, ...has(known)]) expect(has(logged)()).not.toContain(secret)
      expect(has(known).length).toBeGreaterThan(0)
    },
  },
  {
    id: '40',
    async run(bench) {
      const { client, refuseAddress } = bench.rig
      has(refuseAddress)()
      const error = await bench.refusal(client.orders.place(bench.order(), 'conf40'))
      expect([error.kind, error.sent]).toEqual(['ip_not_allowed', 'yes'])
      expect(await bench.rig.brokerQuantity('conf40')).toBeUndefined()
      await client.portfolio.funds()
      await client.orders.list()
    },
  },
  {
    id: '42',
    async run(bench) {
      const { client, context, endSession, instruments, skew } = bench.rig
      await has(skew)(SKEW_MS)
      const { orderId } = await client.orders.place(await bench.resting(), 'conf42')
      const row = await byTag(client, 'conf42')
      expect(row).toMatchObject({ orderId, status: 'open' })
      const ahead = (row?.timestamp ?? 0) - context.clock.now()
      expect(Math.abs(ahead - SKEW_MS)).toBeLessThan(2_000)
      await client.orders.cancel(orderId)
      await bench.settled(orderId, 'cancelled')
      let ticks = 0
      await client.ticks?.open(() => {
        ticks += 1
      })
      client.ticks?.subscribe([instruments.cash], 3)
      await bench.until(async () => {
        await bench.rig.stir()
        return ticks > 0 || undefined
      })
      has(endSession)()
      expect((await bench.refusal(client.portfolio.funds())).kind).toBe('auth')
    },
  },
  {
    id: '46',
    async run(bench) {
      const { client, context, plugin, session, spoil } = bench.rig
      const order = await bench.resting()
      spoil('place', 'slow:5000')
      const answered = client.orders.place(order, 'conf46').then(
        ({ orderId }) => orderId,
        (error: unknown) => error,
      )
      await bench.until(() => bench.rig.brokerQuantity('conf46'))
      const next = plugin.connect(session, context)
      try {
        const found = await bench.until(() => byTag(next, 'conf46'))
        await next.orders.cancel(found.orderId)
        expect(await bench.answerOf(answered)).toBe(found.orderId)
        spoil('place', 'slow:5000')
        const cut = bench.refusal(client.orders.place(order, 'conf46b'))
        await bench.until(() => bench.rig.brokerQuantity('conf46b'))
        await client.close()
        expect((await bench.answerOf(cut)).sent).toBe('maybe')
        const rows = (await next.orders.list()).filter(({ tag }) => tag?.startsWith('conf46'))
        expect(rows.map(({ tag }) => tag).toSorted()).toEqual(['conf46', 'conf46b'])
      } finally {
        await next.close()
      }
    },
  },
  {
    id: '44',
    async run(bench) {
      for (const [index, contract] of bench.rig.counted.entries())
        await expectProfitByUnit(bench, contract, `conf44${index}`)
    },
  },
]

/** Returns what a rig has. @throws Error if it has not declared the gap */
function has<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the rig has no such part: declare the gap')
  return part
}

/** Buys lots of a contract and looks at every quantity of it. */
async function expectUnits(bench: Bench, contract: Counted, tag: string): Promise<void> {
  const { client, context } = bench.rig
  const { count, exchange, lot, product, symbol } = contract
  const units = lot * LOTS
  const venue = EXCHANGES.find((known) => known === exchange) ?? 'NSE'
  const order = bench.order({ symbol, exchange: venue, product, quantity: units })
  await client.orders.preparePlace?.(order)
  const { orderId } = await client.orders.place(order, tag)
  expect([symbol, await bench.rig.brokerQuantity(tag)]).toEqual([symbol, count * LOTS])
  expect(await bench.settled(orderId, 'complete')).toMatchObject({ quantity: units, filledQuantity: units })
  const trades = (await client.orders.trades()).filter((trade) => trade.orderId === orderId)
  expect(trades.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(units)
  const position = (await client.portfolio.positions()).find((row) => row.symbol === symbol)
  expect(position).toMatchObject({ quantity: units })
  expect(context.instruments.find(symbol, exchange)?.lotSize).toBe(lot)
  if (client.margins) {
    const margin = await client.margins.estimate([order])
    const value = (trades[0]?.price ?? 0) * units
    expect([symbol, margin.total > value * 0.01 && margin.total < value * 1.5]).toEqual([symbol, true])
  }
  if (lot !== count) await expectTickInUnits(bench, contract)
}

/** Buys one lot of a contract, moves its price and looks at the profit. */
async function expectProfitByUnit(bench: Bench, contract: Counted, tag: string): Promise<void> {
  const { client, stir } = bench.rig
  const { exchange, lot, product, symbol } = contract
  const venue = EXCHANGES.find((known) => known === exchange) ?? 'NSE'
  const order = bench.order({ symbol, exchange: venue, product, quantity: lot })
  await client.orders.preparePlace?.(order)
  const { orderId } = await client.orders.place(order, tag)
  await bench.settled(orderId, 'complete')
  const moved = await bench.until(async () => {
    await stir()
    const row = (await client.portfolio.positions()).find((each) => each.symbol === symbol)
    return row && row.ltp !== row.averagePrice ? row : undefined
  })
  expect(moved.quantity).toBe(lot)
  expect(Math.abs(moved.pnl - (moved.ltp - moved.averagePrice) * lot)).toBeLessThan(0.02)
}

async function expectTickInUnits(bench: Bench, contract: Counted): Promise<void> {
  const { client } = bench.rig
  const ticks: Tick[] = []
  await client.ticks?.open((tick) => ticks.push(tick))
  client.ticks?.subscribe([contract], 3)
  const tick = await bench.until(() =>
    ticks.find(({ depth, symbol }) => symbol === contract.symbol && depth !== undefined),
  )
  const { depth } = await client.market.depth(contract)
  const sizes = [tick.bidSize, tick.depth?.sell[0]?.quantity ?? 0, depth.buy[0]?.quantity ?? 0]
  for (const size of sizes)
    expect([contract.symbol, size > 0 && isMultipleOf(size, contract.lot)]).toEqual([contract.symbol, true])
}
