import { describe, expect, test } from 'vitest'
import {
  COLUMNS,
  chainRows,
  expiryStrip,
  legText,
  MARKED_COLUMNS,
  symbolsOf,
} from '../../../../src/tui/market/chain/chain.js'

const leg = (symbol: string, ltp: number) => ({
  symbol,
  label: 'ATM',
  ltp,
  bid: ltp - 1,
  ask: ltp + 1,
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
  implied_volatility: 12.5,
  delta: 0.512,
  gamma: 0.00123,
  theta: -9.876,
  vega: 8.1,
})
const STRIKES = [
  { strike: 26_000, ce: leg('C', 100), pe: leg('P', 90) },
  { strike: 26_100, ce: leg('D', 60), pe: null },
]

const LIVE = new Map([
  ['NFO:C', { ltp: 101.5, oi: 510, at: 20_000 }],
  ['NFO:P', { ltp: 88, at: 21_000 }],
])

test('a row has the live prices of a leg, otherwise those that were read', () => {
  const rows = chainRows(STRIKES, 'NFO', { quotes: LIVE, readAt: 20_000, now: 21_000 }, [])
  expect(rows[0]).toMatchObject({
    id: 26_000,
    ce_ltp: 101.5,
    ce_oi: 510,
    pe_ltp: 88,
    pe_oi: 500,
    ce_iv: 12.5,
  })
  expect(rows[1]).toMatchObject({ id: 26_100, ce_ltp: 60 })
  expect(rows[1]?.pe_ltp).toBeUndefined()
})

test('a row has what was read, once the chain is read after the last live price', () => {
  const [row] = chainRows(STRIKES, 'NFO', { quotes: LIVE, readAt: 20_500, now: 21_000 }, [])
  expect(row).toMatchObject({ ce_ltp: 100, ce_oi: 500, pe_ltp: 88 })
})

test('a row is old once one of its prices is', () => {
  const agesAt = (now: number) =>
    chainRows(STRIKES, 'NFO', { quotes: LIVE, readAt: 1000, now }, []).map(({ isOld }) => isOld)
  expect(agesAt(31_000)).toEqual([false, false])
  expect(agesAt(31_001)).toEqual([false, true])
  expect(agesAt(50_001)).toEqual([true, true])
})

test('a row names the marks of its sides, and the table has columns for them then only', () => {
  const sold = {
    symbol: 'NFO:P',
    side: 'pe',
    strike: 26_000,
    expiry: '01DEC26',
    lotsize: 65,
    lots: -2,
  } as const
  const [first, second] = chainRows(STRIKES, 'NFO', { quotes: new Map(), readAt: 0, now: 0 }, [sold])
  expect(first).toMatchObject({ ce_mark: '', pe_mark: 'SELL 2' })
  expect(second).toMatchObject({ ce_mark: '', pe_mark: '' })
  const added = MARKED_COLUMNS.filter((column) => !COLUMNS.includes(column)).map(({ key }) => key)
  expect(added).toEqual(['ce_mark', 'pe_mark'])
})

test('the symbols of the rows are those with a contract', () => {
  expect(symbolsOf(STRIKES, 'NFO')).toEqual(['NFO:C', 'NFO:P', 'NFO:D'])
})

test('a leg names its prices and Greeks', () => {
  const [first, second] = STRIKES
  if (!first || !second) throw new Error('no strikes')
  expect(legText(first, 'ce', undefined)).toBe('call C ATM 99/101  Δ 0.51 Γ 0.0012 Θ -9.88 ν 8.10')
  expect(legText(first, 'pe', { ltp: 88, bid: 87.5, ask: 88.5, at: 0 })).toMatch(/^put P ATM 87.5\/88.5 /)
  expect(legText(second, 'pe', undefined)).toBe('There is no put at 26100.')
})

describe('the expiries', () => {
  const all = ['01DEC26', '08DEC26', '15DEC26', '22DEC26']
  test.each([
    [all, '01DEC26', 60, ' [01DEC26] 08DEC26  15DEC26  22DEC26'],
    [all, '22DEC26', 22, '‹ 15DEC26 [22DEC26]'],
    [all, '08DEC26', 30, '  01DEC26 [08DEC26] 15DEC26 ›'],
    [all, '08DEC26', 21, '‹[08DEC26] 15DEC26 ›'],
    [all, '08DEC26', 5, '‹[08DEC26]›'],
    [[], '', 40, ''],
  ])('of %j around %s in %d columns', (expiries, chosen, width, text) => {
    expect(expiryStrip(expiries, chosen, width)).toBe(text)
  })
})
