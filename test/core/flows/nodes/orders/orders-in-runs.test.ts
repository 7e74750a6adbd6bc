import { describe, expect, test } from 'vitest'
import { runGraph } from '../../../../../src/core/flows/engine/walk.js'
import type { FlowNode } from '../../../../../src/core/flows/graph/graph.js'
import { ORDER_NODES } from '../../../../../src/core/flows/nodes/orders/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { ORDER_CALLS } from '../../../../../src/core/orders/index.js'
import { type PortsOptions, recordingPorts } from '../../support.js'

const LIVE = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'SELL',
  quantity: 7,
  price: 812.5,
  trigger_price: 0,
  pricetype: 'LIMIT',
  product: 'NRML',
}
const ANSWERS: PortsOptions = {
  lots: { 'NFO:NIFTY': 65 },
  reads: { expiry: { data: ['24-NOV-26'] }, orderstatus: { data: LIVE } },
}

/** The fields each node needs to send an order. */
const COMPLETE: Readonly<Record<string, Body>> = {
  placeOrder: { symbol: 'SBIN' },
  smartOrder: { symbol: 'SBIN' },
  splitOrder: { symbol: 'SBIN' },
  optionsOrder: {},
  optionsMultiOrder: { strategy: 'straddle' },
  basketOrder: { orders: 'SBIN,NSE,BUY,1' },
  modifyOrder: { orderId: '42' },
  cancelOrder: { orderId: '42' },
  cancelAllOrders: {},
  closePosition: { symbol: 'SBIN' },
}

/** Runs one order with a log node after it. */
async function run(type: string, data: Body, options: PortsOptions = {}, payload?: Body) {
  const node = (id: string, type: string, data: Body): FlowNode => ({
    id,
    type,
    position: { x: 0, y: 0 },
    data,
  })
  const ports = recordingPorts({ ...ANSWERS, ...options })
  const outcome = await runGraph({
    runId: '1',
    workflowName: 'Test flow',
    userId: 'asha',
    ports,
    graph: {
      nodes: [
        node('hook', 'webhookTrigger', {}),
        node('order', type, { ...COMPLETE[type], outputVariable: 'out', ...data }),
        node('after', 'log', { message: 'traded {{out.orderid}}' }),
      ],
      edges: [
        { id: 'a', source: 'hook', target: 'order' },
        { id: 'b', source: 'order', target: 'after' },
      ],
    },
    ...(payload && { payload }),
  })
  return { ...outcome, ports }
}

const GUARDED = ORDER_NODES.flatMap(({ type, fields }) =>
  Object.entries(fields).flatMap(([name, { guarded, aliases = [] }]) =>
    guarded ? [name, ...aliases].map((field) => ({ type, field })) : [],
  ),
)

describe.each(ORDER_NODES.map(({ type }) => ({ type })))('$type in a run', ({ type }) => {
  test('stores its result and continues', async () => {
    const { status, variables, visited, ports } = await run(type, {})
    expect(status).toBe('completed')
    expect(ports.sent).toHaveLength(1)
    expect(variables.out).toMatchObject({ status: 'success', orderid: 'O1' })
    expect(visited).toEqual(['hook', 'order', 'after'])
  })

  test('stores a refusal, ends its branch and fails the run', async () => {
    const refusal = { status: 'error', message: 'No margin', code: 403 }
    const orders = Object.fromEntries(ORDER_CALLS.map((call) => [call, refusal]))
    const { status, variables, visited, failures } = await run(type, {}, { orders })
    expect(status).toBe('failed')
    expect(failures).toEqual([{ node: 'order', type, message: 'No margin' }])
    expect(variables.out).toMatchObject({ status: 'error', message: 'No margin' })
    expect(visited).toEqual(['hook', 'order'])
  })
})

test.each(GUARDED)(
  'an unresolved reference in $field keeps $type from being sent',
  async ({ type, field }) => {
    for (const payload of [undefined, { x: null }, { y: 1 }]) {
      const { status, ports, variables, failures } = await run(
        type,
        { [field]: '{{webhook.x}}' },
        {},
        payload,
      )
      expect(status).toBe('failed')
      expect(ports.sent).toEqual([])
      expect(failures[0]?.message).toBe(
        `${type} has unresolved variable(s) in ${field}='{{webhook.x}}'. Refusing to send it with substituted values.`,
      )
      expect(variables).not.toHaveProperty('out')
    }
  },
)

test.each<[string, Body]>([
  [
    'basketOrder',
    { orders: [{ symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: '{{webhook.x}}' }] },
  ],
  ['optionsMultiOrder', { legs: [{ offset: 'ATM' }, { offset: '{{webhook.x}}' }] }],
])('does not send %s with an unresolved reference deep inside', async (type, data) => {
  const { ports, failures } = await run(type, data)
  expect(failures[0]?.message).toContain('has unresolved variable(s)')
  expect(ports.sent).toEqual([])
})

test('a label with an unresolved reference does not prevent an order', async () => {
  expect((await run('placeOrder', { strategyTag: '{{webhook.x}}' })).ports.sent).toHaveLength(1)
})
