import { describe, expect, test } from 'vitest'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import type { Body } from '../../../../src/core/flows/ports.js'
import { FlowRig, graphOf, HELLO, note, scheduled } from './flow-rig.js'

const DAILY = scheduled(HELLO, { scheduleType: 'daily', time: '10:15' })

const wanted = (key: string, graph: FlowGraph = HELLO, more: Body = {}) => ({
  key,
  file: `flows/${key}.yaml`,
  name: key,
  description: null,
  ...graph,
  ...more,
})

/** The version of a workflow that was applied from its file. */
const storedAs = (version: number, key: string) => ({
  version,
  at: expect.any(String),
  by: 'asha',
  by_you: true,
  origin: 'apply',
  rolled_back_to: null,
  file: `flows/${key}.yaml`,
  commit: null,
})

/** Returns the rows of a plan or of an apply, by key. */
async function say(rig: FlowRig, what: 'plan' | 'apply', workflows: object[], more: Body = {}) {
  const { status, body } = await rig.ask('POST', `/${what}`, { workflows, ...more })
  return { status, body, rows: (body.data ?? []) as Body[] }
}

/**
 * Everything that an apply without differences must not change: complete workflows, and their published
 * events.
 */
async function stateOf(rig: FlowRig) {
  const workflows = await rig.list('/workflows')
  const shown = await Promise.all(workflows.map(async ({ id }) => (await rig.show(Number(id))).body))
  const versions = await Promise.all(
    workflows.map(async ({ id }) => (await rig.ask('GET', `/workflows/${id}/versions`)).body),
  )
  await rig.desk.service.bus.idle()
  return { workflows, shown, versions, events: rig.desk.events.length }
}

test('a plan returns the change of each file, and changes nothing', async () => {
  const rig = await FlowRig.open()
  const plan = await say(rig, 'plan', [wanted('one')])
  expect([plan.status, plan.body]).toEqual([
    200,
    {
      status: 'success',
      data: [
        {
          key: 'one',
          name: 'one',
          action: 'create',
          moved_from: null,
          workflow_id: null,
          drifted: false,
          is_active: false,
          was_active: false,
          trigger_changed: false,
          stored: null,
          namesake: null,
          changes: [],
        },
      ],
    },
  ])
  expect(await rig.list('/workflows')).toEqual([])
})

test('applied twice, the second time makes no version, no change and no event', async () => {
  const rig = await FlowRig.open()
  const files = [wanted('one'), wanted('two', DAILY)]
  const first = await say(rig, 'apply', files, { commit: 'abc123', activate: true })
  expect([first.status, first.rows]).toEqual([
    200,
    [
      {
        key: 'one',
        name: 'one',
        action: 'create',
        moved_from: null,
        workflow_id: 1,
        drifted: false,
        is_active: false,
        was_active: false,
        trigger_changed: false,
        stored: null,
        namesake: null,
        changes: [],
        version: 1,
        needs_reactivate: false,
        activated: true,
      },
      expect.objectContaining({ key: 'two', action: 'create', workflow_id: 2, version: 1, activated: true }),
    ],
  ])
  const before = await stateOf(rig)
  expect(before.versions[0]).toMatchObject({
    data: [
      { version: 1, by: 'asha', origin: 'apply', file: 'flows/two.yaml', commit: 'abc123', current: true },
    ],
  })
  expect(before.shown).toMatchObject([
    { file_key: 'two', is_active: true },
    { file_key: 'one', is_active: true },
  ])
  await rig.clock.advance(5000)
  const again = await say(rig, 'apply', files, { commit: 'def456', activate: true })
  expect(again.rows).toMatchObject([
    { action: 'none', version: 1, activated: false, changes: [] },
    { action: 'none', version: 1, activated: false, changes: [] },
  ])
  expect(await stateOf(rig)).toEqual(before)
})

