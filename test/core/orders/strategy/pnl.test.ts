import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromMoney, toMoney } from '../../../../src/core/money/index.js'
import {
  averagePrice,
  type LegRules,
  legsOf,
  openProfit,
  type StrategyFill,
} from '../../../../src/core/orders/strategy/pnl.js'
import { sessionDate } from '../../../../src/core/time/index.js'

const TODAY = Date.parse('2026-11-20T11:00:00+05:30')
const YESTERDAY = Date.parse('2026-11-19T11:00:00+05:30')

const RULES: LegRules = {
  sessionOf: (at) => sessionDate(at),
  session: sessionDate(TODAY),
  endsWithSession: ({ product }) => product === 'MIS',
  contractValue: ({ symbol }) => (symbol === 'BTCUSDFUT' ? 0.001 : 1),
}

/** `+10@800` bought, `-4@810.05` sold, `x` before it closes only, `y` before it happened yesterday. */
function fills(texts: readonly string[], more: Partial<StrategyFill> = {}): StrategyFill[] {
  return texts.map((text, place) => {
    const [, marks = '', side, quantity, price = ''] = /^([xy]*)([+-])([\d.]+)@([\d.]+)$/.exec(text) ?? []
    return {
      symbol: 'SBIN',
      exchange: 'NSE',
      product: 'NRML',
      action: side === '+' ? 'BUY' : 'SELL',
      quantity: Number(quantity),
      price: toMoney(price),
      at: (marks.includes('y') ? YESTERDAY : TODAY) + place,
      closesOnly: marks.includes('x'),
      ...more,
    }
  })
}

describe('a leg', () => {
  it.each([
    [['+10@800'], 10, 800, 0],
    [['+10@800', '+10@801'], 20, 800.5, 0],
    [['+10@800', '-4@810.05'], 6, 800, 40.2],
    [['+10@800', '-10@790'], 0, 0, -100],
    [['-10@800', '+4@790'], -6, 800, 40],
    [['+10@800', '-15@810'], -5, 810, 100],
    [['-10@800', '+15@810'], 5, 810, -100],
    [['+3@100.1', '+3@100.2', '+1@100.05', '-7@100'], 0, 0, -0.95],
    [['+10@800', 'x-30@810'], 0, 0, 100],
    [['x-30@810', '+10@800'], 10, 800, 0],
    [['+10@800', 'x+5@810'], 10, 800, 0],
  ])('of %j holds %d at %d and has realized %d', (texts, quantity, average, realized) => {
    const [leg] = legsOf(fills(texts), RULES)
    if (!leg) throw new Error('there is no leg')

    expect(leg.quantity).toBe(quantity)
    expect(averagePrice(leg)).toBe(average)
    expect(fromMoney(leg.realized)).toBe(realized)
    expect(leg.todayRealized).toBe(leg.realized)
  })

  it('counts what was realized in another session for all days only', () => {
    const [leg] = legsOf(fills(['y+10@800', 'y-5@810', '-5@805']), RULES)

    expect(leg).toMatchObject({ quantity: 0, realized: toMoney(75), todayRealized: toMoney(25) })
  })

  it.each([
    [['y+10@800'], 0],
    [['y+10@800', '+5@900'], 5],
    [['+5@900'], 5],
  ])('that ends with its session carries nothing over: %j', (texts, quantity) => {
    expect(legsOf(fills(texts, { product: 'MIS' }), RULES)[0]?.quantity).toBe(quantity)
  })

  it('is one for each symbol, exchange and product', () => {
    const all = [
      ...fills(['+1@1']),
      ...fills(['+1@1'], { exchange: 'BSE' }),
      ...fills(['+1@1'], { product: 'CNC' }),
      ...fills(['+1@1']),
    ]

    expect(legsOf(all, RULES).map(({ quantity }) => quantity)).toEqual([2, 1, 1])
  })

  it('counts the value of a contract', () => {
    const crypto = { symbol: 'BTCUSDFUT', exchange: 'CRYPTO' }
    const [leg] = legsOf(fills(['+2@92000', '-1@93000'], crypto), RULES)
    if (!leg) throw new Error('there is no leg')

    expect(fromMoney(leg.realized)).toBe(1)
    expect(fromMoney(openProfit(leg, toMoney(91000), 0.001))).toBe(-1)
  })
})

it('what was realized and what is open are together what the money did, whatever the order of fills', () => {
  const fill = fc.record({
    action: fc.constantFrom('BUY' as const, 'SELL' as const),
    quantity: fc.integer({ min: 1, max: 500 }),
    paise: fc.integer({ min: 5, max: 500_000 }),
  })
  fc.assert(
    fc.property(
      fc.array(fill, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 5, max: 500_000 }),
      (made, last) => {
        const list = made.map(({ action, quantity, paise }, place) => ({
          ...fills(['+1@1'])[0],
          symbol: 'SBIN',
          exchange: 'NSE',
          product: 'NRML' as const,
          closesOnly: false,
          action,
          quantity,
          price: BigInt(paise * 100),
          at: TODAY + place,
        }))
        const [leg] = legsOf(list, RULES)
        if (!leg) throw new Error('there is no leg')
        const ltp = BigInt(last * 100)
        const cash = list.reduce(
          (sum, { action, quantity, price }) => sum + price * BigInt(action === 'BUY' ? -quantity : quantity),
          0n,
        )

        expect(leg.realized + openProfit(leg, ltp, 1)).toBe(cash + ltp * BigInt(leg.quantity))
      },
    ),
  )
})
