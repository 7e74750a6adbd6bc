import { describe, expect, test } from 'vitest'
import { OrderLogs } from '../../../src/core/telemetry/index.js'
import { tempFile } from '../../support/files/temp.js'
import { API_KEY, NOW, openLogs, orderFailed, orderPlaced } from './fixtures.js'

async function open() {
  const parts = await openLogs()
  return { ...parts, logs: new OrderLogs(parts) }
}

describe('recording', () => {
  test('a live order is a row of order_logs, an analyzed one of analyzer_logs, and both survive reopening', async () => {
    const file = tempFile('logs.db')
    const first = await openLogs(file)
    const logs = new OrderLogs(first)
    logs.record(orderPlaced())
    logs.record(orderPlaced({ mode: 'analyze', orderid: '7' }))
    await logs.flush()
    const reopened = new OrderLogs(await openLogs(file))
    const live = await reopened.list('live', { limit: 20 })
    expect(live).toEqual([
      {
        id: 1,
        apiType: 'placeorder',
        requestData:
          '{"strategy":"ORB_15","symbol":"SBIN","exchange":"NSE","action":"BUY","quantity":5,"pricetype":"MARKET","product":"MIS"}',
        responseData: '{"status":"success","orderid":"26030200000001"}',
        createdAt: Date.parse(NOW),
      },
    ])
    expect(await reopened.count('analyze', {})).toBe(1)
  })

  test('an answer that is given again has the same row each time, without credentials and with its lists cut', async () => {
    const { logs } = await open()
    const data = Array.from({ length: 30 }, (_, place) => ({ close: place, note: "the trader's" }))
    const answer = { status: 'success', token: API_KEY, data }
    const request = { mode: 'live' as const, api_type: 'history', request_data: { symbol: 'SBIN' } }
    const frozen = Object.freeze({ ...answer })
    for (const response_data of [answer, frozen, frozen, frozen])
      logs.recordRead({ ...request, response_data })
    const rows = await logs.list('live', { limit: 20 })
    const text = JSON.stringify({ status: 'success', data: [...data.slice(0, 20), '[10 more]'] })
    expect(rows.map(({ responseData }) => responseData)).toEqual(Array.from({ length: 4 }, () => text))
  })

  test('no row has an API key, wherever it was and under any name', async () => {
    const { logs, db } = await open()
    const request = {
      apikey: API_KEY,
      'X-API-KEY': API_KEY,
      orders: [{ api_key: API_KEY }],
      note: `k=${API_KEY}`,
    }
    logs.record(orderPlaced({ request_data: request }))
    logs.record(orderFailed({ mode: 'analyze', request_data: request, response_data: { message: API_KEY } }))
    await logs.flush()
    for (const table of ['order_logs', 'analyzer_logs']) {
      const rows = await db.queryRaw(`select * from ${table}`)
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain(API_KEY)
      expect(String(rows[0]?.request_data)).not.toMatch(/api.?key/i)
    }
  })

  test('texts of any script, quotes and control characters are returned unchanged', async () => {
    const { logs } = await open()
    const request = {
      strategy: `नमस्ते "₹" 'x' \n\u0000 \u001b[31m 😀`,
      nested: { list: [1, 2.5, null, true] },
    }
    logs.record(orderPlaced({ request_data: request }))
    const [row] = await logs.list('live', { limit: 1 })
    expect(JSON.parse(row?.requestData ?? '')).toEqual(request)
  })

  test('rows wait at most 250 ms for a batch, and a full chunk does not wait', async () => {
    const { logs, db, clock } = await open()
    const stored = async () => Number((await db.queryRaw('select count(*) as n from order_logs'))[0]?.n)
    logs.record(orderPlaced())
    await clock.advance(249)
    expect(await stored()).toBe(0)
    await clock.advance(1)
    await logs.flush()
    expect(await stored()).toBe(1)
    for (let i = 0; i < 2234; i++) logs.record(orderPlaced())
    await logs.flush()
    expect(await stored()).toBe(2235)
    expect(clock.pending).toBe(0)
  })

  test('above 10,000 waiting rows new ones are dropped and logged; the waiting ones are kept', async () => {
    const { db, clock, log } = await openLogs()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow: ConstructorParameters<typeof OrderLogs>[0]['db'] = {
      read: db.read,
      write: (fn) => db.write(fn),
      batch: async (rows) => {
        await held
        await db.batch(rows)
      },
    }
    const logs = new OrderLogs({ db: slow, clock, log })
    for (let i = 0; i < 1000; i++) logs.record(orderPlaced())
    await clock.advance(0)
    for (let i = 0; i < 10_150; i++) logs.record(orderPlaced())
    expect(logs.dropped).toBe(150)
    expect(log.lines.map((line) => [line.event, line.fields.dropped])).toEqual([
      ['logs.rows_dropped', 1],
      ['logs.rows_dropped', 101],
    ])
    release()
    expect(await logs.count('live', {})).toBe(11_000)
  })

  test('a failed write is logged and its rows are lost, and the next write works', async () => {
    const { logs, db, log } = await open()
    logs.record(orderPlaced())
    await logs.flush()
    await db.write((tx) => tx.exec('alter table order_logs rename to elsewhere'))
    logs.record(orderPlaced())
    await logs.flush()
    expect(log.lines).toMatchObject([{ level: 'error', event: 'logs.write_failed', fields: { lost: 1 } }])
    await db.write((tx) => tx.exec('alter table elsewhere rename to order_logs'))
    logs.record(orderPlaced())
    expect(await logs.count('live', {})).toBe(2)
    expect(logs.dropped).toBe(1)
  })
})

