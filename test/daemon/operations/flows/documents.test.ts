import { describe, expect, test } from 'vitest'
import { FlowRig, graphOf, HELLO, note, scheduled } from './flow-rig.js'

const ISO = /^2026-11-20T11:0\d:\d\d\.\d{3}\+05:30$/
const at = { position: { x: 10, y: 20 } }

/**
 * A document of the public system's editor: with its synonyms, its older fields, and members that only
 * editors read.
 */
const PUBLIC = {
  name: 'Legacy',
  description: 'from elsewhere',
  version: '1.0',
  exported_at: '2026-08-04T05:30:00.000000',
  viewport: { x: 0, y: 0, zoom: 1 },
  nodes: [
    {
      id: 'node_1',
      type: 'start',
      ...at,
      data: { scheduleType: 'daily', time: '10:15', marketHoursOnly: true, label: 'Start' },
      measured: { width: 180, height: 60 },
      selected: false,
      dragging: false,
    },
    { id: 'node_2', type: 'fundCheck', ...at, data: { threshold: 1000, operator: 'gte' } },
    {
      id: 'node_3',
      type: 'positionCheck',
      ...at,
      data: { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', operator: '>', threshold: 0 },
    },
    {
      id: 'node_4',
      type: 'priceCondition',
      ...at,
      data: { symbol: 'SBIN', exchange: 'NSE', operator: '>', threshold: 1 },
    },
    { id: 'node_5', type: 'andGate', ...at, data: { inputCount: 2 } },
    {
      id: 'node_6',
      type: 'closePositions',
      ...at,
      data: { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    },
    { id: 'node_7', type: 'log', ...at, data: { message: 'stay', level: 'warn' } },
    { id: 'note', type: 'group', ...at, data: { label: 'Guards' }, style: { width: 400 } },
  ],
  edges: [
    { id: 'edge-1', source: 'node_1', target: 'node_2', type: 'insertable', animated: true },
    { id: 'edge-2', source: 'node_2', target: 'node_3', sourceHandle: 'true', targetHandle: null },
    { id: 'edge-3', source: 'node_2', target: 'node_4', sourceHandle: 'true' },
    { id: 'edge-4', source: 'node_3', target: 'node_5', sourceHandle: '', targetHandle: 'input-0' },
    { id: 'edge-5', source: 'node_4', target: 'node_5', targetHandle: 'input-1' },
    { id: 'edge-6', source: 'node_5', target: 'node_6', sourceHandle: 'true' },
    { id: 'edge-7', source: 'node_5', target: 'node_7', sourceHandle: 'false' },
  ],
}

test('a graph of the public system comes in, is armed and runs', async () => {
  const rig = await FlowRig.open()
  const reply = await rig.ask('POST', '/workflows/import', PUBLIC)
  expect([reply.status, reply.body]).toEqual([
    201,
    {
      status: 'success',
      workflow_id: 1,
      migrations: [
        "Node 'node_2': threshold was renamed to minAvailable.",
        "Node 'node_3': operator '>' was replaced by condition quantity_above.",
        "Node 'node_4': threshold was renamed to value.",
        "Node 'node_6': closePositions was renamed to closePosition.",
      ],
    },
  ])
  const { body } = await rig.show(1)
  expect(body).toMatchObject({
    name: 'Legacy (imported)',
    description: 'from elsewhere',
    is_active: false,
    webhook_enabled: false,
    edges: PUBLIC.edges,
  })
  expect(body.nodes).toMatchObject([
    PUBLIC.nodes[0],
    { data: { minAvailable: 1000 } },
    { data: { condition: 'quantity_above', threshold: 0 } },
    { data: { value: 1 } },
    PUBLIC.nodes[4],
    { type: 'closePosition' },
    PUBLIC.nodes[6],
    PUBLIC.nodes[7],
  ])
  expect((await rig.ask('POST', '/workflows/1/activate')).body.message).toBe(
    'Workflow activated with start trigger',
  )
  const run = await rig.execute(1)
  expect([run.status, rig.lines(run.body).at(-1)]).toEqual([200, '[LOG] stay'])
})

test('closePositions is taken wherever a graph is kept', async () => {
  const rig = await FlowRig.open()
  const graph = graphOf({ c: ['closePositions'] }, 't -> c')
  const created = await rig.ask('POST', '/workflows', { name: 'x', ...graph })
  expect([created.status, created.body.nodes]).toMatchObject([201, [{}, { type: 'closePosition' }]])
  const put = await rig.ask('PUT', '/workflows/1', graph)
  expect([put.status, put.body.nodes, put.body.version]).toMatchObject([
    200,
    [{}, { type: 'closePosition' }],
    1,
  ])
})

test('an exported workflow is imported unchanged, without credentials', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(HELLO, 'Ünïcode "x" 1')
  const { webhook_secret, webhook_token } = (await rig.show(id)).body
  const out = await rig.ask('GET', `/workflows/${id}/export`)
  expect(out.status).toBe(200)
  expect(out.headers.get('content-disposition')).toBe('attachment; filename="_n_code__x__1.json"')
  expect(out.body).toEqual({
    name: 'Ünïcode "x" 1',
    description: null,
    ...HELLO,
    version: '1.0',
    exported_at: expect.stringMatching(/^2026-11-20T05:3\d:\d\d\.\d{6}$/),
  })
  for (const secret of [webhook_secret, webhook_token]) expect(out.text).not.toContain(secret)

  const back = await rig.ask('POST', '/workflows/import', out.text)
  expect(back.body).toEqual({ status: 'success', workflow_id: 2 })
  const twin = (await rig.show(2)).body
  expect(twin).toMatchObject({ name: 'Ünïcode "x" 1 (imported)', ...HELLO })
  expect(twin.webhook_token).not.toBe(webhook_token)
  expect(twin.webhook_secret).not.toBe(webhook_secret)
})

test('a name that is as long as may be can be imported, and changed afterwards', async () => {
  const rig = await FlowRig.open()
  const { body } = await rig.ask('POST', '/workflows/import', { name: 'n'.repeat(255), ...HELLO })
  const path = `/workflows/${body.workflow_id}`
  expect(String((await rig.ask('GET', path)).body.name)).toMatch(/^n+ \(imported\)$/)
  expect((await rig.ask('PUT', path, HELLO)).status).toBe(200)
})

describe('a document that cannot run', () => {
  const two = graphOf({ t: ['start'], u: ['webhookTrigger'], a: note() }, 't -> a', 'u -> a')
  const circle = graphOf({ a: note(), b: note() }, 't -> a', 'a -> b', 'b -> a')
  const params = { symbol: 'SBIN', exchange: 'NSE', indicatorName: 'rsi', params: { period: 14 } }

  test.each<[string, object, string, string]>([
    ['no name', { ...HELLO, name: undefined }, '/name', 'required'],
    ['a blank name', { ...HELLO, name: ' ' }, '/name', 'required'],
    ['no nodes', { edges: [] }, '/nodes', 'required'],
    ['no edges', { nodes: HELLO.nodes }, '/edges', 'required'],
    ['nodes that are no list', { nodes: {}, edges: [] }, '/nodes', 'required'],
    [
      'params that are an object',
      graphOf({ i: ['indicator', params] }, 't -> i'),
      '/nodes/1/data/params',
      'invalid_params',
    ],
    ['an unknown type', graphOf({ x: ['magic'] }, 't -> x'), '/nodes/1/type', 'unknown_node_type'],
    ['an edge to nowhere', graphOf({ a: note() }, 't -> b'), '/edges/0/target', 'dangling_edge'],
    ['two triggers', two, '/nodes', 'multiple_triggers'],
    ['a circle', circle, '/edges', 'cycle'],
    ['no trigger', graphOf({ t: ['log'] }), '/nodes', 'no_trigger'],
  ])('for %s is not imported, and replaces nothing', async (_, given, path, code) => {
    const rig = await FlowRig.open()
    const id = await rig.create(HELLO)
    const document = { name: 'Wrong', ...given }
    const ways = [['/workflows/import', true] as const]
    const replaceable = code !== 'required' || path === '/nodes'
    for (const [route] of replaceable ? [...ways, [`/workflows/${id}/replace`] as const] : ways) {
      const { status, body } = await rig.ask('POST', route, document)
      expect([route, status, body.status, body.error]).toEqual([
        route,
        400,
        'error',
        'Invalid workflow format',
      ])
      expect(body.errors).toContainEqual(expect.objectContaining({ path, code }))
      const [first] = body.errors as { message: string }[]
      expect(body.message).toBe(first?.message)
    }
    expect(await rig.list('/workflows')).toHaveLength(1)
    expect((await rig.show(id)).body).toMatchObject({ name: 'Test flow', version: 1, ...HELLO })
  })
})

test('a replacement keeps id, webhook, key, activity and history', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(scheduled(HELLO, { scheduleType: 'daily', time: '10:15' }))
  await rig.ask('POST', `/workflows/${id}/webhook/enable`)
  await rig.execute(id)
  const before = (await rig.show(id)).body
  const later = scheduled(graphOf({ other: note('other') }, 't -> other'), {
    scheduleType: 'daily',
    time: '10:20',
  })
  const reply = await rig.ask('POST', `/workflows/${id}/replace`, later)
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      status: 'success',
      workflow_id: id,
      migrations: [],
      needs_reactivate: false,
      message: 'Workflow replaced. Changes apply from the next run.',
    },
  ])
  expect((await rig.show(id)).body).toEqual({
    ...before,
    ...later,
    version: 2,
    next_run_at: '2026-11-21T10:20:00.000+05:30',
    updated_at: expect.stringMatching(ISO),
  })
  expect(await rig.runs(id)).toHaveLength(1)
  expect(rig.flows.nextRun(id)).toBe(Date.parse('2026-11-21T10:20:00+05:30'))
  const named = { name: 'Named', description: 'new', nodes: [HELLO.nodes[0]] }
  expect((await rig.ask('POST', `/workflows/${id}/replace`, named)).status).toBe(200)
  expect((await rig.show(id)).body).toMatchObject({ name: 'Named', description: 'new', edges: [] })
})

