import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { credible } from '../../../../../src/core/brokers/kit/feed/credible-tick.js'
import {
  decodeFrame,
  divisorOf,
  modeFrame,
  subscriptionFrame,
} from '../../../../../src/core/brokers/zerodha/feed/tick-codec.js'
import { toTick } from '../../../../../src/core/brokers/zerodha/feed/tick-feed.js'
import { frame, HEARTBEAT, packet } from '../../../../fixtures/fake-kite/packets.js'
import { depthOf, Prices } from '../../../../fixtures/fake-kite/prices.js'

const QUOTE_VECTOR = 'AAY6AQACZoMAAAABAAJlaQAR8bIAA+n/AAWANwACZPMAAmc8AAJhyQACZGw='
const prices = new Prices()
const NOW = Date.parse('2025-09-04T10:15:00+05:30')

function state(key: string) {
  const found = prices.get(key)
  if (!found) throw new Error(`no ${key} in the catalogue`)
  return found
}

describe('decoding', () => {
  it('the published quote vector', () => {
    const bytes = frame([Buffer.from(QUOTE_VECTOR, 'base64')])
    expect(decodeFrame(bytes)).toEqual([
      {
        token: 408065,
        ltp: 1573.15,
        lastQuantity: 1,
        averagePrice: 1570.33,
        volume: 1175986,
        totalBuyQuantity: 256511,
        totalSellQuantity: 360503,
        open: 1569.15,
        high: 1575,
        low: 1561.05,
        close: 1567.8,
        oi: 0,
        oiDayHigh: 0,
        oiDayLow: 0,
        lastTradeTime: 0,
        exchangeTime: 0,
        depth: undefined,
      },
    ])
  })

  it('the published layout of the full packet: times, open interest and depth at their offsets', () => {
    const bytes = Buffer.alloc(184)
    Buffer.from('00063a01000266ba00000007', 'hex').copy(bytes)
    bytes.writeInt32BE(1_192_471, 16)
    bytes.writeInt32BE(0x60e2947f, 44)
    for (const [index, value] of [41, 42, 43].entries()) bytes.writeInt32BE(value, 48 + index * 4)
    bytes.writeInt32BE(0x60e2947f, 60)
    writeLevel(bytes, 64, 5, 157_340, 1)
    writeLevel(bytes, 124, 172, 157_370, 3)
    const [tick] = decodeFrame(frame([bytes]))
    const at = Date.parse('2021-07-05T10:41:27+05:30')
    expect(tick).toMatchObject({
      token: 408065,
      ltp: 1573.7,
      lastQuantity: 7,
      volume: 1_192_471,
      lastTradeTime: at,
      exchangeTime: at,
      oi: 41,
      oiDayHigh: 42,
      oiDayLow: 43,
    })
    expect(tick?.depth?.buy[0]).toEqual({ price: 1573.4, quantity: 5, orders: 1 })
    expect(tick?.depth?.sell[0]).toEqual({ price: 1573.7, quantity: 172, orders: 3 })
    expect([tick?.depth?.buy.length, tick?.depth?.sell.length]).toEqual([5, 5])
  })

  it.each([
    ['NSE:INFY', 'ltp', 8],
    ['NSE:INFY', 'quote', 44],
    ['NSE:INFY', 'full', 184],
    ['NSE:NIFTY 50', 'quote', 28],
    ['NSE:NIFTY 50', 'full', 32],
    ['CDS:USDINR30JANFUT', 'full', 184],
    ['MCX:GOLDM30JANFUT', 'quote', 44],
  ] as const)('%s in mode %s: %i bytes', (key, mode, length) => {
    const market = state(key)
    const bytes = packet(market, mode, NOW)
    expect(bytes.byteLength).toBe(length)
    const [tick] = decodeFrame(frame([bytes]))
    expect(tick).toMatchObject({ token: market.listing.token, ltp: market.ltp })
    if (mode !== 'ltp') {
      expect(tick).toMatchObject({
        open: market.open,
        high: market.high,
        low: market.low,
        close: market.close,
      })
    }
    if (length === 184) expect(tick?.depth).toEqual(depthOf(market))
    if (length === 32 || length === 184) expect(tick?.exchangeTime).toBe(NOW)
  })

  it.each([
    [1, 100],
    [2, 100],
    [3, 10_000_000],
    [4, 100],
    [5, 100],
    [6, 10_000],
    [7, 100],
    [8, 100],
    [9, 100],
  ])('segment %i has the divisor %i', (segment, divisor) => {
    expect(divisorOf(1024 * 256 + segment)).toBe(divisor)
  })

  it('prices below zero, and counts above 31 bits', () => {
    const bytes = Buffer.alloc(44)
    bytes.writeUInt32BE(25_602_055, 0)
    bytes.writeInt32BE(-3763, 4)
    bytes.writeUInt32BE(3_000_000_000, 16)
    expect(decodeFrame(frame([bytes]))[0]).toMatchObject({ ltp: -37.63, volume: 3_000_000_000 })
  })

  it('counts below zero are no billions, and times below zero are none', () => {
    const bytes = Buffer.alloc(184, 0xff)
    Buffer.from('00063a01000266ba', 'hex').copy(bytes)
    const [tick] = decodeFrame(frame([bytes]))
    expect(tick).toMatchObject({
      ...{ ltp: 1573.7, lastQuantity: -1, volume: -1, totalBuyQuantity: -1, totalSellQuantity: -1 },
      ...{ oi: -1, oiDayHigh: -1, oiDayLow: -1, lastTradeTime: 0, exchangeTime: 0 },
    })
    expect(tick?.depth?.buy[0]).toMatchObject({ quantity: -1, price: -0.01 })
    if (!tick) throw new Error('nothing decoded')
    const told = credible(toTick(tick, { symbol: 'INFY', exchange: 'NSE', name: 'INFOSYS' }, NOW), NOW).value
    expect(told).toMatchObject({ ltp: 1573.7, volume: 0, oi: 0, lastQuantity: 0, timestamp: NOW })
    expect(told?.depth).toEqual({ buy: [], sell: [] })
  })
})

