import { expect } from 'vitest'
import type { BrokerClient, BrokerOrder } from '../../../../src/core/brokers/broker.js'
import { piecesOf } from '../../../../src/core/instruments/index.js'
import type { OrderRequest, PriceType } from '../../../../src/core/orders/schema.js'
import { byTag } from '../by-tag.js'
import type { Bench, Case } from './bench.js'

/** A reference of the service. */
const FULL_TAG = 'A1'.repeat(9)

const RESTING_TYPES = ['LIMIT', 'SL', 'SL-M'] as const satisfies readonly PriceType[]
const STATUS: Readonly<Record<PriceType, BrokerOrder['status']>> = {
  MARKET: 'complete',
  LIMIT: 'open',
  SL: 'trigger pending',
  'SL-M': 'trigger pending',
}

/** The cases on orders after the first ones: changes, tags, answers that say nothing, and products of the broker. */
export const ORDER_CASES: readonly Case[] = [
  {
    id: '24',
    async run(bench) {
      const last = await bench.ltp()
      const types = bench.rig.plugin.manifest.priceTypes
      let count = 0
      for (const from of RESTING_TYPES.filter((type) => types.includes(type))) {
        for (const to of types) {
          const placed = await bench.rig.client.orders.place(
            termsOf(bench, from, last, 0.95),
            `conf24${count++}`,
          )
          await bench.settled(placed.orderId, STATUS[from])
          const wanted = termsOf(bench, to, last, 0.96)
          await bench.rig.client.orders.modify(placed.orderId, wanted)
          const row = await bench.until(async () => {
            const rows = await bench.rig.client.orders.list()
            return rows.find((each) => isChanged(each, placed.orderId, wanted))
          })
          if (wanted.price > 0) expect([from, to, row.price]).toEqual([from, to, wanted.price])
          if (wanted.triggerPrice > 0)
            expect([from, to, row.triggerPrice]).toEqual([from, to, wanted.triggerPrice])
        }
      }
      expect(count).toBeGreaterThan(0)
    },
  },
  {
    id: '25',
    async run(bench) {
      const { orderId } = await bench.rig.client.orders.place(bench.order(), FULL_TAG)
      expect(await byTag(bench.rig.client, FULL_TAG)).toMatchObject({ orderId, tag: FULL_TAG })
    },
  },
  {
    id: '26',
    async run(bench) {
      for (const [index, spoilt] of bench.rig.spoilt.entries()) {
        const tag = `conf26${index}`
        bench.rig.spoil('place', spoilt)
        expect((await bench.refusal(bench.rig.client.orders.place(bench.order(), tag))).sent).toBe('maybe')
        const rows = (await bench.rig.client.orders.list()).filter((row) => row.tag === tag)
        expect([spoilt, rows.length]).toEqual([spoilt, 1])
      }
      expect(bench.rig.spoilt.length).toBeGreaterThan(0)
    },
  },
  {
    id: '27',
    async run(bench) {
      const held = await bench.rig.holdForeign?.()
      if (!held) throw new Error('the rig holds no foreign product: declare the gap')
      const shown = async () => {
        const rows = await bench.rig.client.portfolio.positions()
        return rows.find(({ product, symbol }) => symbol === held.symbol && product === held.product)
      }
      expect(await shown()).toMatchObject({ quantity: held.quantity })
      const close = bench.order({ ...held, action: 'SELL' })
      const { orderId } = await bench.rig.client.orders.place(close, 'conf27')
      await bench.settled(orderId, 'complete')
      expect(await shown()).toMatchObject({ quantity: 0 })
    },
  },
  {
    id: '41',
    async run(bench) {
      const { instruments, largest } = bench.rig
      const { lot, symbol } = instruments.derivative
      const held = async () =>
        (await bench.rig.client.portfolio.positions()).find((row) => row.symbol === symbol)?.quantity
      const trade = async (action: 'BUY' | 'SELL', quantity: number, tag: string) => {
        const order = bench.order({ symbol, exchange: 'NFO', product: 'NRML', action, quantity })
        const { orderId } = await bench.rig.client.orders.place(order, tag)
        await bench.settled(orderId, 'complete')
      }
      await trade('BUY', largest, 'conf41A')
      await trade('BUY', lot, 'conf41B')
      expect((await bench.refusal(trade('SELL', largest + lot, 'conf41C'))).sent).not.toBe('maybe')
      expect(await held()).toBe(largest + lot)
      const pieces = piecesOf(largest + lot, largest)
      for (const [index, quantity] of pieces.entries()) await trade('SELL', quantity, `conf41D${index}`)
      expect([await held(), pieces.length]).toEqual([0, 2])
    },
  },
  {
    id: '45',
    async run(bench) {
      const { client, context, plugin, session, spoil, spoilt } = bench.rig
      const wanted = await bench.resting()
      for (const [index, kind] of spoilt.entries()) {
        spoil('place', kind)
        expect((await bench.refusal(client.orders.place(wanted, `conf45${index}`))).sent).toBe('maybe')
      }
      await client.close()
      const next = plugin.connect(session, context)
      try {
        for (const index of spoilt.keys()) await expectTaken(next, `conf45${index}`, wanted)
        expect(await next.orders.list()).toHaveLength(spoilt.length)
      } finally {
        await next.close()
      }
    },
  },
]

/** Finds an order that this client did not send, changes it and cancels it. */
async function expectTaken({ orders }: BrokerClient, tag: string, wanted: OrderRequest): Promise<void> {
  const found = (await orders.findByTags([tag])).get(tag)
  expect(found).toMatchObject({ tag, status: 'open', quantity: wanted.quantity, price: wanted.price })
  const { orderId } = found ?? { orderId: '' }
  await orders.prepareChange?.(orderId, 'modify')
  expect(await orders.modify(orderId, { ...wanted, price: wanted.price - 1 })).toEqual({ orderId })
  await orders.prepareChange?.(orderId, 'cancel')
  expect(await orders.cancel(orderId)).toEqual({ orderId })
  const row = (await orders.list()).find((each) => each.orderId === orderId)
  expect(row).toMatchObject({ status: 'cancelled', price: wanted.price - 1 })
}

/** An order of a price type that is stored and rests, unless it is at the market. */
function termsOf(bench: Bench, priceType: PriceType, last: number, share: number): OrderRequest {
  const limit = Math.floor(last * share)
  const trigger = Math.ceil(last * (2 - share))
  const prices: Readonly<Record<PriceType, Pick<OrderRequest, 'price' | 'triggerPrice'>>> = {
    MARKET: { price: 0, triggerPrice: 0 },
    LIMIT: { price: limit, triggerPrice: 0 },
    SL: { price: trigger + 1, triggerPrice: trigger },
    'SL-M': { price: 0, triggerPrice: trigger },
  }
  return bench.order({ priceType, ...prices[priceType] })
}

function isChanged(
  row: BrokerOrder,
  orderId: string,
  { price, priceType, triggerPrice }: OrderRequest,
): boolean {
  return (
    row.orderId === orderId &&
    row.priceType === priceType &&
    row.status === STATUS[priceType] &&
    (price === 0 || row.price === price) &&
    (triggerPrice === 0 || row.triggerPrice === triggerPrice)
  )
}
