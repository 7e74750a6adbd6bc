import { expect, test } from 'vitest'
import {
  MarketSessions,
  NO_HOLIDAYS,
} from '../../../../../src/core/brokers/simulated/market/market-sessions.js'
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

/** Sessions that count how often they look up hours. */
function counted() {
  const found = { lookups: 0 }
  const sessions = new MarketSessions('market', {
    sessionOf: (exchange, date) => {
      found.lookups += 1
      return NO_HOLIDAYS.sessionOf(exchange, date)
    },
    onChange: () => undefined,
  })
  return { sessions, found }
}

const secondOf = (date: string, time: string) => istInstant(date, time) / 1000

test.each([
  ['before the opening', '2026-11-20', '03:00', '2026-11-19'],
  ['within the session', '2026-11-20', '11:00', '2026-11-20'],
  ['on a weekend', '2026-11-22', '12:00', '2026-11-20'],
])('%s the hours are looked up once, not each second', (_when, date, time, session) => {
  const { sessions, found } = counted()
  const from = secondOf(date, time)
  const latest = sessions.latest('NSE', from)
  expect(latest.open).toBe(secondOf(session, '09:15'))
  const { lookups } = found
  for (let second = from; second < from + 600; second += 1)
    expect(sessions.latest('NSE', second)).toBe(latest)
  expect(found.lookups).toBe(lookups)
})

test('the session of the day before lasts until the very second of the next opening, also when time goes back', () => {
  const { sessions } = counted()
  const opening = secondOf('2026-11-20', '09:15')
  const latestAt = (second: number) => sessions.latest('NSE', second).open
  expect(latestAt(opening - 1)).toBe(secondOf('2026-11-19', '09:15'))
  expect(latestAt(opening)).toBe(opening)
  expect(latestAt(opening - 1)).toBe(secondOf('2026-11-19', '09:15'))
  expect(latestAt(secondOf('2026-11-21', '00:00'))).toBe(opening)
  expect(latestAt(secondOf('2026-11-18', '12:00'))).toBe(secondOf('2026-11-18', '09:15'))
})
