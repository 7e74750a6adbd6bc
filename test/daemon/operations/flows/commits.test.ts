import { expect, test } from 'vitest'
import { commitsIn } from '../../../support/files/wal.js'
import { BUY, FlowRig } from './flow-rig.js'

/* Each commit waits for the disk, and the commits of a run follow one another. */
test.each([
  // The begin of the run with its order; the result of the order with the end of the run.
  ['analyze', { svc: 2, sandbox: 1 }],
  // In between, the order on its way and its acceptance.
  ['live', { svc: 4, sandbox: 0 }],
] as const)(
  'a run that places one order commits no more than it has to wait for (%s)',
  async (mode, commits) => {
    const rig = await FlowRig.open({ analyze: mode === 'analyze' })
    const id = await rig.arm(BUY)
    const { databases } = rig.desk.service
    const count = () => ({ svc: commitsIn(databases.svc.file), sandbox: commitsIn(databases.sandbox.file) })
    const workflow = await rig.flows.setWebhook(id, { enabled: true })
    const call = { payload: {}, key: undefined, fallbackKey: undefined }
    const run = () => rig.desk.settled(rig.flows.executeFromWebhook(workflow, call))
    await run()
    const before = count()
    expect(await run()).toMatchObject({ reply: { kind: 'finished', outcome: { status: 'completed' } } })
    const after = count()
    expect({ svc: after.svc - before.svc, sandbox: after.sandbox - before.sandbox }).toEqual(commits)
  },
)
