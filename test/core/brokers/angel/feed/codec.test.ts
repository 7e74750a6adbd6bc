import { describe, expect, it } from 'vitest'
import { decodeTicks } from '../../../../../src/core/brokers/angel/feed/codec.js'

/* Frames built byte by byte from the documented layout: little-endian, prices in paise. */

const i64 = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(value))
  return bytes
}
const f64 = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}
const u16 = (value: number) => Buffer.from([value & 0xff, value >> 8])
const token = (text: string) => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(25 - text.length)])

const AT = 1_764_390_000_123

/** 51 bytes: mode, exchange, token, sequence, exchange time, last price. */
const ltpPart = (mode: number, exchange: number, name: string, ltp: number) =>
  Buffer.concat([Buffer.from([mode, exchange]), token(name), i64(9), i64(AT), i64(ltp)])

interface Totals {
  buy?: number
  sell?: number
}

/** The 72 bytes that a quote has after the last price. */
const dayPart = ({ buy = 5000, sell = 6000 }: Totals = {}) =>
  Buffer.concat([
    i64(25),
    i64(150_010),
    i64(123_456),
    f64(buy),
    f64(sell),
    i64(149_000),
    i64(151_000),
    i64(148_900),
    i64(149_500),
  ])

type Level = readonly [flag: number, quantity: number, price: number, orders: number]

/** The 256 bytes that a snap quote has after the quote. */
const fullPart = (levels: readonly Level[]) =>
  Buffer.concat([
    i64(1_764_390_000),
    i64(7_000_000_001),
    f64(1.5),
    ...levels.flatMap(([flag, quantity, price, orders]) => [
      u16(flag),
      i64(quantity),
      i64(price),
      u16(orders),
    ]),
    i64(164_450),
    i64(134_550),
    i64(190_000),
    i64(120_000),
  ])

const BIDS = [149_995, 149_990, 149_985, 149_980, 149_975] as const
const ASKS = [150_005, 150_010, 150_015, 150_020, 150_025] as const
const side = (flag: number, prices: readonly number[]): Level[] =>
  prices.map((price, place) => [flag, 10 * (place + 1), price, place + 1])
const NONE = [0, 0, 0, 0, 0] as const

const snap = (levels: readonly Level[], totals?: Totals) =>
  Buffer.concat([ltpPart(3, 1, '1594', 150_000), dayPart(totals), fullPart(levels)])

const bookOf = (levels: readonly Level[], totals?: Totals) => {
  const depth = decodeTicks(snap(levels, totals))[0]?.full?.depth
  return {
    buy: depth?.buy.map(({ price }) => price) ?? [],
    sell: depth?.sell.map(({ price }) => price) ?? [],
  }
}
const rupees = (prices: readonly number[]) => prices.map((price) => price / 100)

describe('the packets of the price feed', () => {
  it('a last price has 51 bytes', () => {
    const bytes = ltpPart(1, 2, '53002', 31_005)
    expect(bytes).toHaveLength(51)
    expect(decodeTicks(bytes)).toEqual([{ exchange: 2, token: '53002', exchangeTime: AT, ltp: 310.05 }])
  })

  it('a quote has 123 bytes', () => {
    const bytes = Buffer.concat([ltpPart(2, 1, '1594', 150_000), dayPart()])
    expect(bytes).toHaveLength(123)
    expect(decodeTicks(bytes)).toEqual([
      {
        exchange: 1,
        token: '1594',
        exchangeTime: AT,
        ltp: 1500,
        day: {
          lastQuantity: 25,
          averagePrice: 1500.1,
          volume: 123_456,
          totalBuyQuantity: 5000,
          totalSellQuantity: 6000,
          open: 1490,
          high: 1510,
          low: 1489,
          close: 1495,
        },
      },
    ])
  })

  it('a snap quote has 379 bytes', () => {
    const bytes = snap([...side(0, BIDS), ...side(1, ASKS)])
    expect(bytes).toHaveLength(379)
    const [tick] = decodeTicks(bytes)
    expect(tick?.full?.oi).toBe(7_000_000_001)
    expect(tick?.full?.depth.buy[0]).toEqual({ price: 1499.95, quantity: 10, orders: 1 })
    expect(tick?.full?.depth.sell[4]).toEqual({ price: 1500.25, quantity: 50, orders: 5 })
  })

  it('prices of currencies are ten-millionths of a rupee', () => {
    expect(decodeTicks(ltpPart(1, 13, '12001', 845_525_000))[0]?.ltp).toBe(84.5525)
  })

  it('several in one message are all read, also after a depth of 20, which is not asked for', () => {
    const depth20 = Buffer.concat([Buffer.from([4, 1]), token('1594'), Buffer.alloc(443 - 27)])
    const message = Buffer.concat([ltpPart(1, 1, '1594', 1), depth20, ltpPart(1, 1, '3045', 2)])
    expect(decodeTicks(message).map(({ token: each }) => each)).toEqual(['1594', '3045'])
  })

  it('one that is cut off at any byte gives nothing', () => {
    const whole = snap([...side(0, BIDS), ...side(1, ASKS)])
    const before = ltpPart(1, 1, '3045', 80_000)
    for (let length = 0; length < whole.length; length += 13) {
      const message = Buffer.concat([before, whole.subarray(0, length)])
      expect(decodeTicks(message).map(({ token: each }) => each)).toEqual(['3045'])
    }
  })

  it('an unknown mode ends the message', () => {
    expect(decodeTicks(Buffer.from([9, 1, 2, 3]))).toEqual([])
    expect(decodeTicks(new Uint8Array())).toEqual([])
  })

  it('a number that cannot be exact is left out, never a wrong price', () => {
    const bytes = ltpPart(1, 1, '1594', 0)
    bytes.writeBigInt64LE(2n ** 62n, 43)
    expect(decodeTicks(bytes)).toEqual([])
  })
})