describe('reading', () => {
  async function filled() {
    const parts = await open()
    for (let i = 0; i < 45; i++) {
      const symbol = i % 2 ? 'SBIN' : 'INFY'
      parts.logs.record(orderPlaced({ request_data: { i, symbol }, response_data: { orderid: `id-${i}` } }))
      if (i % 3 === 2) await parts.clock.advance(1000)
    }
    const numbers = (rows: readonly { requestData: string }[]) =>
      rows.map((row) => JSON.parse(row.requestData).i)
    return { ...parts, numbers }
  }

  test('pages by offset are newest first, and the last one has the rest', async () => {
    const { logs, numbers } = await filled()
    expect(numbers(await logs.list('live', { limit: 20 }))).toEqual(
      Array.from({ length: 20 }, (_, i) => 44 - i),
    )
    expect(numbers(await logs.list('live', { limit: 20, offset: 40 }))).toEqual([4, 3, 2, 1, 0])
  })

  test('pages after a row join without overlap or gap, also between rows of the same instant', async () => {
    const { logs, numbers } = await filled()
    const seen: number[] = []
    let page = await logs.list('live', { limit: 7 })
    while (page.length > 0) {
      seen.push(...numbers(page))
      const last = page.at(-1)
      page = last ? await logs.list('live', { limit: 7, before: last }) : []
    }
    expect(seen).toEqual(Array.from({ length: 45 }, (_, i) => 44 - i))
  })

  test.each([
    ['sbin', 22],
    ['ID-4', 6],
    ['placeorder', 45],
    ['100%', 0],
    ['_', 0],
    ["' or 1=1 --", 0],
    ['\\', 0],
    ['sb\u0000', 0],
  ])('searching %j finds %d, ignoring case and without wildcards', async (search, found) => {
    const { logs } = await filled()
    expect(await logs.count('live', { search })).toBe(found)
    expect(await logs.list('live', { search, limit: 100 })).toHaveLength(found)
  })

  test('a range includes its start and excludes its end', async () => {
    const { logs, numbers } = await filled()
    const start = Date.parse(NOW)
    const range = { from: start + 1000, to: start + 3000 }
    expect(numbers(await logs.list('live', { ...range, limit: 100 }))).toEqual([8, 7, 6, 5, 4, 3])
    expect(await logs.count('live', range)).toBe(6)
  })

  test('the date filter and the sort order use the index', async () => {
    const { db } = await open()
    const plan = await db.queryRaw(
      'explain query plan select * from order_logs where created_at >= 1 and created_at < 2 order by created_at desc, id desc limit 20',
    )
    expect(JSON.stringify(plan)).toContain('order_logs_created_at')
    expect(JSON.stringify(plan)).not.toContain('TEMP B-TREE')
  })

  test('the total follows added and removed rows without a new count', async () => {
    const { logs, db, clock } = await filled()
    expect(await logs.total('live')).toBe(45)
    for (let i = 0; i < 5; i++) logs.record(orderPlaced())
    expect(await logs.total('live')).toBe(50)
    await clock.advance(1)
    expect(await logs.purge('live', clock.now())).toBe(50)
    expect(await logs.total('live')).toBe(0)
    expect(await db.queryRaw('select * from order_logs')).toEqual([])
    expect(await logs.total('analyze')).toBe(0)
  })
})
