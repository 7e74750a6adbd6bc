import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LatencyRecorder, type LatencySample, percentile } from '../../../../src/core/telemetry/index.js'
import { openLogs } from '../fixtures.js'

const DAY_MS = 86_400_000

async function open() {
  const parts = await openLogs()
  return { ...parts, latency: new LatencyRecorder(parts) }
}

const order = (sample: Partial<LatencySample> = {}): LatencySample => ({
  orderType: 'PLACE',
  orderId: '1',
  broker: 'simulated',
  symbol: 'SBIN',
  end: 'succeeded',
  ...sample,
})

const ZEROS = {
  total_orders: 0,
  failed_orders: 0,
  success_rate: 0,
  avg_rtt: 0,
  avg_overhead: 0,
  avg_total: 0,
  p50_total: 0,
  p90_total: 0,
  p95_total: 0,
  p99_total: 0,
  sla_100ms: 0,
  sla_150ms: 0,
  sla_200ms: 0,
}

describe('statistics', () => {
  test('L1: ten orders, two failed; a latency equal to a threshold is not below it', async () => {
    const { latency } = await open()
    for (const [i, totalMs] of [40, 80, 90, 100, 120, 140, 160, 199.99, 200, 210].entries()) {
      latency.record(order({ totalMs, rttMs: totalMs / 2, end: i < 2 ? 'refused' : 'succeeded' }))
    }
    const statistics = await latency.statistics()
    expect(statistics).toMatchObject({ total_orders: 10, failed_orders: 2, success_rate: 80 })
    expect([statistics.sla_100ms, statistics.sla_150ms, statistics.sla_200ms]).toEqual([30, 60, 80])
    expect(statistics.avg_total).toBeCloseTo(133.999, 9)
    expect(statistics.p50_total).toBeCloseTo(130, 9)
    expect(statistics.p90_total).toBeCloseTo(201, 9)
    expect(statistics.p95_total).toBeCloseTo(205.5, 9)
    expect(statistics.p99_total).toBeCloseTo(209.1, 9)
    expect(Object.keys(statistics.broker_stats)).toEqual(['simulated'])
    expect(statistics.broker_stats.simulated).toMatchObject({
      total_orders: 10,
      failed_orders: 2,
      sla_150ms: 60,
    })
    expect(statistics.broker_stats.simulated?.p50_total).toBeCloseTo(130, 9)
  })

  test('L2: the overhead is the time outside the broker round trip', async () => {
    const { latency } = await open()
    latency.record(order({ rttMs: 62.5, totalMs: 75.25 }))
    expect(await latency.list({ limit: 1 })).toMatchObject([
      { rttMs: 62.5, totalLatencyMs: 75.25, overheadMs: 12.75 },
    ])
    expect(await latency.statistics()).toMatchObject({ avg_rtt: 62.5, avg_overhead: 12.75, avg_total: 75.25 })
  })

  test('L3: every percentile of a single order is its latency', async () => {
    const { latency } = await open()
    latency.record(order({ rttMs: 50, totalMs: 50 }))
    expect(await latency.statistics()).toMatchObject({
      p50_total: 50,
      p90_total: 50,
      p95_total: 50,
      p99_total: 50,
    })
  })

  test('L4: without orders everything is zero and there are no brokers', async () => {
    const { latency } = await open()
    expect(await latency.statistics()).toEqual({
      ...ZEROS,
      broker_stats: {},
      type_stats: {},
      broker_histograms: {},
    })
  })

  test('only orders count, and each broker has its own numbers', async () => {
    const { latency } = await open()
    latency.record(order({ totalMs: 10, rttMs: 1, broker: 'a' }))
    latency.record(order({ totalMs: 30, rttMs: 1, broker: 'b', orderType: 'GTT_CANCEL' }))
    latency.record(order({ totalMs: 20, rttMs: 1, broker: undefined }))
    latency.record(order({ totalMs: 9000, rttMs: 1, broker: 'a', orderType: 'QUOTES' }))
    const statistics = await latency.statistics()
    expect(statistics).toMatchObject({ total_orders: 3, avg_total: 20, p50_total: 20, sla_100ms: 100 })
    expect(
      Object.entries(statistics.broker_stats).map(([name, of]) => [name, of.total_orders, of.p99_total]),
    ).toEqual([
      ['a', 1, 10],
      ['b', 1, 30],
    ])
  })

  test('percentiles cover the last 30 days, averages all orders', async () => {
    const { latency, clock } = await open()
    latency.record(order({ totalMs: 1000, rttMs: 1 }))
    await clock.advance(30 * DAY_MS + 1)
    latency.record(order({ totalMs: 10, rttMs: 1 }))
    expect(await latency.statistics()).toMatchObject({ total_orders: 2, avg_total: 505, p99_total: 10 })
  })

  test('are cached for 60 seconds', async () => {
    const { latency, clock } = await open()
    await latency.statistics()
    latency.record(order({ totalMs: 10, rttMs: 1 }))
    await clock.advance(59_999)
    expect((await latency.statistics()).total_orders).toBe(0)
    await clock.advance(1)
    expect((await latency.statistics()).total_orders).toBe(1)
  })

  test('have microseconds, without the noise of the difference of two readings', async () => {
    const { latency } = await open()
    for (const part of [0.1, 0.2, 1 / 3]) {
      latency.record(order({ totalMs: 19.8081270000112 + part, rttMs: 17.5432690000016 }))
    }
    const [newest] = await latency.list({ limit: 1 })
    expect([newest?.rttMs, newest?.overheadMs, newest?.totalLatencyMs]).toEqual([17.543, 2.598, 20.141])
    for (const value of Object.values(await latency.statistics()))
      if (typeof value === 'number') expect(Number(value.toFixed(3))).toBe(value)
  })

  test("property: the store's percentile equals that of the sorted numbers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.integer({ min: 0, max: 5_000_000 }).map((microseconds) => microseconds / 1000),
          { minLength: 1, maxLength: 40 },
        ),
        async (totals) => {
          const { latency } = await open()
          for (const totalMs of totals) latency.record(order({ totalMs, rttMs: 0 }))
          const sorted = totals.toSorted((a, b) => a - b)
          const statistics = await latency.statistics()
          for (const p of [50, 90, 95, 99] as const) {
            const expected = percentile(p, sorted.length, (index) => sorted[index] ?? Number.NaN)
            expect(statistics[`p${p}_total`]).toBeCloseTo(expected, 2)
          }
        },
      ),
      { numRuns: 15 },
    )
  })
})

