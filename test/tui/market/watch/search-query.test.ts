import { expect, test } from 'vitest'
import { queryOf } from '../../../../src/tui/market/watch/SearchPane.js'

test.each([
  [' nifty 26000 ce ', { query: 'nifty 26000 ce' }],
  ['nse:sbin', { query: 'sbin', exchange: 'NSE' }],
  ['xyz:sbin', { query: 'xyz:sbin' }],
])('%j is the search %j', (text, query) => {
  expect(queryOf(text)).toEqual(query)
})
