import { describe, expect, test } from 'vitest'
import { ALWAYS } from '../../../../src/core/flows/graph/always.js'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import { FlowRig, graphOf, HELLO, no, order, scheduled } from './flow-rig.js'

/** A condition that is never met, and an order that follows it by an edge with the given handle. */
const guarded = (handle = '', data?: object): FlowGraph => {
  const { nodes, edges } = graphOf(
    { c: no, buy: order },
    't -> c',
    `c ${handle}${handle === '' ? '-' : ''}> buy`,
  )
  return { nodes, edges: edges.map((edge) => (edge.target === 'buy' && data ? { ...edge, data } : edge)) }
}

const UNCLEAR = {
  path: '/edges/1',
  code: 'unclear_order',
  message:
    "Node 'c': an edge without a branch leads to the order 'buy'. A run follows it also on no. " +
    'Use yes or no, or always if this is meant',
  expected: ['yes', 'no', 'always'],
}
const DAILY = { scheduleType: 'daily', time: '10:15' }

describe('an order that a condition reaches only by an unnamed edge', () => {
  test('is a warning in the answers of create, change, import and replace', async () => {
    const rig = await FlowRig.open()
    const document = { name: 'Unclear', ...guarded() }
    for (const [method, path, status] of [
      ['POST', '/workflows', 201],
      ['PUT', '/workflows/1', 200],
      ['POST', '/workflows/import', 201],
      ['POST', '/workflows/1/replace', 200],
    ] as const) {
      const reply = await rig.ask(method, path, document)
      expect([path, reply.status, reply.body.warnings]).toEqual([path, status, [UNCLEAR]])
    }
  })

  test('is an error of plan and apply, which change nothing', async () => {
    const rig = await FlowRig.open()
    const workflows = [{ key: 'one', name: 'one', description: null, ...guarded() }]
    for (const path of ['/plan', '/apply']) {
      const { status, body } = await rig.ask('POST', path, { workflows })
      expect([status, body.errors]).toEqual([400, [{ key: 'one', ...UNCLEAR }]])
    }
    expect(await rig.list('/workflows')).toEqual([])
  })

  test('is refused by activate', async () => {
    const rig = await FlowRig.open()
    const id = await rig.create(guarded())
    const { status, body } = await rig.ask('POST', `/workflows/${id}/activate`)
    expect([status, body.errors]).toEqual([400, [UNCLEAR]])
    expect((await rig.show(id)).body.is_active).toBe(false)
  })

  test.each([
    ['its branch is named', guarded('yes'), 0],
    ['it is meant', guarded('', ALWAYS), 1],
  ])('is accepted if %s', async (_what, graph, orders) => {
    const rig = await FlowRig.open({ analyze: true })
    const created = await rig.ask('POST', '/workflows', { name: 'Clear', ...graph })
    expect(created.body).not.toHaveProperty('warnings')
    const id = Number(created.body.id)
    expect((await rig.ask('POST', `/workflows/${id}/activate`)).status).toBe(200)
    const run = await rig.execute(id)
    expect(rig.lines(run.body).filter((line) => line.startsWith('Placing order'))).toHaveLength(orders)
    const exported = await rig.ask('GET', `/workflows/${id}/export`)
    expect(exported.body.edges).toEqual(graph.edges)
  })
})

test('an active workflow cannot be changed to what an activation would refuse, and runs on', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(scheduled(HELLO, DAILY))
  const { nodes, edges } = scheduled(guarded(), DAILY)
  for (const [method, path] of [
    ['PUT', `/workflows/${id}`],
    ['POST', `/workflows/${id}/replace`],
  ] as const) {
    const reply = await rig.ask(method, path, { name: 'Other', nodes, edges })
    expect([reply.status, reply.body.errors]).toEqual([400, [UNCLEAR]])
  }
  expect((await rig.show(id)).body).toMatchObject({ is_active: true, version: 1, name: 'Test flow' })
})

test('a value that its field cannot have is a warning when it is stored, and an error of apply and activate', async () => {
  const rig = await FlowRig.open()
  const exit = ['timeCondition', { targetTime: '25:10', operator: '>=' }] as const
  const graph = graphOf({ exit }, 't -> exit')
  const problem = {
    path: '/nodes/1/data/targetTime',
    code: 'invalid_field',
    message: "Node 'exit': targetTime '25:10' is not a time of day, HH:MM or HH:MM:SS.",
    received: '25:10',
  }
  const imported = await rig.ask('POST', '/workflows/import', { name: 'Exit', ...graph })
  expect([imported.status, imported.body.warnings]).toEqual([201, [problem]])
  const activated = await rig.ask('POST', '/workflows/1/activate')
  expect([activated.status, activated.body.errors]).toEqual([400, [problem]])
  const workflows = [{ key: 'exit', name: 'exit', description: null, ...graph }]
  const applied = await rig.ask('POST', '/apply', { workflows })
  expect([applied.status, applied.body.errors]).toEqual([400, [{ key: 'exit', ...problem }]])
})
