import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TrafficLog } from '../../../../src/core/telemetry/index.js'
import type { TrafficSample } from '../../../../src/core/telemetry/traffic/traffic-log.js'
import { openLogs } from '../fixtures.js'

const DAY_MS = 86_400_000

async function open() {
  const parts = await openLogs()
  return { ...parts, traffic: new TrafficLog(parts) }
}

const request = (sample: Partial<TrafficSample> = {}): TrafficSample => ({
  clientIp: '203.0.113.9',
  method: 'GET',
  target: '/version',
  statusCode: 200,
  durationMs: 1,
  ...sample,
})

test('a full chunk of rows gives others their turns while it is searched for secrets', async () => {
  const { clock, traffic } = await open()
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  for (let n = 0; n < 999; n++) traffic.record(request())
  const monotonic = clock.monotonic.bind(clock)
  /** The turn of the event loop at each look at the clock, which follows each row. */
  const looks: number[] = []
  clock.monotonic = () => {
    looks.push(turns)
    return monotonic()
  }
  setImmediate(count)
  await traffic.flush()
  isDone = true
  const inOneTurn = [...new Set(looks)].map((turn) => looks.filter((one) => one === turn).length)
  expect([looks.length > 900, Math.max(...inOneTurn) <= 210]).toEqual([true, true])
})

test('T1: durations 10, 20 and 60 with status 200, 404 and 500', async () => {
  const { traffic } = await open()
  for (const [durationMs, statusCode] of [
    [10, 200],
    [20, 404],
    [60, 500],
  ] as const) {
    traffic.record(request({ durationMs, statusCode }))
  }
  const { api, overall } = await traffic.statistics()
  expect(overall).toEqual({ total_requests: 3, error_requests: 2, avg_duration: 30 })
  expect(api).toEqual({ total_requests: 0, error_requests: 0, avg_duration: 0 })
})

test('each endpoint of the API has its own numbers', async () => {
  const { traffic } = await open()
  for (const target of [
    '/api/v1/quotes',
    '/api/v1/quotes?apikey=x',
    '/api/v1/ping',
    '/orders',
    '/api/v1/depth/',
  ]) {
    traffic.record(request({ target, durationMs: 4, statusCode: target === '/api/v1/depth/' ? 429 : 200 }))
  }
  const { api, endpoints, overall } = await traffic.statistics()
  expect(overall.total_requests).toBe(5)
  expect(api).toEqual({ total_requests: 4, error_requests: 1, avg_duration: 4 })
  expect(endpoints).toMatchObject({
    quotes: { total: 2, errors: 0, avg_duration: 4 },
    depth: { total: 1, errors: 1 },
    placeorder: { total: 0, errors: 0, avg_duration: 0 },
  })
  expect(Object.keys(endpoints)).toHaveLength(17)
})

