import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../../../support/eventually.js'
import { lockedElsewhere } from '../../../support/process/lock.js'
import { FlowRig, HELLO, scheduled } from './flow-rig.js'

const DUE = Date.parse('2026-11-20T11:30:00+05:30')

test('a due run whose instant the disk refuses begins, once, when the disk accepts it within a minute', async () => {
  const rig = await FlowRig.open()
  const { svc } = rig.desk.service.databases
  const id = await rig.arm(scheduled(HELLO, { scheduleType: 'daily', time: '11:30' }))
  await rig.clock.advanceTo(DUE - 10_000)
  const release = await lockedElsewhere(svc, join(rig.desk.home, 'svc.db'))
  await rig.pass(20_000)
  await release()
  await eventually(async () => {
    await rig.pass(1000)
    return rig.flows.workflows.get(id).lastScheduledAt === DUE
  })
  expect(await rig.ran(id, 1)).toMatchObject([{ trigger: 'schedule', status: 'completed' }])
  await rig.pass(120_000)
  expect(await rig.runs(id)).toHaveLength(1)
})
