import { describe, expect, test } from 'vitest'
import { OrderLogs } from '../../../src/core/telemetry/index.js'
import { API_KEY, openLogs, orderFailed, orderPlaced } from './fixtures.js'

async function open() {
  const parts = await openLogs()
  return { ...parts, logs: new OrderLogs(parts) }
}

const read = (response_data: Record<string, unknown>) =>
  orderPlaced({ api_type: 'history', request_data: { apikey: API_KEY, symbol: 'SBIN' }, response_data })

describe('requests that only read', () => {
  test('are rows of the same log, without credentials, their long lists cut', async () => {
    const { logs } = await open()
    const bars = Array.from({ length: 5000 }, (_, close) => ({ close }))
    logs.recordRead(read({ status: 'success', data: bars, nested: { orders: bars } }))
    const [row] = await logs.list('live', { limit: 1 })
    expect(row?.requestData).toBe('{"symbol":"SBIN"}')
    const response: { data: unknown[]; nested: { orders: unknown[] } } = JSON.parse(row?.responseData ?? '')
    expect(response.data).toEqual([...bars.slice(0, 20), '[4980 more]'])
    expect(response.nested.orders).toHaveLength(21)
  })

  test('never displace the rows of orders', async () => {
    const { logs, log } = await open()
    for (let reads = 0; reads < 30_000; reads++) logs.recordRead(read({ status: 'success' }))
    logs.record(orderPlaced())
    expect(await logs.count('live', { search: 'placeorder' })).toBe(1)
    expect(logs.dropped).toBe(28_000)
    expect(log.lines.map(({ event }) => event)).toContain('logs.rows_dropped')
  })
})

describe('reading on', () => {
  test('returns the rows added after a row once each, and the row to continue from', async () => {
    const { logs } = await open()
    const add = (...symbols: string[]) => {
      for (const symbol of symbols) logs.record(orderPlaced({ request_data: { symbol } }))
    }
    add('A', 'B', 'C')
    const newest = await logs.newestId('live')
    expect(newest).toBe(3)
    add('D', 'E', 'F', 'G')
    const first = await logs.added('live', newest, { limit: 3 })
    expect(first.rows.map(({ id }) => id)).toEqual([4, 5, 6])
    const second = await logs.added('live', first.newestId, { limit: 3 })
    expect([second.rows.map(({ id }) => id), second.newestId]).toEqual([[7], 7])
    expect(await logs.added('live', 7, { limit: 3 })).toEqual({ rows: [], newestId: 7 })
    expect((await logs.added('live', 0, { limit: 9, search: '"e"' })).rows.map(({ id }) => id)).toEqual([5])
    expect((await logs.added('live', 5, { limit: 9, search: '"e"' })).newestId).toBe(7)
  })

  test('begins anew when the log was emptied', async () => {
    const { logs, clock } = await open()
    for (let rows = 0; rows < 5; rows++) logs.record(orderPlaced())
    await logs.flush()
    await clock.advance(1)
    expect(await logs.purge('live', clock.now())).toBe(5)
    logs.record(orderPlaced())
    expect((await logs.added('live', 5, { limit: 9 })).rows.map(({ id }) => id)).toEqual([1])
  })
})

describe('an export', () => {
  test('has every row once, newest first, though many have the same instant', async () => {
    const { logs, clock } = await open()
    for (let rows = 0; rows < 1700; rows++) {
      logs.record(orderPlaced())
      if (rows % 600 === 0) await clock.advance(1)
    }
    const ids: number[] = []
    for await (const rows of logs.chunks('live', {})) {
      ids.push(...rows.map(({ id }) => id))
      logs.record(orderPlaced())
    }
    expect(ids).toHaveLength(1700)
    expect(new Set(ids).size).toBe(1700)
    expect(await logs.count('live', {})).toBe(1704)
  })

  test('finds each chunk through the index, without sorting', async () => {
    const { db } = await open()
    const plan = await db.queryRaw(
      'explain query plan select * from order_logs where (created_at, id) < (5, 6) order by created_at desc, id desc limit 9',
    )
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH order_logs USING INDEX order_logs_created_at ((created_at,rowid)<(?,?))',
    ])
  })
})

describe('a search', () => {
  test('ignores the case of Latin letters and finds letters of any script as they are', async () => {
    const { logs } = await open()
    logs.record(orderPlaced({ request_data: { strategy: 'É नमस्ते Breakout' } }))
    for (const search of ['BREAKOUT', 'é'.toUpperCase(), 'नमस्ते', 'PlaceOrder']) {
      expect([search, await logs.count('live', { search })]).toEqual([search, 1])
    }
    expect(await logs.count('live', { search: '%' })).toBe(0)
  })
})

describe('tallies', () => {
  test('count requests by strategy, symbol and kind of error since an instant', async () => {
    const { logs, clock } = await open()
    const refused = (message: string) =>
      orderFailed({
        mode: 'analyze',
        request_data: { strategy: 's', symbol: 'SBIN' },
        response_data: { status: 'error', message },
      })
    logs.record(refused('too old'))
    await clock.advance(10)
    const since = clock.now()
    for (const message of [
      'Rate limit exceeded',
      'Invalid symbol X',
      'quantity: Missing',
      'Bad exchange',
      'x',
    ]) {
      logs.record(refused(message))
    }
    logs.record(orderPlaced({ mode: 'analyze', request_data: {} }))
    const tallies = await logs.tallies('analyze', since)
    expect(tallies).toContainEqual({ strategy: null, symbol: null, issue: null, total: 1 })
    expect(tallies.flatMap(({ issue }) => issue ?? []).sort()).toEqual([
      ...['invalid_exchange', 'invalid_symbol', 'missing_quantity', 'other', 'rate_limit'],
    ])
  })
})
