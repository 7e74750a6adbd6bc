import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromMoney, timesQuantity, toMoney } from '../../../../src/core/money/index.js'
import {
  averagePrice,
  type LegRules,
  legAfter,
  legIn,
  openProfit,
  type StrategyFill,
  type StrategyLeg,
} from '../../../../src/core/orders/strategy/pnl.js'
import { sessionDate } from '../../../../src/core/time/index.js'

const TODAY = Date.parse('2026-11-20T11:00:00+05:30')
const YESTERDAY = Date.parse('2026-11-19T11:00:00+05:30')

const RULES: LegRules = {
  sessionOf: (at) => sessionDate(at),
  hasEnded: ({ product }) => product === 'MIS',
}

/** Returns the leg of some fills of one contract, as it is today. */
function legOf(fills: readonly StrategyFill[]): StrategyLeg | undefined {
  let leg: StrategyLeg | undefined
  for (const fill of fills) leg = legAfter(leg, fill, RULES) ?? leg
  return leg && legIn(RULES.sessionOf(TODAY), leg, RULES)
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
      value: timesQuantity(toMoney(price), Number(quantity)),
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
    const leg = legOf(fills(texts))
    if (!leg) throw new Error('there is no leg')

    expect(leg.quantity).toBe(quantity)
    expect(averagePrice(leg)).toBe(average)
    expect(fromMoney(leg.realized)).toBe(realized)
    expect(leg.todayRealized).toBe(leg.realized)
  })

  it('counts what was realized in another session for all days only', () => {
    const leg = legOf(fills(['y+10@800', 'y-5@810', '-5@805']))

    expect(leg).toMatchObject({ quantity: 0, realized: toMoney(75), todayRealized: toMoney(25) })
  })

  it.each([
    [['y+10@800'], 0],
    [['y+10@800', '+5@900'], 5],
    [['+5@900'], 5],
  ])('that ends with its session carries nothing over: %j', (texts, quantity) => {
    expect(legOf(fills(texts, { product: 'MIS' }))?.quantity).toBe(quantity)
  })

  it('values its open quantity times the multiplier of the contract', () => {
    const leg = legOf(fills(['+2@92000', '-1@93000'], { symbol: 'BTCUSDFUT', exchange: 'CRYPTO' }))
    if (!leg) throw new Error('there is no leg')

    expect(fromMoney(openProfit(leg, toMoney(91000), 0.001))).toBe(-1)
  })
})

it('the realized and the open profit together are the cash flow plus the value held, whatever the order of fills', () => {
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
          value: BigInt(paise * 100 * quantity),
          at: TODAY + place,
        }))
        const leg = legOf(list)
        if (!leg) throw new Error('there is no leg')
        const ltp = BigInt(last * 100)
        const cash = list.reduce(
          (sum, { action, value }) => (action === 'BUY' ? sum - value : sum + value),
          0n,
        )

        expect(leg.realized + openProfit(leg, ltp, 1)).toBe(cash + ltp * BigInt(leg.quantity))
      },
    ),
  )
})