test('a changed file changes its workflow, which keeps id, webhook, activity and history', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('one', DAILY)], { activate: true })
  await rig.execute(1)
  const { body: before } = await rig.show(1)
  const later = scheduled(HELLO, { scheduleType: 'daily', time: '10:20' })
  const changes = [{ kind: 'changed', path: 'nodes.t.with.time', before: '10:15', after: '10:20' }]
  expect((await say(rig, 'plan', [wanted('one', later)])).rows).toEqual([
    {
      key: 'one',
      name: 'one',
      action: 'update',
      moved_from: null,
      workflow_id: 1,
      drifted: false,
      is_active: true,
      was_active: false,
      trigger_changed: true,
      stored: storedAs(1, 'one'),
      namesake: null,
      changes,
    },
  ])
  const { rows } = await say(rig, 'apply', [wanted('one', later)])
  expect(rows).toMatchObject([
    { action: 'update', workflow_id: 1, version: 2, needs_reactivate: false, activated: false, changes },
  ])
  const { body: after } = await rig.show(1)
  for (const key of ['id', 'webhook_token', 'webhook_secret', 'is_active', 'created_at', 'file_key']) {
    expect(after[key]).toEqual(before[key])
  }
  expect(await rig.runs(1)).toHaveLength(1)
  expect(rig.flows.nextRun(1)).toBe(Date.parse('2026-11-21T10:20:00+05:30'))
})

test('a workflow changed by hand is shown as drifted until its file is applied again', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('one')])
  await rig.ask('PUT', '/workflows/1', { name: 'by hand' })
  expect((await rig.show(1)).body).toMatchObject({ drifted: true })
  expect((await rig.list('/workflows'))[0]).toMatchObject({ drifted: true })
  const changes = [{ kind: 'changed', path: 'name', before: 'by hand', after: 'one' }]
  expect((await say(rig, 'plan', [wanted('one')])).rows).toMatchObject([
    { action: 'update', drifted: true, changes },
  ])
  expect((await say(rig, 'apply', [wanted('one')])).rows).toMatchObject([{ version: 3, drifted: true }])
  expect((await rig.show(1)).body).toMatchObject({ name: 'one', drifted: false })
  await rig.ask('PUT', '/workflows/1', { name: 'both' })
  await say(rig, 'apply', [wanted('one', HELLO, { name: 'both' })])
  expect((await rig.show(1)).body).toMatchObject({ name: 'both', drifted: false, version: 4 })
})

test('only workflows from files are removed, and only on request', async () => {
  const rig = await FlowRig.open()
  const byHand = await rig.create(HELLO, 'by hand')
  await say(rig, 'apply', [wanted('one'), wanted('two', DAILY)], { activate: true })
  expect((await say(rig, 'apply', [wanted('one')])).rows).toHaveLength(1)
  expect(await rig.list('/workflows')).toHaveLength(3)
  const gone = {
    key: 'two',
    name: 'two',
    action: 'delete',
    moved_from: null,
    workflow_id: 3,
    drifted: false,
    is_active: true,
    was_active: false,
    trigger_changed: false,
    stored: storedAs(1, 'two'),
    namesake: null,
    changes: [],
  }
  expect((await say(rig, 'plan', [wanted('one')], { prune: true })).rows[1]).toEqual(gone)
  const pruned = await say(rig, 'apply', [wanted('one')], { prune: true })
  expect(pruned.rows[1]).toEqual({ ...gone, version: null, needs_reactivate: false, activated: false })
  expect((await rig.list('/workflows')).map(({ id }) => id).sort()).toEqual([byHand, 2])
  expect(rig.flows.nextRun(3)).toBeUndefined()
  expect((await say(rig, 'apply', [wanted('two')])).rows).toMatchObject([
    { action: 'create', workflow_id: 4 },
  ])
})

test('workflows without a file are named: all of them beside all files, otherwise those whose file has a new id', async () => {
  const rig = await FlowRig.open()
  await rig.create(HELLO, 'by hand')
  await say(rig, 'apply', [wanted('one'), wanted('two', DAILY)], { activate: true })
  const orphan = { key: 'two', action: 'orphan', is_active: true, stored: storedAs(1, 'two') }
  for (const what of ['plan', 'apply'] as const) {
    const all = await say(rig, what, [wanted('one')], { complete: true })
    expect(all.rows).toMatchObject([{ key: 'one', action: 'none' }, orphan])
    expect((await say(rig, what, [wanted('one')])).rows).toHaveLength(1)
  }
  const moved = wanted('three', HELLO, { file: './two.yaml' })
  expect((await say(rig, 'plan', [moved])).rows).toMatchObject([{ action: 'create' }, orphan])
  // A change by hand has no file, and the workflow is still from its file.
  await rig.ask('PUT', '/workflows/3', { name: 'by hand' })
  const edited = { ...storedAs(2, 'two'), origin: 'edit' }
  expect((await say(rig, 'plan', [moved])).rows[1]).toMatchObject({ action: 'orphan', stored: edited })
})

