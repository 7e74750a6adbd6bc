import { expect } from 'vitest'
import type { BrokerOrder } from '../../../../src/core/brokers/broker.js'
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
]

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
