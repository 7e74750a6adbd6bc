import { describe, expect, it } from 'vitest'
import { requestFrame, ticksIn } from '../../../../../src/core/brokers/upstox/feed/feed-codec.js'
import { bytesField, message } from '../../../../fixtures/fake-broker/protobuf-writer.js'
import { feedFrame, feedOf, marketInfo } from '../../../../fixtures/fake-upstox/frames.js'

const NOW = 1_764_401_400_123

const PRICE = {
  listed: { key: 'NSE_EQ|INE009A01021', price: 1500, tickSize: 0.05, multiplier: 1 },
  ...{ ltp: 1500.05, open: 1490, high: 1510, low: 1480, close: 1495, volume: 100_000 },
}

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'))

/** A frame byte by byte: live_feed (1), one entry "A|1", its Feed with an LTPC, and the time. */
const BY_HAND = hex(`
  08 01
  12 26
     0a 03 41 7c 31
     12 1f
        0a 1b
           09 00 00 00 00 00 70 97 40
           10 f9 91 93 f4 ac 33
           18 05
           21 00 00 00 00 00 5c 97 40
        20 00
  18 bb 92 93 f4 ac 33
`)

describe('the codec of the price feed', () => {
  it('reads a frame that was written byte by byte', () => {
    expect([...ticksIn(BY_HAND)]).toEqual([
      {
        key: 'A|1',
        ltp: 1500,
        lastTradeTime: 1_764_401_400_057,
        lastQuantity: 5,
        close: 1495,
        ...{ open: 0, high: 0, low: 0, averagePrice: 0, volume: 0, oi: 0 },
        ...{ totalBuyQuantity: 0, totalSellQuantity: 0, depth: undefined },
      },
    ])
  })

  it('leaves out an instrument that cannot be read, and reads those around it', () => {
    const feed = (ltp: number) => feedOf({ ...PRICE, ltp }, 'ltpc', NOW)
    const frame = feedFrame(
      'live_feed',
      [
        ['A', feed(10)],
        ['B', feed(Number.POSITIVE_INFINITY)],
        ['C', feed(30)],
      ],
      NOW,
    )
    const reasons: string[] = []
    const ticks = [...ticksIn(frame, (reason) => reasons.push(reason))]
    expect(ticks.map(({ key, ltp }) => [key, ltp])).toEqual([
      ['A', 10],
      ['C', 30],
    ])
    expect(reasons).toEqual([expect.stringContaining('no number')])
  })

  it('reads a share with its depth, and the prices of the day of the right bar', () => {
    const frame = feedFrame('initial_feed', [[PRICE.listed.key, feedOf(PRICE, 'full', NOW)]], NOW)
    const [tick, ...more] = ticksIn(frame)
    expect(more).toEqual([])
    expect(tick).toMatchObject({
      ...{ key: PRICE.listed.key, ltp: 1500.05, lastTradeTime: NOW, lastQuantity: 1, close: 1495 },
      ...{ open: 1490, high: 1510, low: 1480, averagePrice: 1500.05, volume: 100_000, oi: 0 },
      ...{ totalBuyQuantity: 1500, totalSellQuantity: 1500 },
    })
    expect(tick?.depth?.buy.map(({ price, quantity }) => [price, quantity])).toEqual([
      [1500, 100],
      [1499.95, 200],
      [1499.9, 300],
      [1499.85, 400],
      [1499.8, 500],
    ])
    expect(tick?.depth?.sell[0]).toEqual({ price: 1500.1, quantity: 100, orders: 0 })
  })

  it('reads an index, which has no depth', () => {
    const index = { ...PRICE, listed: { ...PRICE.listed, key: 'NSE_INDEX|Nifty 50' } }
    const [tick] = ticksIn(feedFrame('live_feed', [[index.listed.key, feedOf(index, 'full', NOW)]], NOW))
    expect(tick).toMatchObject({ key: 'NSE_INDEX|Nifty 50', ltp: 1500.05, high: 1510, depth: undefined })
  })

  it('gives no tick for the state of the markets, an unknown kind of feed, or one without a price', () => {
    const empty = bytesField(2, message(bytesField(1, 'A|1'), bytesField(2, message())))
    const other = bytesField(2, message(bytesField(1, 'A|1'), bytesField(2, bytesField(3, 'x'))))
    for (const frame of [marketInfo(['NSE_EQ'], NOW), empty, other]) expect([...ticksIn(frame)]).toEqual([])
  })

  it('gives what is before the place at which a frame is cut off, wherever that is', () => {
    const entries = ['A|1', 'B|2'].map((key) => [key, feedOf(PRICE, 'full', NOW)] as const)
    const frame = feedFrame('live_feed', entries, NOW)
    const first = feedFrame('live_feed', entries.slice(0, 1), 0).length
    for (let length = 3; length < frame.length; length += 7) {
      const keys: string[] = []
      try {
        for (const { key } of ticksIn(frame.subarray(0, length))) keys.push(key)
      } catch (error) {
        expect(error).toMatchObject({ kind: 'protocol' })
      }
      expect([length, keys]).toEqual([
        length,
        length < first ? [] : length < frame.length - 7 ? ['A|1'] : ['A|1', 'B|2'],
      ])
    }
  })

  it('writes requests as JSON in bytes', () => {
    const frame = requestFrame('svc-1', 'sub', { mode: 'full', instrumentKeys: ['NSE_EQ|1'] })
    expect(frame).toBeInstanceOf(Uint8Array)
    expect(JSON.parse(Buffer.from(frame).toString())).toEqual({
      guid: 'svc-1',
      method: 'sub',
      data: { mode: 'full', instrumentKeys: ['NSE_EQ|1'] },
    })
  })
})