test('nothing is applied when one workflow has another version than expected', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('one')])
  await rig.ask('PUT', '/workflows/1', { name: 'by hand' })
  const before = await stateOf(rig)
  for (const expected of [{ one: 1 }, { two: 1 }, { one: 2, two: 1 }, { one: 0 }]) {
    const reply = await say(rig, 'apply', [wanted('two'), wanted('one')], { expect: expected })
    expect([reply.status, reply.body.message]).toEqual([409, expect.stringMatching(/^Nothing was applied: /)])
    expect(await stateOf(rig)).toEqual(before)
  }
  expect((await say(rig, 'apply', [wanted('one')], { expect: { one: 2 } })).rows).toMatchObject([
    { version: 3 },
  ])
})

test('a version that came after the plan is neither overwritten nor deleted', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('one'), wanted('two')])
  const before = await stateOf(rig)
  const unseen = await say(rig, 'apply', [wanted('one')], { prune: true, expect: { one: 1 } })
  expect([unseen.status, unseen.body.message]).toEqual([
    409,
    'Nothing was applied: two has version 1, and was not there',
  ])
  expect(await stateOf(rig)).toEqual(before)
  const seen = await say(rig, 'apply', [wanted('one')], { prune: true, expect: { one: 1, two: 1 } })
  expect(seen.rows).toMatchObject([{ action: 'none' }, { action: 'delete' }])
  expect((await say(rig, 'apply', [wanted('two')], { expect: { two: 0 } })).rows).toMatchObject([
    { action: 'create' },
  ])
})

test('a file with the key of an export takes over the workflow that it was exported from', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(DAILY, 'By hand')
  const file = wanted('by-hand-1', DAILY, { name: 'By hand' })
  expect((await say(rig, 'plan', [file])).rows).toMatchObject([
    { action: 'none', workflow_id: id, drifted: false },
  ])
  await say(rig, 'apply', [file])
  expect((await rig.show(id)).body).toMatchObject({ file_key: 'by-hand-1', version: 1, is_active: true })
  const other = wanted('by-hand-9', DAILY, { name: 'By hand' })
  expect((await say(rig, 'plan', [other])).rows).toMatchObject([{ action: 'create', namesake: null }])
})

