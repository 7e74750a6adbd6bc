import { describe, expect, it } from 'vitest'
import type { PositionRow } from '../../../src/tui/positions/feeds.js'
import { liveHoldings, livePositions, pricedSymbols } from '../../../src/tui/positions/live-rows.js'

const LONG = {
  id: 'NSE:SBIN MIS',
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'MIS',
  quantity: 10,
  average_price: 800,
  ltp: 810,
  pnl: 100,
  pnlpercent: 1.25,
  mode: 'live',
} satisfies PositionRow
const READ_AT = 1000
const quotesOf = (ltp: number, at = READ_AT) => new Map([['NSE:SBIN', { ltp, at }]])

describe('the newest price', () => {
  it.each([
    ['a long position gains', 10, 100, 820, 200, 2.5],
    ['a short position loses', -10, -100, 820, -200, -2.5],
    ['a realised part stays, and is no gain of what is open', 10, 600, 820, 700, 2.5],
  ])('%s', (_name, quantity, pnl, ltp, expected, percent) => {
    const [row] = livePositions([{ ...LONG, quantity, pnl }], READ_AT, quotesOf(ltp))
    expect(row).toMatchObject({ ltp, pnl: expected, pnlpercent: percent })
  })

  it.each([
    ['a closed position', { quantity: 0, pnl: 50 }],
    ['a position without a price', { ltp: 0, pnl: 0 }],
  ])('leaves %s as it was read', (_name, fields) => {
    const row = { ...LONG, ...fields }
    expect(pricedSymbols([row])).toEqual([])
    expect(livePositions([row], READ_AT, quotesOf(900))).toEqual([row])
  })

  it('counts the multiplier of a contract that is worth a part of its price', () => {
    const [row] = livePositions([{ ...LONG, contract_value: 0.01, pnl: 1 }], READ_AT, quotesOf(820))
    expect(row).toMatchObject({ ltp: 820, pnl: 2, pnlpercent: 2.5 })
  })

  it('is that of the read, when it is later than the last tick', () => {
    expect(livePositions([LONG], READ_AT, quotesOf(900, READ_AT - 1))).toEqual([LONG])
    const holding = { ...LONG, current_value: 8100 }
    expect(liveHoldings([holding], READ_AT, quotesOf(900, READ_AT - 1))).toEqual([holding])
  })

  it('is asked for once for a symbol in two products', () => {
    expect(pricedSymbols([LONG, { ...LONG, product: 'CNC' }])).toEqual(['NSE:SBIN'])
  })

  it('changes the value of a holding', () => {
    const [row] = liveHoldings([{ ...LONG, current_value: 8100 }], READ_AT, quotesOf(820))
    expect(row).toMatchObject({ current_value: 8200, pnl: 200 })
  })
})