describe('frames', () => {
  const packets = [
    packet(state('NSE:INFY'), 'ltp', NOW),
    packet(state('NSE:NIFTY 50'), 'full', NOW),
    packet(state('NSE:SBIN'), 'full', NOW),
  ]

  it('a heartbeat and an empty frame have no ticks', () => {
    expect(decodeFrame(HEARTBEAT)).toEqual([])
    expect(decodeFrame(new Uint8Array())).toEqual([])
    expect(decodeFrame(frame([]))).toEqual([])
  })

  it('one frame can have packets of all layouts', () => {
    expect(decodeFrame(frame(packets)).map((tick) => tick.token)).toEqual([408065, 256265, 779521])
  })

  it('a packet of unknown length is skipped', () => {
    const [first, , third] = packets
    if (!first || !third) throw new Error('no packets')
    expect(decodeFrame(frame([first, Buffer.alloc(50), third])).map((tick) => tick.token)).toEqual([
      408065, 779521,
    ])
  })

  it('a frame truncated anywhere yields a prefix of its ticks and never throws', () => {
    const bytes = frame(packets)
    const whole = decodeFrame(bytes)
    for (let length = 0; length < bytes.byteLength; length++) {
      const ticks = decodeFrame(bytes.subarray(0, length))
      expect(ticks).toEqual(whole.slice(0, ticks.length))
    }
  })

  it('a frame inside a larger buffer is read from its own start', () => {
    const bytes = Buffer.concat([Buffer.from('xyz'), frame(packets)]).subarray(3)
    expect(decodeFrame(bytes)).toHaveLength(3)
  })

  it('never throws, for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => Array.isArray(decodeFrame(bytes))))
  })
})

describe('requests', () => {
  it('are the JSON that Kite documents', () => {
    expect(subscriptionFrame('subscribe', [1, 2])).toBe('{"a":"subscribe","v":[1,2]}')
    expect(subscriptionFrame('unsubscribe', [2])).toBe('{"a":"unsubscribe","v":[2]}')
    expect(modeFrame('full', [1, 2])).toBe('{"a":"mode","v":["full",[1,2]]}')
  })
})

describe('ticks', () => {
  it('use the best level of the depth, and the time of the trade, the exchange or the arrival', () => {
    const ref = { symbol: 'INFY', exchange: 'NSE' }
    const infy = { ...ref, name: 'INFOSYS' }
    const [full] = decodeFrame(frame([packet(state('NSE:INFY'), 'full', NOW)]))
    const [index] = decodeFrame(frame([packet(state('NSE:NIFTY 50'), 'full', NOW + 1000)]))
    const [quote] = decodeFrame(frame([packet(state('NSE:INFY'), 'quote', NOW)]))
    if (!full || !index || !quote) throw new Error('nothing decoded')
    expect(toTick(full, infy, 1)).toMatchObject({
      ...ref,
      bid: 1499.95,
      bidSize: 100,
      ask: 1500.05,
      askSize: 100,
      prevClose: 1500,
      timestamp: NOW,
    })
    expect(toTick(index, infy, 1).timestamp).toBe(NOW + 1000)
    expect(toTick(quote, infy, 1)).toMatchObject({ timestamp: 1, bid: 0, ask: 0 })
    expect('depth' in toTick(quote, infy, 1)).toBe(false)
  })
})

function writeLevel(bytes: Buffer, at: number, quantity: number, price: number, orders: number): void {
  bytes.writeInt32BE(quantity, at)
  bytes.writeInt32BE(price, at + 4)
  bytes.writeInt16BE(orders, at + 8)
}