describe('the best five', () => {
  const expected = { buy: rupees(BIDS), sell: rupees(ASKS) }

  it.each([
    ['0 means buyers, as in the official client', 0],
    ['1 means buyers, as on the page', 1],
  ])('the lower prices are the bid where the flag %s', (_name, flag) => {
    expect(bookOf([...side(flag, BIDS), ...side(1 - flag, ASKS)])).toEqual(expected)
    expect(bookOf([...side(1 - flag, ASKS), ...side(flag, BIDS)])).toEqual(expected)
  })

  it('are told apart by their place where all flags are equal', () => {
    expect(bookOf([...side(0, BIDS), ...side(0, ASKS)])).toEqual(expected)
    expect(bookOf([...side(1, ASKS), ...side(1, BIDS)])).toEqual(expected)
  })

  it('are sorted from the best price on, whatever order they come in', () => {
    expect(bookOf([...side(0, [...BIDS].reverse()), ...side(1, [...ASKS].reverse())])).toEqual(expected)
  })

  it('with levels interleaved are grouped by their flag', () => {
    const mixed = BIDS.flatMap((bid, place) => [...side(1, [bid]), ...side(0, [ASKS[place] ?? 0])])
    expect(bookOf(mixed)).toEqual(expected)
  })

  it.each([0, 1])('with buyers alone are the bid, with flag %i', (flag) => {
    const levels = [...side(flag, BIDS), ...side(1 - flag, NONE)]
    expect(bookOf(levels, { buy: 5000, sell: 0 })).toEqual({ buy: rupees(BIDS), sell: [] })
    expect(bookOf(levels)).toEqual({ buy: rupees(BIDS), sell: [] })
  })

  it.each([0, 1])('with sellers alone are the ask, with flag %i', (flag) => {
    const levels = [...side(flag, NONE), ...side(1 - flag, ASKS)]
    expect(bookOf(levels, { buy: 0, sell: 6000 })).toEqual({ buy: [], sell: rupees(ASKS) })
    expect(bookOf(levels)).toEqual({ buy: [], sell: rupees(ASKS) })
  })

  it('at the upper limit, where the only price is the last one, are the bid by the totals', () => {
    const levels = [...side(0, [150_000, 0, 0, 0, 0]), ...side(1, NONE)]
    expect(bookOf(levels, { buy: 10, sell: 0 })).toEqual({ buy: [1500], sell: [] })
    expect(bookOf(levels, { buy: 0, sell: 10 })).toEqual({ buy: [], sell: [1500] })
  })

  it('of nobody are empty', () => {
    expect(bookOf([...side(0, NONE), ...side(1, NONE)])).toEqual({ buy: [], sell: [] })
  })
})

it('leaves out a packet that cannot be read, and reads those around it', () => {
  const reasons: string[] = []
  const whole = ltpPart(1, 1, '1594', 150_000)
  const tooLarge = Buffer.from(whole)
  tooLarge.writeBigInt64LE(2n ** 62n, 43)
  const noNumber = Buffer.concat([ltpPart(2, 1, '1594', 150_000), dayPart({ buy: Number.NaN })])
  const read = decodeTicks(Buffer.concat([whole, tooLarge, noNumber, whole]), (reason) =>
    reasons.push(reason),
  )
  expect(read).toEqual(decodeTicks(Buffer.concat([whole, whole])))
  expect(reasons).toEqual([expect.stringContaining('too large'), expect.stringContaining('no number')])
})