test('property: the statistics are those of the rows, also after a purge', async () => {
  const sample = fc.record({
    target: fc.constantFrom('/', '/api/v1/placeorder', '/api/v1/none', '/flow/webhook/x'),
    statusCode: fc.constantFrom(200, 302, 399, 400, 403, 500),
    durationMs: fc.integer({ min: 0, max: 900 }),
    hoursLater: fc.integer({ min: 0, max: 30 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(sample, { maxLength: 40 }), fc.nat(5), async (samples, keptDays) => {
      const { clock, traffic } = await open()
      for (const { hoursLater, ...rest } of samples) {
        await clock.advance(hoursLater * 3_600_000)
        traffic.record(request(rest))
      }
      await traffic.flush()
      await traffic.purge(clock.now() - keptDays * DAY_MS)
      const rows = await traffic.list({ limit: 1000 })
      const { overall } = await traffic.statistics()
      const took = rows.reduce((sum, { durationMs }) => sum + durationMs, 0)
      expect(overall).toEqual({
        total_requests: rows.length,
        error_requests: rows.filter(({ statusCode }) => statusCode >= 400).length,
        avg_duration: rows.length === 0 ? 0 : took / rows.length,
      })
      expect(rows.filter(({ timestamp }) => timestamp < clock.now() - (keptDays + 1) * DAY_MS)).toEqual([])
    }),
    { numRuns: 15 },
  )
})

test('a row has no secret in any field, and text of a bounded length', async () => {
  const { db, traffic } = await open()
  const canary = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
  traffic.record(
    request({
      target: `/flow/webhook/${canary}?token=${canary}`,
      host: `api_key=${canary}`,
      error: `token ${canary} is not known`,
      userId: 'asha',
    }),
  )
  traffic.record(request({ target: `/${'x/'.repeat(900)}`, error: 'x '.repeat(450), host: 'h'.repeat(900) }))
  await traffic.flush()
  const rows = await db.queryRaw('select * from traffic_logs')
  expect(JSON.stringify(rows)).not.toContain(canary)
  expect(rows[1]).toMatchObject({ error: 'x '.repeat(250), host: 'h'.repeat(500) })
})

test('rows are found by any of their fields, page by page', async () => {
  const { clock, traffic } = await open()
  for (let minute = 0; minute < 10; minute++) {
    await clock.advance(60_000)
    traffic.record(
      request({
        clientIp: `192.0.2.${minute}`,
        userId: minute < 5 ? 'asha' : undefined,
        statusCode: minute === 7 ? 404 : 200,
        error: minute === 7 ? 'Not Found' : undefined,
      }),
    )
  }
  const addresses = async (filter: Parameters<TrafficLog['list']>[0]) =>
    (await traffic.list(filter)).map(({ clientIp }) => Number(clientIp.slice(8)))
  const page = (filter: object) => addresses({ limit: 3, ...filter })
  expect(await page({})).toEqual([9, 8, 7])
  const [, , third] = await traffic.list({ limit: 3 })
  expect(await page({ before: third?.id })).toEqual([6, 5, 4])
  await expect(traffic.list({ limit: 3, before: 999 }), 'not the end of the list').rejects.toMatchObject({
    code: 'validation',
    message: 'before: Must be the id of a row of this log.',
  })
  expect(await page({ after: third?.id })).toEqual([9, 8])
  expect(await page({ after: 0 }), 'the oldest new rows, so that none is missed').toEqual([2, 1, 0])
  expect(await page({ errors: true })).toEqual([7])
  expect(await page({ search: 'not found' })).toEqual([7])
  expect(await page({ userId: 'asha' })).toEqual([4, 3, 2])
  expect(await page({ clientIp: '192.0.2.5' })).toEqual([5])
  expect(await page({ until: clock.now() - 5 * 60_000, since: clock.now() - 7 * 60_000 })).toEqual([3, 2])
  const exported: number[] = []
  for await (const rows of traffic.export({})) exported.push(...rows.map(({ id }) => id))
  expect(exported).toHaveLength(10)
})

test('usual reads use an index, and statistics read no request', async () => {
  const { db } = await open()
  const plan = async (sql: string) =>
    (await db.queryRaw(`explain query plan ${sql}`)).map(({ detail }) => String(detail)).join('; ')
  const newest = 'order by timestamp desc, id desc limit 100'
  expect(await plan(`select * from traffic_logs ${newest}`)).toContain('traffic_logs_timestamp')
  expect(await plan(`select * from traffic_logs where status_code >= 400 ${newest}`)).toContain(
    'traffic_logs_errors',
  )
  expect(await plan(`select * from traffic_logs where client_ip = 'x' ${newest}`)).toContain(
    'traffic_logs_client',
  )
})

test('a database that fails costs rows and a count, and nothing else', async () => {
  const { db, traffic } = await open()
  await db.write((tx) => tx.exec('drop table traffic_totals'))
  traffic.record(request())
  await traffic.flush()
  expect(traffic.dropped).toBe(1)
  expect(await traffic.list({ limit: 9 }), 'rows and totals agree').toEqual([])
})

test('a search finds capitals beyond ASCII as they are written', async () => {
  const { traffic } = await open()
  traffic.record(request({ error: 'Order ÉTÉ refused' }))
  expect(await traffic.list({ limit: 10, search: 'order ÉTÉ' })).toHaveLength(1)
})
