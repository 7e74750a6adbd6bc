import { describe, expect, it } from 'vitest'
import {
  Liquidity,
  type MatchableOrder,
  matchOrder,
} from '../../../../../src/core/brokers/simulated/exchange/matching.js'
import type { Depth } from '../../../../../src/core/market/schema.js'

const level = (price: number, quantity: number) => ({ price, quantity, orders: 1 })

/** Last price 250; sellers from 250.2 upwards, buyers from 249.9 downwards. */
const BOOK: Depth = {
  buy: [level(249.9, 30), level(249.8, 50), level(249.5, 100)],
  sell: [level(250.2, 20), level(250.3, 40), level(250.6, 100)],
}
const LTP = 250

type Row = [string, Partial<MatchableOrder>, triggered: boolean, fills: [price: number, quantity: number][]]

const TABLE: Row[] = [
  ['BUY MARKET takes the best seller', { remaining: 10 }, true, [[250.2, 10]]],
  ['SELL MARKET takes the best buyer', { action: 'SELL', remaining: 10 }, true, [[249.9, 10]]],
  [
    'BUY MARKET walks the levels',
    { remaining: 70 },
    true,
    [
      [250.2, 20],
      [250.3, 40],
      [250.6, 10],
    ],
  ],
  [
    'BUY MARKET beyond the book fills in part',
    { remaining: 500 },
    true,
    [
      [250.2, 20],
      [250.3, 40],
      [250.6, 100],
    ],
  ],
  [
    'BUY LIMIT above the seller fills at the better price',
    { priceType: 'LIMIT', price: 251, remaining: 15 },
    true,
    [[250.2, 15]],
  ],
  [
    'BUY LIMIT fills only levels within its price',
    { priceType: 'LIMIT', price: 250.3, remaining: 100 },
    true,
    [
      [250.2, 20],
      [250.3, 40],
    ],
  ],
  ['BUY LIMIT below the seller waits', { priceType: 'LIMIT', price: 250.1, remaining: 10 }, true, []],
  [
    'SELL LIMIT below the buyer fills at the better price',
    { action: 'SELL', priceType: 'LIMIT', price: 249, remaining: 40 },
    true,
    [
      [249.9, 30],
      [249.8, 10],
    ],
  ],
  [
    'SELL LIMIT above the buyer waits',
    { action: 'SELL', priceType: 'LIMIT', price: 250, remaining: 10 },
    true,
    [],
  ],
  [
    'BUY SL-M below its trigger waits for it',
    { priceType: 'SL-M', triggerPrice: 255, triggered: false, remaining: 10 },
    false,
    [],
  ],
  [
    'BUY SL-M at its trigger becomes a market order',
    { priceType: 'SL-M', triggerPrice: 250, triggered: false, remaining: 25 },
    true,
    [
      [250.2, 20],
      [250.3, 5],
    ],
  ],
  [
    'SELL SL-M above its trigger waits for it',
    { action: 'SELL', priceType: 'SL-M', triggerPrice: 245, triggered: false, remaining: 10 },
    false,
    [],
  ],
  [
    'SELL SL-M at its trigger becomes a market order',
    { action: 'SELL', priceType: 'SL-M', triggerPrice: 250, triggered: false, remaining: 10 },
    true,
    [[249.9, 10]],
  ],
  [
    'BUY SL with trigger and limit met fills',
    { priceType: 'SL', triggerPrice: 249, price: 250.2, triggered: false, remaining: 50 },
    true,
    [[250.2, 20]],
  ],
  [
    'SELL SL with its trigger met and its limit not waits as a limit order',
    { action: 'SELL', priceType: 'SL', triggerPrice: 250, price: 250, triggered: false, remaining: 10 },
    true,
    [],
  ],
  [
    'BUY SL that was triggered before fills without its trigger',
    { priceType: 'SL', triggerPrice: 260, price: 261, triggered: true, remaining: 10 },
    true,
    [[250.2, 10]],
  ],
]

describe('matching', () => {
  it.each(TABLE)('%s', (_name, values, triggered, fills) => {
    const order: MatchableOrder = {
      action: 'BUY',
      priceType: 'MARKET',
      price: 0,
      triggerPrice: 0,
      remaining: 1,
      triggered: true,
      ...values,
    }
    expect(matchOrder(order, LTP, BOOK)).toEqual({
      triggered,
      fills: fills.map(([price, quantity]) => ({ price, quantity })),
    })
  })

  it('gives an order only the quantity that earlier orders of the same second left', () => {
    const liquidity = new Liquidity()
    const order: MatchableOrder = {
      action: 'BUY',
      priceType: 'MARKET',
      price: 0,
      triggerPrice: 0,
      remaining: 30,
      triggered: true,
    }
    const book = liquidity.book('NSE:X', 1, () => BOOK)
    const first = matchOrder(order, LTP, book)
    liquidity.take(book, 'BUY', first.fills)
    const second = matchOrder(
      order,
      LTP,
      liquidity.book('NSE:X', 1, () => BOOK),
    )
    expect(second.fills).toEqual([{ price: 250.3, quantity: 30 }])
    expect(
      matchOrder(
        order,
        LTP,
        liquidity.book('NSE:X', 2, () => BOOK),
      ).fills,
    ).toEqual(first.fills)
    expect(BOOK.sell[0]?.quantity).toBe(20)
  })
})
