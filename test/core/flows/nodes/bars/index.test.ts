import { describe, expect, it } from 'vitest'
import { BarCache } from '../../../../../src/core/flows/nodes/bars/bar-cache.js'
import { BAR_NODES } from '../../../../../src/core/flows/nodes/bars/index.js'
import { windowDays } from '../../../../../src/core/flows/nodes/bars/read-bars.js'
import type { Body, ReadsPort } from '../../../../../src/core/flows/ports.js'
import { istInstant, VirtualClock } from '../../../../../src/core/time/index.js'
import { recordingPorts, runNode } from '../../support.js'

const node = (type: string) => {
  const found = BAR_NODES.find((one) => one.type === type)
  if (!found) throw new Error(`no node ${type}`)
  return found
}

/** A bar whose prices follow from one number. */
const bar = (date: string, base: number, time = '00:00'): Body => ({
  timestamp: istInstant(date, time) / 1000,
  open: base,
  high: base + 5,
  low: base - 5,
  close: base + 1,
  volume: 10,
})
const answer = (...data: Body[]) => ({ history: { data } })
const REFUSED = { history: { status: 'error', message: 'Broker is down.' } }
const BROKEN = 'History fetch failed for SBIN (D): Broker is down. The intervals node'

describe('history', () => {
  const data = { symbol: 'SBIN', interval: 'D' }

  it('requests the given days, and returns bars oldest first', async () => {
    const { result, ports } = await runNode(
      node('history'),
      { ...data, startDate: '2026-11-10', endDate: '{{end}}', source: 'db' },
      { reads: answer(bar('2026-11-11', 20), bar('2026-11-10', 10)), variables: { end: '2026-11-11' } },
    )
    expect(ports.asked[0]?.body).toEqual({
      symbol: 'SBIN',
      exchange: 'NSE',
      interval: 'D',
      start_date: '2026-11-10',
      end_date: '2026-11-11',
      source: 'db',
    })
    expect(result).toEqual({ status: 'success', data: [bar('2026-11-10', 10), bar('2026-11-11', 20)] })
  })

  it.each([
    [{ days: 10 }, '2026-11-10'],
    [{}, '2026-10-21'],
    [{ days: 5000 }, '2026-10-21'],
    [{ startDate: '2020-01-01' }, '2026-10-21'],
    [{ startDate: '2020-01-01', endDate: '2026-11-10' }, '2026-10-11'],
  ])('requests no more days than 200 bars need: %o begins %s', async (dates, first) => {
    const { ports } = await runNode(
      node('history'),
      { symbol: 'SBIN', interval: '30m', ...dates },
      { reads: answer(bar('2026-11-19', 1)) },
    )
    expect(ports.asked[0]?.body.start_date).toBe(first)
  })

  it('keeps the newest 200 bars', async () => {
    const rows = Array.from({ length: 250 }, (_, n) => ({ ...bar('2026-01-01', 10), timestamp: n }))
    const { result } = await runNode(node('history'), data, { reads: answer(...rows) })
    expect(result?.data).toHaveLength(200)
    expect(result).toMatchObject({ data: { 0: { timestamp: 50 }, 199: { timestamp: 249 } } })
  })

  it.each([
    [{ startDate: '01-11-2026' }, "startDate must be YYYY-MM-DD, got '01-11-2026'"],
    [{ startDate: '2026-11-12', endDate: '2026-11-11' }, 'startDate 2026-11-12 is after endDate 2026-11-11'],
    [{ symbol: '' }, 'Symbol is required'],
    [{ source: 'file' }, "source 'file' is not one of api, db"],
  ])('refuses %o', async (wrong, message) => {
    const { failure } = await runNode(node('history'), { ...data, ...wrong }, { reads: answer() })
    expect(failure).toBe(message)
  })

  it.each([
    [REFUSED, BROKEN],
    [answer(), 'no historical data available for this symbol/date range'],
    [answer({ timestamp: 1, open: null }), 'no historical data available for this symbol/date range'],
  ])('fails without bars', async (reads, message) => {
    const { failure } = await runNode(node('history'), data, { reads })
    expect(failure).toContain(message)
  })
})

