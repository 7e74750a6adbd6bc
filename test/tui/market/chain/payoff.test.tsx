import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { PayoffPanel, panelTitle, payoffLines } from '../../../../src/tui/market/chain/PayoffPanel.js'
import {
  type ChainPayoff,
  chainPayoff,
  type DrawnPayoff,
  figuresOf,
  type PricedLeg,
  payoffSentence,
} from '../../../../src/tui/market/chain/payoff.js'
import { render } from '../../support/render.js'

const CALL: PricedLeg = {
  symbol: 'NFO:NIFTY01DEC2626000CE',
  side: 'ce',
  strike: 26_000,
  expiry: '01DEC26',
  lotsize: 65,
  lots: -1,
  entry: { price: 100, of: 'bid', at: 0 },
}
const PUT: PricedLeg = {
  ...CALL,
  symbol: 'NFO:NIFTY01DEC2626000PE',
  side: 'pe',
  entry: { price: 90, of: 'last', at: 0 },
}
const BOUGHT: PricedLeg = { ...CALL, lots: 2, entry: { price: 101.5, of: 'ask', at: 0 } }

function drawn(legs: readonly PricedLeg[], venue = 'NFO', price: number | undefined = 26_050): DrawnPayoff {
  const shown = chainPayoff(legs, venue, price)
  if (shown === undefined || shown.problem !== undefined) throw new Error('no payoff')
  return shown
}
const words = (shown: DrawnPayoff) => figuresOf(shown).map(({ name, text }) => `${name}: ${text}`)
const panel = (shown: ChainPayoff, width: number, height: number) =>
  render(
    <PayoffPanel shown={shown} venue="NFO" width={width} height={height} isStale={false} />,
  ).lastFrame() ?? ''

describe('the payoff of marked options', () => {
  test('is none without a mark', () => expect(chainPayoff([], 'NFO', 26_050)).toBeUndefined())

  test('has its figures in words', () => {
    expect(words(drawn([CALL, PUT]))).toEqual([
      'At 26,050.00: profit ₹9,100.00',
      'Max profit: ₹12,350.00',
      'Max loss: unlimited',
      'Break-evens: 25,810.00, 26,190.00',
      'Premium: received ₹12,350.00',
    ])
    expect(words(drawn([BOUGHT]))).toEqual([
      'At 26,050.00: loss ₹6,695.00',
      'Max profit: unlimited',
      'Max loss: ₹13,195.00',
      'Break-even: 26,101.50',
      'Premium: paid ₹13,195.00',
    ])
  })

  test('says when there is no profit, no loss and no present price', () => {
    const sold: PricedLeg = {
      ...CALL,
      symbol: 'NFO:D',
      strike: 26_100,
      entry: { price: 110, of: 'bid', at: 0 },
    }
    const gain = drawn([{ ...BOUGHT, lots: 1, entry: { price: 100, of: 'ask', at: 0 } }, sold], 'NFO', 0)
    expect(words(gain)).toEqual([
      'Now: the price of the underlying is not known',
      'Max profit: ₹7,150.00',
      'Max loss: none, profit ₹650.00 at worst',
      'Break-even: none',
      'Premium: received ₹650.00',
    ])
    const turned = gain.legs.map((leg) => ({ ...leg, lots: -leg.lots }))
    expect(words(drawn(turned))).toContain('Max profit: none, loss ₹650.00 at best')
  })

  test('has the decimals of its exchange', () => {
    const currency: PricedLeg = {
      ...BOUGHT,
      symbol: 'CDS:USDINR29DEC2683.25CE',
      strike: 83.25,
      lots: 1,
      lotsize: 1000,
      entry: { price: 0.1025, of: 'ask', at: 0 },
    }
    expect(words(drawn([currency], 'CDS', 83.3))).toContain('Break-even: 83.3525')
  })

  test.each([
    [
      'different expiries',
      [CALL, { ...PUT, expiry: '08DEC26' }],
      'NFO',
      'No payoff: the legs have different expiries, 01DEC26 and 08DEC26.',
    ],
    [
      'a missing price',
      [CALL, { ...PUT, entry: undefined }],
      'NFO',
      'No payoff: NFO:NIFTY01DEC2626000PE has no price.',
    ],
    [
      'contracts of unknown size',
      [CALL],
      'CRYPTO',
      'No payoff: the size of a contract on CRYPTO is not known here.',
    ],
    [
      'no lot size',
      [{ ...CALL, lotsize: 0 }],
      'NFO',
      'No payoff: the lot size of NFO:NIFTY01DEC2626000CE is not known.',
    ],
  ])('of legs with %s is not drawn, and says why', (_, legs, venue, problem) => {
    const shown = chainPayoff(legs, venue, 26_050)
    if (shown === undefined) throw new Error('no answer')
    expect(payoffSentence(shown)).toBe(problem)
    expect(panelTitle(shown)).toBe('Marked options')
    const text = panel(shown, 46, 20)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(problem)
    expect(text).not.toMatch(/[\u2801-\u28ff]/)
  })

  test('is a sentence that names its prices where there is no room for a chart', () => {
    expect(payoffSentence(drawn([CALL, PUT]))).toBe(
      'Payoff 01DEC26 (bid and last prices): at 26,050.00 profit ₹9,100.00, max profit ₹12,350.00, ' +
        'max loss unlimited, break-evens 25,810.00, 26,190.00, premium received ₹12,350.00',
    )
    const lines = payoffLines(drawn([BOUGHT]), 80)
    expect(lines.length).toBeLessThanOrEqual(2)
    expect(lines.every(({ text }) => stringWidth(text) <= 80)).toBe(true)
  })
})

