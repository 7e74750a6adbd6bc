import { expect } from 'vitest'
import type { BrokerGtt } from '../../../../src/core/brokers/broker.js'
import type { GttLeg } from '../../../../src/core/orders/schema.js'
import { type Bench, type Case, STIRRINGS } from './bench.js'

/** The cases on good-till-triggered orders and on margins. */
export const GTT_CASES: readonly Case[] = [
  {
    id: '28',
    async run(bench) {
      const last = await bench.ltp()
      const wanted = bench.gtt([stop(bench, last, -200)])
      const { triggerId } = await bench.gtts().place(wanted, { tag: 'conf28', lastPrice: last })
      expect(triggerId).not.toBe('')
      await expectListed(bench, triggerId, wanted.legs, wanted.quantity)
      const changed = bench.gtt([stop(bench, last, -220)], { quantity: wanted.quantity * 2 })
      expect(await bench.gtts().modify(triggerId, changed, { lastPrice: last })).toEqual({ triggerId })
      await expectListed(bench, triggerId, changed.legs, changed.quantity)
      expect(await bench.gtts().cancel(triggerId)).toEqual({ triggerId })
      expect((await bench.gttNow(triggerId, 'conf28'))?.status).toBe('cancelled')
      expect((await bench.refusal(bench.gtts().cancel(triggerId))).sent).toBe('yes')
    },
  },
  {
    id: '29',
    async run(bench) {
      const last = await bench.ltp()
      const legs = [stop(bench, last, -3), target(bench, last, 3)]
      const { triggerId } = await bench.gtts().place(bench.gtt(legs), { tag: 'conf29', lastPrice: last })
      const fired = await untilFired(bench, triggerId, 'conf29')
      expect(fired).toMatchObject({ status: 'triggered', type: 'two-leg' })
      const rows = await bench.rig.client.orders.list()
      expect(rows.map(({ orderId }) => orderId)).toEqual([fired.triggeredOrderId])
      expect(rows[0]).toMatchObject({
        action: 'BUY',
        quantity: bench.rig.instruments.cash.lot,
        product: 'CNC',
      })
    },
  },
  {
    id: '30',
    async run(bench) {
      const last = await bench.ltp()
      const both = [stop(bench, last, -3), target(bench, last, 3)].map((leg) => ({ ...leg, price: 0 }))
      const legs = bench.rig.plugin.manifest.gtt?.oco ? both : both.slice(1)
      const gtt = bench.gtt(legs, { priceType: 'MARKET' })
      const { triggerId } = await bench.gtts().place(gtt, { tag: 'conf30', lastPrice: last })
      const fired = await untilFired(bench, triggerId, 'conf30')
      const row = await bench.settled(fired.triggeredOrderId ?? '', 'complete')
      expect(row.filledQuantity).toBe(gtt.quantity)
      if (bench.rig.fallTo) await expectStopTrades(bench, bench.rig.fallTo)
    },
  },
  {
    id: '31',
    async run(bench) {
      const last = await bench.ltp()
      for (const [index, spoilt] of bench.rig.spoilt.entries()) {
        const gtt = bench.gtt([stop(bench, last, -200 - 10 * index)])
        bench.rig.spoil('placeGtt', spoilt)
        const call = bench.gtts().place(gtt, { tag: `conf31${index}`, lastPrice: last })
        expect((await bench.refusal(call)).sent).toBe('maybe')
        const [trigger] = gtt.legs.map(({ triggerPrice }) => triggerPrice)
        const kept = (await bench.gtts().list()).filter((row) => row.triggerPrices[0] === trigger)
        expect([spoilt, kept.length]).toEqual([spoilt, 1])
        const [row] = kept
        expect(row).toMatchObject({ symbol: gtt.symbol, exchange: gtt.exchange })
        expect(row?.legs[0]).toMatchObject({ action: gtt.action, quantity: gtt.quantity })
        expect(Math.abs((row?.createdAt ?? 0) - bench.rig.context.clock.now())).toBeLessThan(86_400_000)
      }
    },
  },
  {
    id: '32',
    async run(bench) {
      const last = await bench.ltp()
      const unknown = bench.gtt([stop(bench, last, -200)], { symbol: 'NOSUCHSYMBOL' })
      const refused = await bench.refusal(bench.gtts().place(unknown, { tag: 'conf32', lastPrice: last }))
      expect(refused.sent).not.toBe('maybe')
      expect(await bench.gtts().list()).toEqual([])
      expect((await bench.refusal(bench.gtts().cancel('999'))).sent).toBe('yes')
    },
  },
  {
    id: '47',
    async run(bench) {
      const last = await bench.ltp()
      const { triggerId } = await bench
        .gtts()
        .place(bench.gtt([target(bench, last, 3)]), { tag: 'conf47', lastPrice: last })
      if (!bench.rig.refuseFired) throw new Error('the rig has no such part: declare the gap')
      bench.rig.refuseFired('the margin is short')
      const ended = await untilFired(bench, triggerId, 'conf47')
      expect([ended.status, ended.triggeredOrderId ?? '']).toEqual(['rejected', ''])
      expect(ended.rejectionReason).toContain('the margin is short')
      expect((await bench.rig.client.orders.list()).filter(({ status }) => status !== 'rejected')).toEqual([])
      expect((await bench.refusal(bench.gtts().cancel(triggerId))).sent).toBe('yes')
    },
  },
  {
    id: '33',
    async run(bench) {
      const { symbol, exchange, lot } = bench.rig.instruments.cash
      const cash = bench.order({ product: 'CNC', quantity: lot * 10 })
      const { total } = await bench.margins().estimate([cash])
      const last = await bench.ltp()
      expect([symbol, exchange, Math.abs(total / (last * lot * 10) - 1) < 0.05]).toEqual([
        symbol,
        exchange,
        true,
      ])
      const { derivative } = bench.rig.instruments
      const venue = bench.rig.plugin.manifest.exchanges.find((known) => known === derivative.exchange)
      expect(venue).toBe(derivative.exchange)
      const contract = { symbol: derivative.symbol, exchange: 'NFO', product: 'NRML' } as const
      const short = bench.order({ ...contract, action: 'SELL', quantity: derivative.lot })
      const alone = await bench.margins().estimate([short])
      expect(alone.total).toBeGreaterThan(0)
      const basket = await bench.margins().estimate([short, cash])
      expect(basket.total).toBeLessThanOrEqual(alone.total + total + 0.01)
    },
  },
  {
    id: '43',
    async run(bench) {
      const { lost, spoil } = bench.rig
      const last = await bench.ltp()
      const [first, second] = [-200, -220].map((ticks) => bench.gtt([stop(bench, last, ticks)]))
      if (!first || !second) return
      const { triggerId } = await bench.gtts().place(first, { tag: 'conf43', lastPrice: last })
      const modify = () => bench.gtts().modify(triggerId, second, { lastPrice: last })
      for (const [call, kept] of [
        [lost.before, first],
        [lost.after, second],
      ] as const) {
        spoil('modifyGtt', call)
        expect((await bench.refusal(modify())).sent).toBe('maybe')
        await expectListed(bench, triggerId, kept.legs, kept.quantity)
      }
      for (const [call, status] of [
        [lost.before, 'active'],
        [lost.after, 'cancelled'],
      ] as const) {
        spoil('cancelGtt', call)
        expect((await bench.refusal(bench.gtts().cancel(triggerId))).sent).toBe('maybe')
        expect((await bench.gttNow(triggerId, 'conf43'))?.status).toBe(status)
      }
      expect((await bench.gtts().list()).filter(({ status }) => status === 'active')).toEqual([])
    },
  },
]