describe('windows of days', () => {
  it.each([
    [200, 'D', 325],
    [200, '1m', 6],
    [200, '5m', 10],
    [200, 'Y', 4000],
    [75, 'toString', 7],
  ])('%i bars of %s need %i days', (bars, interval, days) => {
    expect(windowDays(bars, interval)).toBe(days)
  })
})

describe('priorPeriodOhlc', () => {
  const ROWS = [
    bar('2026-10-29', 10),
    bar('2026-10-30', 30),
    bar('2026-11-12', 100),
    bar('2026-11-13', 120),
    bar('2026-11-18', 200),
    bar('2026-11-19', 210),
    bar('2026-11-20', 220),
  ]
  it.each([
    ['previous_day', '2026-11-19', [210, 215, 205, 211, 10], '2026-11-10'],
    ['previous_week', '2026-11-09/2026-11-15', [100, 125, 95, 121, 20], '2026-10-30'],
    ['previous_month', '2026-10', [10, 35, 5, 31, 20], '2026-09-21'],
  ])('%s is %s', async (period, date, [open, high, low, close, volume], from) => {
    const { result, ports } = await runNode(
      node('priorPeriodOhlc'),
      { symbol: 'SBIN', period },
      { reads: answer(...ROWS) },
    )
    expect(ports.asked[0]?.body).toMatchObject({ interval: 'D', start_date: from, end_date: '2026-11-20' })
    expect(result).toEqual({
      status: 'success',
      symbol: 'SBIN',
      exchange: 'NSE',
      period,
      date,
      open,
      high,
      low,
      close,
      volume,
      pdh: high,
      pdl: low,
      pdc: close,
    })
  })

  it('reads the hour before the current one', async () => {
    const rows = [bar('2026-11-20', 1, '09:15'), bar('2026-11-20', 2, '10:15'), bar('2026-11-20', 3, '11:00')]
    const { result, ports } = await runNode(
      node('priorPeriodOhlc'),
      { symbol: 'SBIN', period: 'previous_hour', source: 'db' },
      { reads: answer(...rows) },
    )
    expect(result).toMatchObject({ date: '2026-11-20 10:15', open: 2 })
    expect(ports.asked[0]?.body).toMatchObject({ interval: '1h', start_date: '2026-11-15', source: 'db' })
  })

  it.each([
    [{ symbol: ' ' }, answer(...ROWS), 'Symbol is required'],
    [{ period: 'previous_year' }, answer(...ROWS), "unknown period 'previous_year'"],
    [{}, answer(bar('2026-11-20', 1)), 'not enough history to determine previous_day'],
    [{}, REFUSED, BROKEN],
    [{}, answer(), 'no historical data available for this symbol/date range'],
  ])('fails: %o', async (data, reads, message) => {
    const { failure } = await runNode(node('priorPeriodOhlc'), { symbol: 'SBIN', ...data }, { reads })
    expect(failure).toContain(message)
  })
})