describe('the panel', () => {
  test('has the legs, the chart with its signs, and the figures', () => {
    const lines = panel(drawn([CALL, PUT]), 46, 29)
      .trimEnd()
      .split('\n')
    expect(panelTitle(drawn([CALL, PUT]))).toBe('Payoff at expiry 01DEC26, before costs')
    expect(lines.slice(0, 2)).toEqual(['SELL 1×65 26,000 CE 100.00 bid', 'SELL 1×65 26,000 PE 90.00 last'])
    expect(lines[2]).toMatch(/^ 12,350 ┤.*[\u2801-\u28ff]/)
    const zero = lines.find((line) => line.startsWith('      0 ┤')) ?? ''
    expect(zero.match(/◆/g)).toHaveLength(2)
    expect(zero).toMatch(/^ +0 ┤┄+◆.*┊.*◆.*┄$/)
    // The price of now lies between the strike and the upper break-even.
    expect(lines.filter((line) => line.includes('┊')).length).toBeGreaterThan(3)
    expect(lines).toContain('┊ price now  ◆ break-even  ┄ zero')
    expect(lines.at(-1)).toBe('Premium       received ₹12,350.00')
  })

  test.each([
    [98, 33],
    [46, 29],
    [38, 17],
    [38, 9],
    [20, 4],
  ])('fits into %d by %d', (width, height) => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...BOUGHT, symbol: `NFO:${index}` }))
    const shown = drawn([CALL, PUT, ...many])
    const lines = panel(shown, width, height).split('\n')
    expect(lines.length).toBeLessThanOrEqual(height)
    expect(lines.every((line) => stringWidth(line) <= width)).toBe(true)
  })

  test('counts the legs that have no line', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...BOUGHT, symbol: `NFO:${index}` }))
    const lines = panel(drawn(many), 46, 29).split('\n')
    expect(lines.filter((line) => line.startsWith('BUY '))).toHaveLength(7)
    expect(lines[7]).toBe('5 more legs')
  })

  test('without room for a chart has the legs and the figures', () => {
    const text = panel(drawn([CALL, PUT]), 46, 9)
    expect(text).not.toMatch(/[\u2801-\u28ff]/)
    expect(text).toMatch(/^Max loss {6}unlimited$/m)
  })

  test('names the expiry of each leg when they differ', () => {
    const shown = chainPayoff([CALL, { ...PUT, expiry: '08DEC26' }], 'NFO', 26_050)
    if (shown === undefined) throw new Error('no answer')
    expect(panel(shown, 46, 20)).toContain('SELL 1×65 08DEC26 26,000 PE 90.00 last')
  })
})
