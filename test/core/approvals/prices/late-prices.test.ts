import { describe, expect, test } from 'vitest'
import type { SymbolRef } from '../../../../src/core/market/index.js'
import { ORDER, openRig, type Rig } from '../rig.js'

/** A broker that knows some prices, and counts the reads. */
function broker(prices: Readonly<Record<string, number>>) {
  const reads: string[][] = []
  return {
    reads,
    async lastPrices(refs: readonly SymbolRef[]) {
      reads.push(refs.map(({ symbol }) => symbol))
      return new Map(Object.entries(prices))
    },
  }
}

const priceOf = async ({ approvals }: Rig, id: number) => (await approvals.view('asha', id))?.created_ltp

describe('an order that is queued while no feed has its price', () => {
  test('gets it a moment later, together with the others of that moment', async () => {
    const { reads, lastPrices } = broker({ 'NSE:SBIN': 812.5, 'NSE:INFY': 1450 })
    const rig = await openRig({ lastPrices })
    const first = await rig.approvals.enqueue('asha', 'placeorder', ORDER)
    const second = await rig.approvals.enqueue('asha', 'placeorder', { ...ORDER, symbol: 'INFY' })
    expect([await priceOf(rig, first), reads]).toEqual([null, []])
    await rig.clock.advance(1000)
    await expect.poll(() => priceOf(rig, second)).toBe(1450)
    expect([await priceOf(rig, first), reads]).toEqual([812.5, [['SBIN', 'INFY']]])
  })

  test('keeps none when the broker does not know it', async () => {
    const { reads, lastPrices } = broker({})
    const rig = await openRig({ lastPrices })
    const id = await rig.approvals.enqueue('asha', 'placeorder', ORDER)
    await rig.clock.advance(1000)
    await rig.approvals.close()
    expect([await priceOf(rig, id), reads]).toEqual([null, [['SBIN']]])
  })

  test('keeps none when it is decided before the price comes', async () => {
    const { lastPrices } = broker({ 'NSE:SBIN': 812.5 })
    const rig = await openRig({ lastPrices })
    const id = await rig.approvals.enqueue('asha', 'placeorder', ORDER)
    await rig.approvals.reject('asha', id, 'asha')
    await rig.clock.advance(1000)
    await rig.approvals.close()
    expect(await priceOf(rig, id)).toBeNull()
  })

  test('stays in the queue when the read of prices fails', async () => {
    const rig = await openRig({ lastPrices: () => Promise.reject(new Error('no session')) })
    const id = await rig.approvals.enqueue('asha', 'placeorder', ORDER)
    await rig.clock.advance(1000)
    await rig.approvals.close()
    expect(await rig.approvals.view('asha', id)).toMatchObject({ status: 'pending', created_ltp: null })
  })
})

test('a price that was known when the order was queued is not read again', async () => {
  const { reads, lastPrices } = broker({ 'NSE:SBIN': 900 })
  const rig = await openRig({ lastPrices })
  const id = await rig.approvals.enqueue('asha', 'placeorder', ORDER, { ltp: 812.35 })
  await rig.clock.advance(1000)
  await rig.approvals.close()
  expect([await priceOf(rig, id), reads]).toEqual([812.35, []])
})
