import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HealthMonitor, type Probed, type ProcessFacts } from '../../../src/core/health/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { DAY_MS, HOUR_MS } from '../../../src/core/time/index.js'
import { deskClock } from '../../support/desk/desk-clock.js'
import { tempDir } from '../../support/files/temp.js'

const THRESHOLDS = {
  fd: { warn: 700, fail: 900 },
  memory: { warn: 500, fail: 1000 },
  db: { warn: 10, fail: 20 },
  ws: { warn: 10, fail: 20 },
  thread: { warn: 50, fail: 100 },
}
const CALM: ProcessFacts = {
  fdCount: 40,
  fdLimit: 1024,
  rssMb: 120,
  vmsMb: 900,
  swapMb: 0,
  totalMb: 4000,
  availableMb: 3000,
  threads: 11,
}

async function open(databases: readonly Probed[] = []) {
  const db = await Database.open({ file: join(tempDir(), 'logs.db'), schema: 'logs' })
  const clock = deskClock('2026-11-20T10:00:00+05:30')
  let facts: Partial<ProcessFacts> = {}
  const monitor = new HealthMonitor({
    db,
    clock,
    log: silentLogger,
    thresholds: THRESHOLDS,
    sampleMs: 10_000,
    retentionDays: 7,
    databases,
    facts: () => ({ databases: { svc: 3 }, streams: { events: 1 }, symbols: 2 }),
    process: async () => ({ ...CALM, ...facts }),
  })
  onTestFinished(async () => {
    await monitor.stop()
    await db.close()
  })
  /** Takes a sample of a process with these facts, ten seconds after the last. */
  const sample = async (given: Partial<ProcessFacts> = {}) => {
    facts = given
    await clock.advance(10_000)
    await monitor.sample()
    return monitor.status
  }
  return { monitor, sample, clock }
}

describe('alerts', () => {
  it('open once above a threshold and end by themselves below it', async () => {
    const { monitor, sample } = await open()
    expect(await sample({ rssMb: 501 })).toBe('warn')
    expect(await sample({ rssMb: 510 })).toBe('warn')
    const alerts = await monitor.openAlerts()
    expect(alerts.map(({ alertType, message, metricValue }) => [alertType, message, metricValue])).toEqual([
      ['memory_warn', 'Memory usage elevated: 501.0 MB (threshold: 500 MB)', 501],
    ])
    expect(await sample({ rssMb: 499 })).toBe('pass')
    expect(await monitor.openAlerts()).toEqual([])
  })

  it('of both severities end only when the value passes again', async () => {
    const { monitor, sample } = await open()
    await sample({ fdCount: 700 })
    expect(await sample({ fdCount: 900 })).toBe('fail')
    await sample({ fdCount: 899 })
    const open1 = await monitor.openAlerts()
    expect(open1.map(({ message }) => message)).toEqual([
      'File descriptor count critical: 900 (threshold: 900)',
      'File descriptor count elevated: 700 (threshold: 700)',
    ])
    await sample()
    expect(await monitor.openAlerts()).toEqual([])
  })

  it('are acknowledged and resolved by a person, and open again while the cause is there', async () => {
    const { monitor, sample } = await open()
    await sample({ threads: 60 })
    const [first] = await monitor.openAlerts()
    const id = first?.id ?? 0
    expect([await monitor.acknowledge(id), await monitor.resolve(id), await monitor.resolve(99)]).toEqual([
      true,
      true,
      false,
    ])
    expect(await monitor.openAlerts()).toEqual([])
    await sample({ threads: 61 })
    expect(await monitor.openAlerts()).toMatchObject([{ acknowledgedAt: null, metricValue: 61 }])
  })
})

describe('probes', () => {
  it('of a database that fails make the service fail', async () => {
    const broken = { name: 'svc', probe: () => Promise.reject(new Error('disk I/O error')) }
    const { monitor, sample } = await open([broken])
    expect(await monitor.probeAll()).toMatchObject([{ name: 'svc', status: 'fail' }])
    expect(await sample()).toBe('fail')
  })

  it('of a database that never answers fail after five seconds, and are not started twice', async () => {
    let started = 0
    const stuck: Probed = {
      name: 'svc',
      probe: () => {
        started += 1
        return new Promise(() => undefined)
      },
    }
    const { monitor, clock } = await open([stuck])
    for (let round = 0; round < 2; round++) {
      const probed = monitor.probeAll()
      await clock.advance(5000)
      expect(await probed).toMatchObject([{ status: 'fail', tookMs: 5000 }])
    }
    expect(started).toBe(1)
  })
})

describe('samples', () => {
  it('have a history, statistics and an export', async () => {
    const { monitor, sample } = await open()
    await sample({ rssMb: 100 })
    await sample({ rssMb: 600 })
    await sample({ rssMb: 200 })
    expect((await monitor.history(1)).map(({ memoryRssMb }) => memoryRssMb)).toEqual([100, 600, 200])
    expect(await monitor.statistics(1)).toMatchObject({
      samples: 3,
      memory: { avg: 300, min: 100, max: 600 },
      statuses: { memoryWarn: 1, memoryFail: 0, warn: 1, fail: 0 },
    })
    const pages = []
    for await (const page of monitor.export(1)) pages.push(...page)
    expect(pages).toHaveLength(3)
  })

  it('are taken every ten seconds and deleted after a week', async () => {
    const { monitor, clock } = await open()
    await monitor.sample()
    await clock.advance(8 * DAY_MS)
    monitor.start()
    await monitor.sample()
    await clock.advance(HOUR_MS)
    await expect
      .poll(() =>
        monitor
          .export(24 * 30)
          .next()
          .then(({ value }) => value?.[0]?.timestamp ?? 0),
      )
      .toBeGreaterThan(clock.now() - 2 * DAY_MS)
  })
})
