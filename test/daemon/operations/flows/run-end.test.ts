import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../../../support/eventually.js'
import { query } from '../../../support/files/files.js'
import { lockedElsewhere } from '../../../support/process/lock.js'
import { FlowRig, SLOW } from './flow-rig.js'

test('a run whose end the disk refuses is shown as it ended, and its end is stored when the disk accepts it', async () => {
  const rig = await FlowRig.open()
  const file = join(rig.desk.home, 'svc.db')
  const stored = async () => {
    const [row] = await query(file, 'select status, error, logs from flow_workflow_executions')
    return row
  }
  const id = await rig.arm(SLOW)
  const running = rig.flows.executor
  const reply = rig.http.request('POST', `/flow/api/workflows/${id}/execute`, {
    headers: { authorization: `Bearer ${rig.token}` },
  })
  await rig.begun(id)
  expect(await stored()).toMatchObject({ status: 'running' })

  const release = await lockedElsewhere(rig.desk.service.databases.svc, file)
  await rig.pass(61_000)
  expect((await reply).body).toMatchObject({ status: 'success' })
  expect(running.isRunning(id)).toBe(false)
  const [shown] = await rig.runs(id)
  expect(shown).toMatchObject({ status: 'completed', error: null })
  expect(rig.lines(shown ?? {})).toHaveLength(5)
  expect((await rig.ask('GET', `/executions/${shown?.id}`)).body).toMatchObject({ status: 'completed' })
  expect(await rig.list('/workflows')).toMatchObject([{ last_execution_status: 'completed' }])
  expect(await stored()).toMatchObject({ status: 'running' })

  await release()
  await eventually(async () => {
    await rig.pass(1_000)
    return (await stored())?.status === 'completed'
  })
  expect(running.unstoredEnd(Number(shown?.id))).toBeUndefined()
  expect(await rig.runs(id)).toEqual([shown])
})
