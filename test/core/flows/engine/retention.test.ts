import { describe, expect, it, onTestFinished } from 'vitest'
import { RunRetention } from '../../../../src/core/flows/engine/retention.js'
import { FlowStore } from '../../../../src/core/flows/store.js'
import { silentLogger } from '../../../../src/core/logging/index.js'
import { Database } from '../../../../src/core/storage/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { tempFile } from '../../../support/files/temp.js'

const DAY_MS = 86_400_000
const START = Date.parse('2026-11-20T09:15:00+05:30')

async function rig({ keepRuns = 0, keepDays = 0 }) {
  const db = await Database.open({ file: tempFile('svc.db'), schema: 'svc' })
  onTestFinished(() => db.close())
  const store = await FlowStore.open(db)
  const clock = new VirtualClock(START)
  const retention = new RunRetention({ store, clock, log: silentLogger, keepRuns, keepDays })
  onTestFinished(() => retention.stop())
  /** Stores runs of a workflow that began the given numbers of days ago. */
  const ran = async (workflowId: number, daysAgo: readonly number[], status: 'completed' | 'running') => {
    const ids = daysAgo.map(() => store.newExecutionId())
    await Promise.all(
      daysAgo.map((days, index) =>
        store.saveExecution({
          id: ids[index] ?? 0,
          workflowId,
          status,
          startedAt: START - days * DAY_MS,
          completedAt: null,
          logs: '[]',
          error: null,
          trigger: 'manual',
          version: 1,
        }),
      ),
    )
    return ids
  }
  const left = async (workflowId: number) =>
    (await store.executions(workflowId, 1000)).map(({ id }) => id).reverse()
  return { clock, retention, ran, left }
}

describe('retention of runs', () => {
  it('keeps the newest runs up to the limit, soon after each run', async () => {
    const { clock, left, ran, retention } = await rig({ keepRuns: 3 })
    const ids = await ran(1, [0, 0, 0, 0, 0], 'completed')
    const others = await ran(2, [0, 0, 0, 0, 0], 'completed')
    retention.runEnded(1)
    await clock.advance(1000)
    await expect.poll(() => left(1)).toEqual(ids.slice(2))
    expect(await left(2)).toEqual(others)
  })

  it('keeps runs for a number of days, checked at the start and every hour', async () => {
    const { clock, left, ran, retention } = await rig({ keepDays: 30 })
    const ids = await ran(1, [31, 29.99, 1], 'completed')
    await retention.start(() => [1])
    expect(await left(1)).toEqual(ids.slice(1))
    await clock.advance(3_600_000)
    await expect.poll(() => left(1)).toEqual(ids.slice(2))
  })

  it('removes all old runs, however many there are', async () => {
    const { left, ran, retention } = await rig({ keepDays: 30 })
    await ran(1, new Array<number>(450).fill(40), 'completed')
    const [kept] = await ran(1, [1], 'completed')
    await retention.start(() => [1])
    expect(await left(1)).toEqual([kept])
  })

  it('keeps running runs, however old', async () => {
    const { clock, left, ran, retention } = await rig({ keepDays: 30, keepRuns: 1 })
    const ids = await ran(1, [40, 40], 'running')
    const [last] = await ran(1, [0], 'completed')
    await retention.start(() => [1])
    retention.runEnded(1)
    await clock.advance(1000)
    expect(await left(1)).toEqual([...ids, last])
  })

  it('keeps all runs without limits', async () => {
    const { clock, left, ran, retention } = await rig({})
    const ids = await ran(1, [4000, 40, 0], 'completed')
    await retention.start(() => [1])
    retention.runEnded(1)
    expect(clock.pending).toBe(0)
    expect(await left(1)).toEqual(ids)
  })
})
