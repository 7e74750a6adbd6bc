import { expect, test } from 'vitest'
import { watchRows } from '../../../../src/tui/market/watch/rows.js'

test('a row has the newest prices, the change since the close, and the age', () => {
  const read = new Map([
    ['NSE:A', { ltp: 100, close: 80, volume: 5, at: 1000 }],
    ['NSE:B', { ltp: 50, close: 60, at: 1000 }],
  ])
  const live = new Map([['NSE:A', { ltp: 90, bid: 89, ask: 91, oi: 0, at: 35_000 }]])
  expect(watchRows(['NSE:B', 'NSE:A', 'NSE:C'], { read, live }, 40_000)).toEqual([
    { id: 'NSE:B', symbol: 'NSE:B', ltp: 50, change: -10, change_percent: -16.67, age: '39s', isStale: true },
    {
      id: 'NSE:A',
      symbol: 'NSE:A',
      ltp: 90,
      bid: 89,
      ask: 91,
      volume: 5,
      change: 10,
      change_percent: 12.5,
      age: '5s',
      isStale: false,
    },
    { id: 'NSE:C', symbol: 'NSE:C', isStale: false },
  ])
})
