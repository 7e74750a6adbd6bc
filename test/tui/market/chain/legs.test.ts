import { describe, expect, test } from 'vitest'
import {
  entryOf,
  type Legs,
  type MarkedLeg,
  marked,
  markText,
  sized,
} from '../../../../src/tui/market/chain/legs.js'

const CALL = { symbol: 'NFO:C', side: 'ce', strike: 26_000, expiry: '01DEC26', lotsize: 65 } as const
const PUT = { ...CALL, symbol: 'NFO:P', side: 'pe' } as const
const READ = {
  symbol: 'C',
  label: 'ATM',
  ltp: 100,
  bid: 99,
  ask: 101,
  bid_qty: 1,
  ask_qty: 1,
  open: 1,
  high: 1,
  low: 1,
  prev_close: 1,
  volume: 10,
  oi: 500,
  lotsize: 65,
  tick_size: 0.05,
}

describe('the marks', () => {
  test('go from a purchase to a sale of as many lots, and away', () => {
    const bought = marked([], CALL)
    expect(bought.map(markText)).toEqual(['BUY 1'])
    const sold = marked(sized(bought, 'NFO:C', 2), CALL)
    expect(sold.map(markText)).toEqual(['SELL 3'])
    expect(marked(sold, CALL)).toEqual([])
  })

  test('leave the others alone', () => {
    const both = marked(marked([], CALL), PUT)
    expect(marked(both, PUT).map(markText)).toEqual(['BUY 1', 'SELL 1'])
    expect(sized(both, 'NFO:P', 1).map(markText)).toEqual(['BUY 1', 'BUY 2'])
  })

  test('have a lot at least, and keep their side', () => {
    const sold: Legs = [{ ...CALL, lots: -2 }]
    expect(sized(sold, 'NFO:C', -1).map(markText)).toEqual(['SELL 1'])
    expect(sized(sized(sold, 'NFO:C', -1), 'NFO:C', -1).map(markText)).toEqual(['SELL 1'])
    expect(sized(sold, 'NFO:C', 1).map(markText)).toEqual(['SELL 3'])
  })
})

describe('the entry price', () => {
  const [buy, sell]: MarkedLeg[] = [
    { ...CALL, lots: 1 },
    { ...CALL, lots: -1 },
  ]
  if (!buy || !sell) throw new Error('no legs')
  const readAt = 1000

  test('is the ask for a purchase and the bid for a sale', () => {
    expect(entryOf(buy, READ, undefined, readAt)).toEqual({ price: 101, of: 'ask', at: readAt })
    expect(entryOf(sell, READ, undefined, readAt)).toEqual({ price: 99, of: 'bid', at: readAt })
  })

  test('is live where there is a live one', () => {
    const live = { ltp: 110, ask: 111, bid: 109, at: 1001 }
    expect(entryOf(buy, READ, live, readAt)).toEqual({ price: 111, of: 'ask', at: 1001 })
    expect(entryOf(sell, null, live, readAt)).toEqual({ price: 109, of: 'bid', at: 1001 })
  })

  test('is the one that was read, once the chain is read after the last live one', () => {
    const live = { ltp: 110, ask: 111, bid: 109, at: 999 }
    expect(entryOf(buy, READ, live, readAt)).toEqual({ price: 101, of: 'ask', at: readAt })
    expect(entryOf(sell, { ...READ, bid: 0, ask: 0 }, live, readAt)).toEqual({
      price: 100,
      of: 'last',
      at: readAt,
    })
    // The chain on the screen does not have the option.
    expect(entryOf(sell, null, live, readAt)).toEqual({ price: 109, of: 'bid', at: 999 })
  })

  test('of a side that the live book does not have is the last price', () => {
    const live = { ltp: 110, bid: 109, at: 1001 }
    expect(entryOf(buy, READ, live, readAt)).toEqual({ price: 110, of: 'last', at: 1001 })
  })

  test('is as old as the book that has it', () => {
    const live = { ltp: 110, at: 1001 }
    expect(entryOf(buy, READ, live, readAt)).toEqual({ price: 101, of: 'ask', at: readAt })
  })

  test('is the last price without a book, and says so', () => {
    const bookless = { ...READ, bid: 0, ask: 0 }
    expect(entryOf(buy, bookless, undefined, readAt)).toEqual({ price: 100, of: 'last', at: readAt })
    const live = { ltp: 110, at: 0 }
    expect(entryOf(sell, null, live, readAt)).toEqual({ price: 110, of: 'last', at: 0 })
  })

  test('is none without any price: zero is no price', () => {
    expect(entryOf(buy, { ...READ, ltp: 0, bid: 0, ask: 0 }, undefined, readAt)).toBeUndefined()
    expect(entryOf(sell, null, undefined, readAt)).toBeUndefined()
  })
})
