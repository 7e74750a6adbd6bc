import { expect, test } from 'vitest'
import { parsedKey, parsedSymbol } from '../../../src/tui/market/symbol-key.js'
import { symbolKey } from '../../../src/views/text/symbol.js'

test('a symbol is named by its exchange and its name', () => {
  expect(parsedSymbol('nse:M&M')).toEqual({ exchange: 'NSE', symbol: 'M&M' })
  expect(symbolKey({ exchange: 'NSE_INDEX', symbol: 'NIFTY 50' })).toBe('NSE_INDEX:NIFTY 50')
})

test.each(['SBIN', 'XYZ:SBIN', 'NSE:', ''])('%j is no symbol', (text) => {
  expect(parsedKey(text)).toBeUndefined()
  expect(() => parsedSymbol(text)).toThrow('is not a symbol')
})
