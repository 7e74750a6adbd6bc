import { expect, test } from 'vitest'
import { INDEX_HOME } from '../../../src/core/options/underlying.js'
import { optionExchange, underlyingExchange } from '../../../src/views/market/underlying.js'

test('every index of the daemon is one for the command line, too', () => {
  for (const [name, exchange] of Object.entries(INDEX_HOME))
    expect(underlyingExchange(name), name).toBe(exchange)
  expect(optionExchange(underlyingExchange('SENSEX50'))).toBe('BFO')
  expect(underlyingExchange('SBIN')).toBe('NSE')
})
