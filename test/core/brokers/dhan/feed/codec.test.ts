import { describe, expect, test } from 'vitest'
import { decoded, subscriptionFrame } from '../../../../../src/core/brokers/dhan/feed/codec.js'

/* Frames built byte by byte from the published layouts, without the builder of the fake. */

/** Little-endian bytes of a value. */
const u8 = (value: number) => [value & 0xff]
const u16 = (value: number) => [value & 0xff, (value >> 8) & 0xff]
const u32 = (value: number) => [...u16(value & 0xffff), ...u16(Math.floor(value / 0x1_0000))]
const f32 = (value: number) => [...new Uint8Array(new Float32Array([value]).buffer)]

const head = (code: number, length: number, id = 1594, segment = 1) => [
  ...u8(code),
  ...u16(length),
  ...u8(segment),
  ...u32(id),
]
const bytes = (...parts: readonly number[][]) => Uint8Array.from(parts.flat())

const TICKER = [...head(2, 16), ...f32(1500.25), ...u32(1_757_651_400)]
const QUOTE = [
  ...head(4, 50),
  ...f32(1500.25),
  ...u16(25),
  ...u32(1_757_651_400),
  ...f32(1499.5),
  ...u32(123_456),
  ...u32(7000),
  ...u32(8000),
  ...f32(1490),
  ...f32(0),
  ...f32(1505.5),
  ...f32(1488.75),
]
const LEVELS = [1, 2, 3, 4, 5].flatMap((n) => [
  ...u32(n * 10),
  ...u32(n * 20),
  ...u16(n),
  ...u16(n + 1),
  ...f32(1500 - n * 0.25),
  ...f32(1500 + n * 0.25),
])
const FULL = [
  ...head(8, 162),
  ...f32(1500.25),
  ...u16(25),
  ...u32(1_757_651_400),
  ...f32(1499.5),
  ...u32(123_456),
  ...u32(7000),
  ...u32(8000),
  ...u32(99),
  ...u32(120),
  ...u32(80),
  ...f32(1490),
  ...f32(1400),
  ...f32(1505.5),
  ...f32(1488.75),
  ...LEVELS,
]
const TRADED = {
  ltp: 1500.25,
  lastQuantity: 25,
  timestamp: 1_757_651_400_000,
  averagePrice: 1499.5,
  volume: 123_456,
  totalSellQuantity: 7000,
  totalBuyQuantity: 8000,
}
const DAY = { open: 1490, high: 1505.5, low: 1488.75 }
const part = (values: object, segment = 1, securityId = 1594) => ({
  kind: 'part',
  segment,
  securityId,
  part: values,
})

describe('a packet of the feed', () => {
  test('has the length that the page gives', () => {
    expect([TICKER.length, QUOTE.length, FULL.length]).toEqual([16, 50, 162])
  })

  test.each([
    ['ticker', TICKER, part({ ltp: 1500.25, timestamp: 1_757_651_400_000 })],
    ['quote, whose close of the day is no previous close', QUOTE, part({ ...TRADED, ...DAY })],
    ['open interest', [...head(5, 12), ...u32(4_000_000_000)], part({ oi: 4_000_000_000 })],
    ['previous close', [...head(6, 16), ...f32(1480.5), ...u32(5)], part({ prevClose: 1480.5 })],
    ['market status', head(7, 8), part({})],
    ['disconnect', [...head(50, 10), ...u16(807)], { kind: 'disconnect', reason: 807 }],
  ])('%s', (_name, packet, expected) => {
    expect(decoded(bytes(packet))).toEqual([expected])
  })

  test('full, with both sides in each level', () => {
    const [read] = decoded(bytes(FULL))
    const level = (n: number, side: 'buy' | 'sell') => ({
      price: 1500 + (side === 'buy' ? -1 : 1) * n * 0.25,
      quantity: n * (side === 'buy' ? 10 : 20),
      orders: side === 'buy' ? n : n + 1,
    })
    const depth = {
      buy: [1, 2, 3, 4, 5].map((n) => level(n, 'buy')),
      sell: [1, 2, 3, 4, 5].map((n) => level(n, 'sell')),
    }
    expect(read).toEqual(part({ ...TRADED, ...DAY, oi: 99, depth }))
  })

  test('with sums below zero has them as they are, and not as billions', () => {
    const none = [...u16(0xffff), ...u16(0xffff)]
    expect(decoded(bytes(head(5, 12), none))).toMatchObject([{ part: { oi: -1 } }])
    const quote = bytes(
      head(4, 50),
      f32(1500.25),
      u16(25),
      u32(0),
      f32(1499.5),
      none,
      none,
      none,
      new Array(16).fill(0),
    )
    expect(decoded(quote)).toMatchObject([
      { part: { ltp: 1500.25, volume: -1, totalSellQuantity: -1, totalBuyQuantity: -1 } },
    ])
  })

  test('of a trade without a time has none', () => {
    expect(decoded(bytes(head(2, 16), f32(10), u32(0)))).toEqual([part({ ltp: 10 })])
  })

  test('names its instrument by segment and id, up to the largest', () => {
    const packet = [...head(2, 16, 4_294_967_295, 8), ...f32(1), ...u32(1)]
    expect(decoded(bytes(packet))).toMatchObject([{ segment: 8, securityId: 4_294_967_295 }])
  })
})

describe('a message', () => {
  test('holds several packets', () => {
    const codes = decoded(bytes(head(6, 16), f32(1480), u32(5), TICKER, QUOTE, FULL))
    expect(codes).toHaveLength(4)
  })

  test.each([1, 7, 8, 15])(
    'that is cut off after %d bytes of its second packet gives the first',
    (length) => {
      expect(decoded(bytes(TICKER, FULL.slice(0, length)))).toHaveLength(1)
    },
  )

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('leaves out a packet with a price of %d', (price) => {
    const reasons: string[] = []
    const broken = [...head(2, 16), ...f32(price), ...u32(1)]
    const read = decoded(bytes(TICKER, broken, QUOTE), (reason) => reasons.push(reason))
    expect(read).toEqual(decoded(bytes(TICKER, QUOTE)))
    expect(reasons).toEqual([expect.stringContaining('no number')])
  })

  test('skips a packet of an unknown code by its length', () => {
    expect(decoded(bytes(head(41, 20), new Array(12).fill(7), TICKER))).toEqual(decoded(bytes(TICKER)))
  })

  test('walks by the layout where a header has no length', () => {
    const noLength = [...TICKER]
    noLength[1] = 0
    expect(decoded(bytes(noLength, QUOTE))).toHaveLength(2)
  })

  test.each([
    ['nothing', []],
    ['a lone byte', [2]],
    ['a length below the header', [...head(2, 3), ...f32(1), ...u32(1)]],
  ])('of %s gives nothing', (_name, content) => {
    expect(decoded(bytes(content))).toEqual([])
  })

  test('with a packet shorter than its layout drops that one', () => {
    expect(decoded(bytes(head(8, 30), new Array(22).fill(1), TICKER))).toHaveLength(1)
  })
})

test('a subscription is JSON with the count and the names of its instruments', () => {
  const instruments = [{ ExchangeSegment: 'NSE_EQ', SecurityId: '1594' }]
  expect(JSON.parse(subscriptionFrame(21, instruments))).toEqual({
    RequestCode: 21,
    InstrumentCount: 1,
    InstrumentList: instruments,
  })
})