/** A leg so many ticks below the last price; its limit is above its trigger, so that a BUY trades. */
function stop(bench: Bench, last: number, ticks: number): GttLeg {
  return { kind: 'stop', triggerPrice: bench.away(last, ticks), price: bench.away(last, ticks + 20) }
}

function target(bench: Bench, last: number, ticks: number): GttLeg {
  return { kind: 'target', triggerPrice: bench.away(last, ticks), price: bench.away(last, ticks + 20) }
}

async function expectListed(
  bench: Bench,
  triggerId: string,
  legs: readonly GttLeg[],
  quantity: number,
): Promise<void> {
  const row = (await bench.gtts().list()).find((gtt) => gtt.triggerId === triggerId)
  expect(row).toMatchObject({
    status: 'active',
    type: 'single',
    symbol: bench.rig.instruments.cash.symbol,
    triggerPrices: legs.map(({ triggerPrice }) => triggerPrice),
    legs: legs.map(({ price }) => ({ action: 'BUY', quantity, price, product: 'CNC' })),
  })
}

/** A stop that fires far below the price at which it was placed trades there. */
async function expectStopTrades(bench: Bench, fallTo: (price: number) => Promise<void>): Promise<void> {
  const last = await bench.ltp()
  const leg = { ...stop(bench, last, -600), price: 0 }
  const gtt = bench.gtt([leg], { action: 'SELL', priceType: 'MARKET' })
  const { triggerId } = await bench.gtts().place(gtt, { tag: 'conf30stop', lastPrice: last })
  await fallTo(leg.triggerPrice)
  const fired = await untilFired(bench, triggerId, 'conf30stop')
  const row = await bench.settled(fired.triggeredOrderId ?? '', 'complete')
  expect([row.filledQuantity, row.averagePrice]).toEqual([gtt.quantity, leg.triggerPrice])
}

/** Moves the market until a GTT has fired. */
async function untilFired(bench: Bench, triggerId: string, tag: string): Promise<BrokerGtt> {
  for (let turn = 0; turn < STIRRINGS; turn++) {
    const gtt = await bench.gttNow(triggerId, tag)
    if (gtt && gtt.status !== 'active') return gtt
    await bench.rig.stir()
  }
  throw new Error('the GTT did not fire')
}
