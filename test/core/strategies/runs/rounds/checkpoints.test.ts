import { expect, test } from 'vitest'
import type { ActiveRun } from '../../../../../src/core/strategies/runs/active-run.js'
import { CheckpointWriter } from '../../../../../src/core/strategies/runs/rounds/checkpoint-writer.js'
import { PAIR, RunRig } from '../run-rig.js'

async function running() {
  const rig = await RunRig.open('analyze')
  const id = await rig.create(PAIR)
  await rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  const run = rig.runs.active(id)
  if (!run) throw new Error('the run is not active')
  return { rig, id, run }
}

const count = async (rig: RunRig) => (await rig.query('select id from strategy_checkpoints')).length

test('a checkpoint that the disk refuses stays due until it is stored', async () => {
  const { rig, run } = await running()
  const broken = new CheckpointWriter({
    save: async () => {
      throw new Error('disk full')
    },
    prune: async () => undefined,
  })
  const before = await count(rig)
  await expect(broken.save([run])).rejects.toThrow('disk full')
  expect(run.isCheckpointDue).toBe(true)
  const writer = new CheckpointWriter(rig.store.checkpoints)
  await writer.save([run])
  expect(await count(rig)).toBe(before + 1)
  await writer.save([run])
  expect(await count(rig)).toBe(before + 1)
})

test('the old checkpoints of a run that has ended since are removed, too', async () => {
  const { rig, run } = await running()
  const writer = new CheckpointWriter(rig.store.checkpoints)
  const save = async (runs: ActiveRun[], rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const one of runs) one.noteChange()
      await writer.save(runs)
    }
  }
  const kept = 205
  await rig.store.checkpoints.save(Array.from({ length: kept }, () => run.takeCheckpoint()))
  await save([run], 1)
  expect(await count(rig)).toBeGreaterThan(kept)
  // From here on the run is over.
  await save([], 119)
  expect(await count(rig)).toBe(200)
})

test('a service that was stopped before it removed them does it at its next start', async () => {
  const { rig, run } = await running()
  await rig.store.checkpoints.save(Array.from({ length: 260 }, () => run.takeCheckpoint()))
  await rig.rig.desk.close()
  const next = await rig.reopen('analyze')
  await next.settled(next.runs.settled())
  expect(await count(next)).toBeLessThanOrEqual(201)
})