describe('barOffset', () => {
  const DAYS = [bar('2026-11-17', 1), bar('2026-11-18', 2), bar('2026-11-19', 3), bar('2026-11-20', 4)]
  it.each([
    ['D', 0, DAYS, 3],
    ['D', 2, DAYS, 1],
    ['D', -4, DAYS, 3],
    ['D', 0, DAYS.slice(0, 3), 3],
    ['W', 0, [bar('2026-11-09', 1), bar('2026-11-16', 2)], 1],
    ['M', 0, [bar('2026-10-01', 1), bar('2026-11-02', 2)], 1],
    ['5m', 0, [bar('2026-11-20', 1, '10:50'), bar('2026-11-20', 2, '10:56')], 1],
    ['5m', 0, [bar('2026-11-20', 1, '10:50'), bar('2026-11-20', 2, '10:55')], 2],
    ['strange', 0, [bar('2026-11-20', 1, '10:50'), bar('2026-11-20', 2, '10:59')], 2],
  ])('skips the forming bar of %s and goes %i back', async (interval, offsetBars, rows, open) => {
    const { result } = await runNode(
      node('barOffset'),
      { symbol: 'SBIN', interval, offsetBars },
      { reads: answer(...rows) },
    )
    expect(result).toMatchObject({ status: 'success', symbol: 'SBIN', exchange: 'NSE', open })
    expect(result?.offsetBars).toBe(Math.max(0, offsetBars))
  })

  it.each([
    [{ symbol: '' }, answer(...DAYS), 'Symbol is required'],
    [{ offsetBars: 3 }, answer(...DAYS), 'Not enough history to reach 3 bars back for SBIN'],
    [{ offsetBars: 500 }, answer(...DAYS), 'Not enough history to reach 199 bars back for SBIN'],
    [{ offsetBars: 'two' }, answer(...DAYS), "offsetBars did not resolve to a number: 'two'"],
    [{}, REFUSED, BROKEN],
  ])('fails: %o', async (data, reads, message) => {
    const { failure } = await runNode(node('barOffset'), { symbol: 'SBIN', ...data }, { reads })
    expect(failure).toContain(message)
  })
})

describe('the bar cache', () => {
  const question = {
    symbol: 'SBIN',
    exchange: 'NSE',
    interval: 'D',
    start_date: 'a',
    end_date: 'b',
    source: 'api',
  }
  const ASHA = { userId: 'asha' }

  it('sends one request in 30 seconds, also for simultaneous reads', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    const ports = recordingPorts({ clock, reads: answer(bar('2026-11-19', 1)) })
    const cache = new BarCache(clock, ports.reads, () => 'zerodha')
    await Promise.all([cache.ask('history', question, ASHA), cache.ask('history', { ...question }, ASHA)])
    await clock.advance(29_999)
    await cache.ask('history', question, ASHA)
    expect(ports.asked).toHaveLength(1)
    await clock.advance(1)
    await cache.ask('history', question, ASHA)
    expect(ports.asked).toHaveLength(2)
  })

  it('separates other requests, users and calls', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    const ports = recordingPorts({ clock, reads: { ...answer(), quotes: { data: {} } } })
    const cache = new BarCache(clock, ports.reads, () => 'zerodha')
    await cache.ask('history', question, ASHA)
    await cache.ask('history', { ...question, source: 'db' }, ASHA)
    await cache.ask('history', question, { userId: 'ravi' })
    await cache.ask('quotes', question, ASHA)
    await cache.ask('quotes', question, ASHA)
    expect(ports.asked).toHaveLength(5)
  })

  it('keeps the bars of one broker from the runs at another', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    const ports = recordingPorts({ clock, reads: answer(bar('2026-11-19', 1)) })
    let broker = 'simulated'
    const cache = new BarCache(clock, ports.reads, () => broker)
    await cache.ask('history', question, ASHA)
    broker = 'zerodha'
    await cache.ask('history', question, ASHA)
    expect(ports.asked).toHaveLength(2)
  })

  it('caches neither a refusal nor a failure', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    let calls = 0
    const reads: ReadsPort = {
      ask: async () => {
        calls += 1
        if (calls === 1) throw new Error('connection lost')
        // The cache decides by the typed part of the result, whatever the output says.
        return calls === 2
          ? { ok: false, code: 'unavailable', message: 'No session', output: { status: 'success' } }
          : { ok: true, code: 'ok', message: '', output: { status: 'error' } }
      },
    }
    const cache = new BarCache(clock, reads, () => 'zerodha')
    await expect(cache.ask('history', question, ASHA)).rejects.toThrow('connection lost')
    expect((await cache.ask('history', question, ASHA)).ok).toBe(false)
    expect((await cache.ask('history', question, ASHA)).ok).toBe(true)
    expect((await cache.ask('history', question, ASHA)).ok).toBe(true)
    expect(calls).toBe(3)
  })
})
