import { expect, test } from 'vitest'
import { parsedKey, parsedSymbol, underlyingOf } from '../../../src/tui/market/symbol-key.js'
import { symbolKey } from '../../../src/views/text/symbol.js'

test('a symbol is named by its exchange and its name', () => {
  expect(parsedSymbol('nse:M&M')).toEqual({ exchange: 'NSE', symbol: 'M&M' })
  expect(symbolKey({ exchange: 'NSE_INDEX', symbol: 'NIFTY 50' })).toBe('NSE_INDEX:NIFTY 50')
})

test.each(['SBIN', 'XYZ:SBIN', 'NSE:', ''])('%j is no symbol', (text) => {
  expect(parsedKey(text)).toBeUndefined()
  expect(() => parsedSymbol(text)).toThrow('is not a symbol')
})

test.each([
  ['NSE:SBIN', 'NSE:SBIN', 'NFO'],
  ['BSE:SBIN', 'BSE:SBIN', 'BFO'],
  ['NSE_INDEX:NIFTY', 'NSE_INDEX:NIFTY', 'NFO'],
  ['NFO:NIFTY24NOV26FUT', 'NSE_INDEX:NIFTY', 'NFO'],
  ['NFO:NIFTYNXT5024NOV2670000CE', 'NSE_INDEX:NIFTYNXT50', 'NFO'],
  ['NFO:SBIN24NOV26812.5PE', 'NSE:SBIN', 'NFO'],
  ['BFO:SENSEX26NOV26FUT', 'BSE_INDEX:SENSEX', 'BFO'],
  ['BFO:SBIN26NOV26FUT', 'BSE:SBIN', 'BFO'],
  ['MCX:GOLD04DEC26FUT', 'MCX:GOLD', 'MCX'],
  ['CDS:USDINR27NOV2688CE', 'CDS:USDINR', 'CDS'],
])('%s has the underlying %s and options on %s', (key, expected, venue) => {
  const { symbol, exchange, ...rest } = underlyingOf(key)
  expect([`${exchange}:${symbol}`, rest.venue]).toEqual([expected, venue])
})
