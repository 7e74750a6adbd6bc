import { expect, test } from 'vitest'
import { MarketSessions } from '../../../../../src/core/brokers/simulated/market/market-sessions.js'
import { istInstant } from '../../../../../src/core/time/index.js'

test.each([
  ['MCX', '2026-03-06', '23:55'],
  ['MCX', '2026-03-09', '23:30'],
  ['NCO', '2026-10-30', '23:30'],
  ['MCX_INDEX', '2026-11-02', '23:55'],
  ['NSE', '2026-07-01', '15:30'],
])('%s closes on %s at %s', (exchange, date, close) => {
  const sessions = new MarketSessions('market')
  const second = istInstant(date, close) / 1000
  expect([sessions.isOpen(exchange, second - 1), sessions.isOpen(exchange, second)]).toEqual([true, false])
})