describe('one wrong file', () => {
  const wrong = graphOf({ buy: ['placeOrder', { exchange: 'NSE' }] }, 't -> buy')

  test.each<[string, object[], Body]>([
    [
      'with a graph that cannot run',
      [wanted('a'), wanted('bad', wrong)],
      {
        key: 'bad',
        path: '/nodes/1/data/symbol',
        code: 'missing_required_field',
      },
    ],
    ['without a name', [wanted('a'), wanted('bad', HELLO, { name: '' })], { key: 'bad', path: '/name' }],
    ['with the id of another', [wanted('a'), wanted('b'), wanted('a')], { key: 'a', code: 'duplicate' }],
  ])('%s keeps all of them from being applied, and is named', async (_, workflows, error) => {
    const rig = await FlowRig.open()
    for (const what of ['plan', 'apply'] as const) {
      const { status, body } = await say(rig, what, workflows, { prune: true, activate: true })
      expect([status, body.status, body.error]).toEqual([400, 'error', 'Invalid workflow files'])
      expect(body.errors).toContainEqual(expect.objectContaining(error))
      expect(body.message).toMatch(new RegExp(`^${error.key}: `))
    }
    expect(await rig.list('/workflows')).toEqual([])
  })

  test.each<[string, object]>([
    ['a key no file could have', { workflows: [wanted('Not A Key')] }],
    ['no list', { workflows: 'one' }],
    ['a member nobody knows', { workflows: [], extra: 1 }],
    ['a workflow with one nobody knows', { workflows: [{ ...wanted('one'), id: 7 }] }],
  ])('is refused for %s', async (_, body) => {
    const rig = await FlowRig.open()
    for (const what of ['plan', 'apply']) expect((await rig.ask('POST', `/${what}`, body)).status).toBe(400)
  })

  test('whose trigger can never fire any more changes nothing where it is to be activated', async () => {
    const rig = await FlowRig.open()
    const past = scheduled(HELLO, { scheduleType: 'once', executeAt: '2026-11-19T10:00' })
    const reply = await say(rig, 'apply', [wanted('a'), wanted('late', past)], { activate: true })
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringMatching(/^late: .*past/)])
    expect(await rig.list('/workflows')).toEqual([])
    expect((await say(rig, 'apply', [wanted('a'), wanted('late', past)])).status).toBe(200)
  })

  test('changes nothing where an active workflow would get such a trigger and is to stay active', async () => {
    const rig = await FlowRig.open()
    await say(rig, 'apply', [wanted('a'), wanted('late', DAILY)], { activate: true })
    const before = await stateOf(rig)
    const past = scheduled(HELLO, { scheduleType: 'once', executeAt: '2026-11-19T10:00' })
    const other = graphOf({ other: note('other') }, 't -> other')
    const files = [wanted('a', other), wanted('late', past), wanted('new')]
    const reply = await say(rig, 'apply', files, { activate: true })
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringMatching(/^late: .*past/)])
    expect(await stateOf(rig)).toEqual(before)
  })
})

test('an active workflow whose new trigger cannot be armed is deactivated, and the rest is applied', async () => {
  const rig = await FlowRig.open()
  await say(rig, 'apply', [wanted('a', DAILY), wanted('b')], { activate: true })
  const past = scheduled(HELLO, { scheduleType: 'once', executeAt: '2026-11-19T10:00' })
  const other = graphOf({ other: note('other') }, 't -> other')
  const { rows } = await say(rig, 'apply', [wanted('a', past), wanted('b', other)])
  expect(rows).toMatchObject([
    { key: 'a', needs_reactivate: true },
    { key: 'b', action: 'update', needs_reactivate: false },
  ])
  expect((await rig.show(1)).body).toMatchObject({ is_active: false })
})

test('older names in a file are no difference', async () => {
  const rig = await FlowRig.open()
  const file = wanted('one', graphOf({ c: ['closePositions'] }, 't -> c'))
  await say(rig, 'apply', [file])
  expect((await say(rig, 'plan', [file])).rows).toMatchObject([{ action: 'none' }])
})

test('a running workflow continues to its end when it is deactivated, and the answer names the run', async () => {
  const rig = await FlowRig.open()
  const slow = graphOf({ w: ['delay', { delayValue: 200 }], after: note('after') }, 't -> w', 'w -> after')
  await say(rig, 'apply', [wanted('slow', slow)])
  const running = rig.http.request('POST', '/flow/api/workflows/1/execute', {
    headers: { authorization: `Bearer ${rig.token}` },
  })
  await rig.begun(1)
  expect((await rig.ask('POST', '/workflows/1/deactivate')).body).toMatchObject({ running_execution_id: 1 })
  await rig.pass(200_000)
  expect(rig.lines((await running).body)).toContain('[LOG] after')
  expect((await rig.ask('POST', '/workflows/1/deactivate')).body).not.toHaveProperty('running_execution_id')
})

test('a workflow that runs is ended before it is removed', async () => {
  const rig = await FlowRig.open()
  const slow = graphOf({ w: ['delay', { delayValue: 200 }], after: note('after') }, 't -> w', 'w -> after')
  await say(rig, 'apply', [wanted('slow', slow)])
  const running = rig.http.request('POST', '/flow/api/workflows/1/execute', {
    headers: { authorization: `Bearer ${rig.token}` },
  })
  await rig.begun(1)
  expect((await say(rig, 'apply', [], { prune: true })).rows).toMatchObject([{ action: 'delete' }])
  const { status, body } = await running
  expect([status, body.message]).toEqual([409, 'The workflow was deleted'])
  expect(rig.lines(body)).not.toContain('[LOG] after')
})
