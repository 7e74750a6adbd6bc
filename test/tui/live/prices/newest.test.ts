import { describe, expect, test } from 'vitest'
import { isOld, newest, quoteOf } from '../../../../src/tui/live/prices/quote.js'

const ANSWER = {
  open: 800,
  high: 820,
  low: 790,
  ltp: 810.5,
  prev_close: 795,
  volume: 1000,
  oi: 0,
  ask: 811,
  bid: 810,
  bid_qty: 5,
  ask_qty: 6,
}

test('a quote of the daemon has no members for zeros', () => {
  expect(quoteOf(ANSWER, 7)).toEqual({
    ltp: 810.5,
    open: 800,
    high: 820,
    low: 790,
    close: 795,
    volume: 1000,
    bid: 810,
    ask: 811,
    at: 7,
  })
})

describe('the newest prices', () => {
  const read = { ltp: 10, close: 9, at: 100 }
  test('are the later ones, with what only the others know', () => {
    expect(newest(read, { ltp: 11, bid: 10.5, at: 101 })).toEqual({ ltp: 11, close: 9, bid: 10.5, at: 101 })
    expect(newest(read, { ltp: 8, bid: 7.5, at: 99 })).toEqual({ ltp: 10, close: 9, bid: 7.5, at: 100 })
  })

  test('are those of the only source', () => {
    expect(newest(undefined, read)).toBe(read)
    expect(newest(read, undefined)).toBe(read)
    expect(newest(undefined, undefined)).toBeUndefined()
  })

  test('are old after half a minute', () => {
    expect([30_000, 30_001].map((age) => isOld(read, read.at + age))).toEqual([false, true])
  })
})
