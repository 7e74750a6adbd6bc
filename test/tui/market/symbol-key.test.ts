import { expect, test } from 'vitest'
import { keyOf, parsedKey, refOf } from '../../../src/tui/market/symbol-key.js'

test('a symbol is named by its exchange and its name', () => {
  expect(refOf('nse:M&M')).toEqual({ exchange: 'NSE', symbol: 'M&M' })
  expect(keyOf({ exchange: 'NSE_INDEX', symbol: 'NIFTY 50' })).toBe('NSE_INDEX:NIFTY 50')
})

test.each(['SBIN', 'XYZ:SBIN', 'NSE:', ''])('%j is no symbol', (text) => {
  expect(parsedKey(text)).toBeUndefined()
  expect(() => refOf(text)).toThrow('is not a symbol')
})
