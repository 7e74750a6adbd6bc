import { expect, test } from 'vitest'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import type { Body } from '../../../../src/core/flows/ports.js'
import { FlowRig, HELLO, scheduled } from './flow-rig.js'

const DAILY = scheduled(HELLO, { scheduleType: 'daily', time: '10:15' })
const LATER = scheduled(HELLO, { scheduleType: 'daily', time: '10:20' })

const wanted = (key: string, moved: string[] = [], graph: FlowGraph = DAILY) => ({
  key,
  ...(moved.length > 0 && { moved }),
  file: `flows/${key}.yaml`,
  name: 'Morning',
  description: null,
  ...graph,
})

async function say(rig: FlowRig, what: 'plan' | 'apply', workflows: object[], more: Body = {}) {
  const { status, body } = await rig.ask('POST', `/${what}`, { workflows, ...more })
  return { status, body, rows: (body.data ?? []) as Body[] }
}

test('a workflow with a new id keeps its number, webhook, versions, runs and its next run', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('old')], { activate: true })
  await rig.execute(1)
  const { body: before } = await rig.show(1)
  const files = [wanted('new', ['older', 'old'])]
  for (const prune of [false, true]) {
    expect((await say(rig, 'plan', files, { complete: true, prune })).rows).toMatchObject([
      { key: 'new', action: 'update', moved_from: 'old', workflow_id: 1, is_active: true, changes: [] },
    ])
  }
  const { rows } = await say(rig, 'apply', files, { complete: true, prune: true, expect: { new: 1 } })
  expect(rows).toMatchObject([{ key: 'new', moved_from: 'old', version: 1, needs_reactivate: false }])
  const { body: after } = await rig.show(1)
  expect(after).toEqual({ ...before, file_key: 'new', updated_at: after.updated_at })
  expect(await rig.runs(1)).toHaveLength(1)
  expect((await rig.list('/workflows')).map(({ next_run_at }) => next_run_at)).toEqual([
    expect.stringContaining('10:15'),
  ])

  // What is left over in the file says nothing any more, and the earlier id is free.
  expect((await say(rig, 'apply', files)).rows).toMatchObject([
    { action: 'none', moved_from: null, version: 1 },
  ])
  const restarted = await rig.restart()
  expect((await say(restarted, 'plan', files)).rows).toMatchObject([{ action: 'none', moved_from: null }])
})

test('a new id and new content are one change, with one new version', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('old')], { activate: true })
  const { rows } = await say(rig, 'apply', [wanted('new', ['old'], LATER)])
  expect(rows).toMatchObject([
    { action: 'update', moved_from: 'old', version: 2, trigger_changed: true, needs_reactivate: false },
  ])
  expect(await rig.list('/workflows')).toMatchObject([
    { id: 1, file_key: 'new', version: 2, is_active: true, next_run_at: expect.stringContaining('10:20') },
  ])
})

test('an id that cannot be an earlier one is refused before anything changes', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('a'), wanted('b')])
  const before = await rig.list('/workflows')
  for (const [files, status] of [
    [[wanted('c', ['a']), wanted('d', ['a'])], 400],
    [[wanted('a', ['b']), wanted('b', ['a'])], 400],
    [[wanted('a', ['b'])], 409],
    [[wanted('c', ['a', 'b'])], 409],
  ] as const) {
    for (const what of ['plan', 'apply'] as const) {
      const answer = await say(rig, what, [...files])
      expect([what, answer.status, answer.rows]).toEqual([what, status, []])
    }
  }
  expect(await rig.list('/workflows')).toEqual(before)
})

test('a version that came since, and one that was switched since, are not overwritten', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('old')])
  const files = [wanted('new', ['old'], LATER)]
  const seen = { expect: { new: 1 }, expect_active: { new: false } }
  await rig.ask('POST', '/workflows/1/activate')
  const active = await say(rig, 'apply', files, seen)
  expect([active.status, active.body.message]).toEqual([409, 'Nothing was applied: new is active now'])
  await rig.ask('POST', '/workflows/1/deactivate')
  await rig.ask('PUT', '/workflows/1', { description: 'by hand' })
  const changed = await say(rig, 'apply', files, seen)
  expect([changed.status, changed.body.message]).toEqual([
    409,
    'Nothing was applied: new has version 2, not 1',
  ])
  expect(await rig.list('/workflows')).toMatchObject([{ file_key: 'old', version: 2 }])
})