describe('a recorded row', () => {
  test.each([
    ['the order id', { orderId: '77', requestId: 'r' }, '77'],
    ['otherwise the id of the request', { orderId: undefined, requestId: 'r' }, 'r'],
    ['otherwise unknown', { orderId: undefined, end: 'refused' as const }, 'unknown'],
    ['error if the handler threw', { orderId: undefined, end: 'fault' as const }, 'error'],
  ])('is named by %s', async (_name, sample, orderId) => {
    const { latency } = await open()
    latency.record(order(sample))
    expect(await latency.list({ limit: 1 })).toMatchObject([{ orderId }])
  })

  test.each([
    ['succeeded', 'SUCCESS'],
    ['refused', 'FAILED'],
    ['fault', 'FAILED'],
  ] as const)('of a request that ended as %s is %s', async (end, status) => {
    const { latency } = await open()
    latency.record(order({ end }))
    expect(await latency.list({ limit: 1 })).toMatchObject([{ status }])
  })

  test('without a measured round trip uses the execution stage, and the sum of the parts as total', async () => {
    const { latency } = await open()
    latency.record(order({ stageMs: 30, validationMs: 2, responseMs: 3, totalMs: 99 }))
    expect(await latency.list({ limit: 1 })).toMatchObject([
      { rttMs: 30, totalLatencyMs: 35, overheadMs: 5, validationLatencyMs: 2, responseLatencyMs: 3 },
    ])
  })

  test.each([
    ['a text, cut to 500', 'x'.repeat(600), 'x'.repeat(500)],
    ['an error', new Error('refused'), 'refused'],
    ['anything else as JSON', { status: 'error', n: [1] }, '{"status":"error","n":[1]}'],
    ['nothing', undefined, null],
    ['no secret', 'api_key=canary-one', 'api_key=[redacted]'],
    ['no secret field', { token: 'canary-two', a: 1 }, '{"a":1}'],
  ])('has the error: %s', async (_name, error, kept) => {
    const { latency } = await open()
    latency.record(order({ end: 'refused', error }))
    expect(await latency.list({ limit: 1 })).toMatchObject([{ status: 'FAILED', error: kept }])
  })

  test('is kept forever for an order, and until it is purged for any other request', async () => {
    const { latency, clock } = await open()
    for (const orderType of ['PLACE', 'QUOTES', 'FUNDS', 'GTT_MODIFY']) latency.record(order({ orderType }))
    await latency.flush()
    await clock.advance(1)
    latency.record(order({ orderType: 'DEPTH' }))
    await latency.flush()
    expect(await latency.purge(clock.now())).toBe(2)
    expect((await latency.list({ limit: 10 })).map((row) => row.orderType)).toEqual([
      'DEPTH',
      'GTT_MODIFY',
      'PLACE',
    ])
  })
})