test('every content a workflow had can be seen and put back', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(HELLO, 'One')
  await rig.ask('PUT', `/workflows/${id}`, { name: 'Two' })
  await rig.ask('PUT', `/workflows/${id}`, { name: 'Two' })
  const rollback = (version: unknown) => rig.ask('POST', `/workflows/${id}/rollback`, { version })
  const reply = await rollback(1)
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      status: 'success',
      workflow_id: id,
      version: 3,
      needs_reactivate: false,
      message: 'Workflow restored to version 1.',
    },
  ])
  expect((await rig.show(id)).body).toMatchObject({ name: 'One', version: 3, ...HELLO })
  const { body } = await rig.ask('GET', `/workflows/${id}/versions`)
  const row = { at: expect.stringMatching(ISO), by: 'asha', file: null, commit: null }
  expect(body).toMatchObject({
    status: 'success',
    data: [
      { ...row, version: 3, origin: 'rollback', name: 'One', current: true },
      { ...row, version: 2, origin: 'edit', name: 'Two', current: false },
      { ...row, version: 1, origin: 'edit', name: 'One', current: false },
    ],
  })
  const [third, , first] = body.data as { content_hash: string }[]
  expect(third?.content_hash).toBe(first?.content_hash)
  expect((await rollback(3)).body.version).toBe(3)
  expect((await rollback(9)).status).toBe(404)
  for (const wrong of ['x', null, 1.5]) expect((await rollback(wrong)).status).toBe(400)
  expect((await rig.ask('POST', `/workflows/${id}/rollback`, { version: 1, extra: 1 })).status).toBe(400)
})

test('a version of another workflow is not one of this', async () => {
  const rig = await FlowRig.open()
  await rig.create(HELLO)
  const id = await rig.create(HELLO)
  await rig.ask('PUT', '/workflows/1', { name: 'Two' })
  expect((await rig.ask('POST', `/workflows/${id}/rollback`, { version: 2 })).status).toBe(404)
})

test('going back to another trigger arms it', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(scheduled(HELLO, { scheduleType: 'daily', time: '10:15' }))
  await rig.ask('PUT', `/workflows/${id}`, HELLO)
  expect(rig.flows.nextRun(id)).toBeUndefined()
  await rig.ask('POST', `/workflows/${id}/rollback`, { version: 1 })
  expect(rig.flows.nextRun(id)).toBe(Date.parse('2026-11-21T10:15:00+05:30'))
})
