import { describe, expect, test } from 'vitest'
import type { ApprovalResult } from '../../../../src/core/approvals/index.js'
import { LEG, ORDER, openRig, placed, type Rig } from '../../../core/approvals/rig.js'
import { world } from '../../../core/identity/support.js'
import { mounted } from '../../../support/desk/mounted.js'

type Quotes = () => Promise<{ ltp: number }[]>

/** The routes of a signed-in user, with the daemon's error handling. */
async function openApp(quotes: Quotes = async () => []) {
  const rig = await openRig()
  const { identity } = await world()
  const parts = {
    approvals: rig.approvals,
    clock: rig.clock,
    hub: Object({ last: () => undefined }),
    instruments: Object({ directory: { find: () => ({}) } }),
    market: Object({ quotes }),
  }
  const app = mounted(identity, { username: 'asha', scopes: ['approvals'] }, parts)
  const call = async (method: string, path: string, body?: string) => {
    const headers = { 'content-type': 'application/json', 'content-length': String(body?.length ?? 0) }
    const init = body === undefined ? { method } : { method, body, headers }
    const response = await app.request(`/action-center${path}`, init, {})
    return {
      status: response.status,
      code: response.headers.get('X-Svc-Code'),
      body: (await response.json()) as Record<string, unknown>,
    }
  }
  return { ...rig, app, call }
}

async function queue(rig: Rig, count = 1): Promise<void> {
  for (let i = 0; i < count; i++) await rig.approvals.enqueue('asha', 'placeorder', ORDER)
}

test('data shows pending orders by default and statistics over all', async () => {
  const { call, ...rig } = await openApp()
  await queue(rig, 3)
  await rig.approvals.reject('asha', 2, 'asha')
  const idsAt = async (path: string) => {
    const { status, body } = await call('GET', path)
    expect(status).toBe(200)
    const data = body.data as {
      orders: { id: number }[]
      statistics: object
      total: number
      next_before?: number
    }
    expect(data.statistics).toMatchObject({ total_pending: 2, total_rejected: 1, total_placeorder: 3 })
    return { ids: data.orders.map((order) => order.id), total: data.total, next: data.next_before }
  }
  expect(await idsAt('/api/data')).toEqual({ ids: [3, 1], total: 2 })
  expect(await idsAt('/api/data?status=rejected')).toEqual({ ids: [2], total: 1 })
  expect(await idsAt('/api/data?status=all')).toEqual({ ids: [3, 2, 1], total: 3 })
  expect(await idsAt('/api/data?status=')).toEqual({ ids: [3, 2, 1], total: 3 })
  expect(await idsAt('/api/data?status=odd')).toEqual({ ids: [], total: 0 })
  expect(await idsAt('/api/data?status=all&limit=2')).toEqual({ ids: [3, 2], total: 3, next: 2 })
  expect(await idsAt('/api/data?status=all&limit=2&before=2')).toEqual({ ids: [1], total: 3 })
  expect((await call('GET', '/api/data?limit=0')).status).toBe(400)
  expect((await call('GET', '/api/data?limit=1001')).status).toBe(400)
  expect((await call('GET', '/api/data?before=x')).status).toBe(400)
  expect((await call('GET', '/count')).body).toEqual({ count: 2 })
})

test('a list without prices does not wait for what only the broker knows', async () => {
  const { call, ...rig } = await openApp(() => new Promise<never>(() => undefined))
  await queue(rig)
  const { status, body } = await call('GET', '/api/data?prices=false')
  expect([status, body.data]).toMatchObject([200, { orders: [{ id: 1 }], total: 1 }])
  expect((await call('GET', '/api/data?prices=no')).status).toBe(400)
})

test('a list has the prices by default', async () => {
  const { call, ...rig } = await openApp(async () => [{ ltp: 812.5 }])
  await queue(rig)
  const { body } = await call('GET', '/api/data')
  expect(body.data).toMatchObject({ orders: [{ last_price: 812.5 }] })
})

test('a list that cannot be read fails in the shape of a list', async () => {
  const { call, db } = await openApp()
  await db.write((tx) => tx.exec('alter table pending_orders rename to lost'))
  const { status, body } = await call('GET', '/api/data')
  expect(status).toBe(500)
  expect(body).toMatchObject({
    status: 'error',
    message: expect.stringContaining('Failed to retrieve action center data: '),
    data: { orders: [], statistics: { total_pending: 0, total_buy_orders: 0 } },
  })
})

describe('approve', () => {
  test('executed, failed and unknown each have their answer', async () => {
    const { call, executor, ...rig } = await openApp()
    await queue({ executor, ...rig }, 3)
    expect(await call('POST', '/approve/1')).toEqual({
      status: 200,
      code: null,
      body: {
        status: 'success',
        message: 'Order approved and executed successfully',
        broker_order_id: 'B1',
      },
    })
    executor.answer = () => ({
      outcome: 'failed',
      code: 'broker_rejected',
      brokerStatus: 422,
      message: 'no margin',
    })
    expect(await call('POST', '/approve/2')).toEqual({
      status: 422,
      code: 'broker_rejected',
      body: { status: 'warning', message: 'Order approved but execution failed', error: 'no margin' },
    })
    executor.answer = () => ({ outcome: 'unknown', message: 'timed out' })
    expect(await call('POST', '/approve/3')).toEqual({
      status: 504,
      code: 'outcome_unknown',
      body: {
        status: 'warning',
        message: 'Order approved but its outcome at the broker is not known yet',
        error: 'timed out',
        order_ref: 'R3',
      },
    })
  })

  test('sends only what its body says was shown', async () => {
    const { call, executor, ...rig } = await openApp()
    await queue({ executor, ...rig }, 2)
    const { triggerPrice: _, ...leg } = LEG
    const body = (expected: unknown) => JSON.stringify({ expected })
    expect(await call('POST', '/approve/1', body({ legs: [{ ...leg, quantity: 200 }] }))).toEqual({
      status: 409,
      code: 'not_as_shown',
      body: expect.objectContaining({
        message:
          'Not approved: it would now send BUY 10 NSE:SBIN MIS LIMIT 812.5, and shown was BUY 200 NSE:SBIN MIS LIMIT 812.5. The order stays pending.',
      }),
    })
    for (const wrong of [{ legs: [{ symbol: 'SBIN' }] }, { mode: 'LIVE' }, { leg: [] }, 'live']) {
      expect(await call('POST', '/approve/1', body(wrong))).toMatchObject({ status: 400, code: 'validation' })
    }
    expect(executor.executed).toEqual([])
    const seen = { mode: 'live', broker: 'simulated', legs: [{ ...leg, last_price: 1, checks: [] }] }
    expect(await call('POST', '/approve/1', body(seen))).toMatchObject({ status: 200 })
    expect((await call('POST', '/approve/2', '{}')).status).toBe(200)
  })

  test('executed only in part says which orders failed', async () => {
    const { call, executor, ...rig } = await openApp()
    await queue({ executor, ...rig }, 2)
    const nope = [{ name: 'NOPE', message: 'Symbol not found' }]
    executor.answer = () => ({ outcome: 'placed', orders: [{ orderId: 'B1' }], failed: nope })
    expect(await call('POST', '/approve/1')).toEqual({
      status: 200,
      code: null,
      body: {
        status: 'success',
        message: 'Order approved and executed successfully',
        broker_order_id: 'B1',
        execution_error: '1 of 2 orders failed: NOPE: Symbol not found',
      },
    })
    executor.answer = () => ({ outcome: 'placed', orders: [], failed: nope })
    expect(await call('POST', '/approve/2')).toEqual({
      status: 502,
      code: 'broker_protocol',
      body: {
        status: 'warning',
        message: 'Order approved but execution failed',
        error: 'No child orders were submitted successfully',
        execution_error: 'No child orders were submitted successfully: NOPE: Symbol not found',
      },
    })
  })

  test('a failing answer under a success status of the broker is a failure of ours', async () => {
    const { call, executor, ...rig } = await openApp()
    await queue({ executor, ...rig })
    executor.answer = () => ({ outcome: 'failed', code: 'broker_rejected', brokerStatus: 200, message: 'no' })
    expect((await call('POST', '/approve/1')).status).toBe(500)
  })

  test.each(['0', '-1', '1.5', 'abc', '1e3', '99', '9999999999999999999', '%00'])(
    'the id %s is the id of no order',
    async (id) => {
      const { call } = await openApp()
      const missing = {
        status: 404,
        code: 'not_found',
        body: { status: 'error', message: 'Pending order not found' },
      }
      expect(await call('POST', `/approve/${id}`)).toEqual(missing)
      expect(await call('POST', `/reject/${id}`, '{}')).toEqual(missing)
      expect(await call('DELETE', `/delete/${id}`)).toEqual(missing)
    },
  )

  test("another user's order is not there", async () => {
    const { app, approvals } = await openApp()
    await approvals.enqueue('asha', 'placeorder', ORDER)
    const headers = { 'X-User': 'ravi' }
    expect((await app.request('/action-center/approve/1', { method: 'POST', headers }, {})).status).toBe(404)
    expect(approvals.count('asha')).toBe(1)
  })
})

describe('reject and delete', () => {
  test('a reason is kept, none is a default, and both are done once', async () => {
    const { call, approvals, ...rig } = await openApp()
    await queue({ approvals, ...rig }, 4)
    expect(await call('DELETE', '/delete/1')).toMatchObject({
      status: 400,
      body: { message: 'Failed to delete order' },
    })
    const rejected = {
      status: 200,
      code: null,
      body: { status: 'success', message: 'Order rejected successfully' },
    }
    expect(await call('POST', '/reject/1', '{"reason":"too late"}')).toEqual(rejected)
    expect(await call('POST', '/reject/2', '{}')).toEqual(rejected)
    expect(await call('POST', '/reject/3', '{"reason":null}')).toEqual(rejected)
    expect(await call('POST', '/reject/4')).toEqual(rejected)
    const { orders } = await approvals.list('asha', { status: 'rejected' })
    const none = 'No reason provided'
    expect(orders.map((order) => order.rejected_reason)).toEqual([none, none, none, 'too late'])
    expect(await call('POST', '/reject/1', '{}')).toEqual({
      status: 400,
      code: 'not_pending',
      body: { status: 'error', message: 'Failed to reject order' },
    })
    expect(await call('POST', '/approve/1')).toMatchObject({
      status: 400,
      code: 'not_pending',
      body: { message: 'Failed to approve order' },
    })
    expect(await call('DELETE', '/delete/1')).toEqual({
      status: 200,
      code: null,
      body: { status: 'success', message: 'Order deleted successfully' },
    })
    expect((await call('DELETE', '/delete/1')).status).toBe(404)
  })

  test.each([
    ['{reason', 'Invalid JSON'],
    ['[]', '_schema: Invalid input type.'],
    ['null', '_schema: Invalid input type.'],
    ['{"reason":7}', 'reason: Not a valid string.'],
    ['{"reson":"x"}', 'reson: Unknown field. Did you mean "reason"?'],
    [`{"reason":"${'x'.repeat(2001)}"}`, 'reason: Longer than maximum length 2000.'],
  ])('the body %.20s is refused and the order stays', async (body, message) => {
    const { call, approvals, ...rig } = await openApp()
    await queue({ approvals, ...rig })
    expect(await call('POST', '/reject/1', body)).toMatchObject({
      status: 400,
      code: 'validation',
      body: { message },
    })
    expect(approvals.count('asha')).toBe(1)
  })
})

describe('approve-all', () => {
  const failing = (ids: number[]) => (order: { id: number }) =>
    ids.includes(order.id)
      ? ({ outcome: 'failed', code: 'broker_rejected', brokerStatus: 400, message: 'no margin' } as const)
      : placed(`B${order.id}`)
  const bad = (order_id: number) => ({ order_id, error: 'no margin' })

  test.each([
    ['success', [], 'Successfully approved and executed all 2 orders', 2],
    ['warning', [1], 'Approved 2 orders. 1 executed successfully, 1 failed', 1],
    ['error', [1, 2], 'Approved 2 orders but all executions failed', 0],
  ])('%s', async (status, fails, message, executed) => {
    const { call, executor, ...rig } = await openApp()
    await queue({ executor, ...rig }, 2)
    executor.answer = failing(fails)
    expect(await call('POST', '/approve-all')).toEqual({
      status: 200,
      code: null,
      body: {
        status,
        message,
        approved_count: 2,
        executed_count: executed,
        failed_executions: fails.map(bad),
      },
    })
    expect((await call('POST', '/approve-all')).body).toEqual({
      status: 'info',
      message: 'No pending orders to approve',
    })
  })

  const PLACED = placed('B')
  const DOUBT = { outcome: 'unknown', message: 'timed out' } as const
  const FAILED = {
    outcome: 'failed',
    code: 'broker_rejected',
    brokerStatus: 400,
    message: 'no margin',
  } as const
  const PARTLY = { ...PLACED, failed: [{ name: 'NOPE', message: 'not found' }] } as const
  const inDoubt = (order_id: number) => ({ order_id, error: 'timed out', order_ref: `R${order_id}` })
  const partly = (order_id: number) => ({ order_id, error: '1 of 2 orders failed: NOPE: not found' })
  const WARNING = 'An order in doubt may be at the broker: do not send it again'

  test.each<[string, ApprovalResult[], string, object]>([
    [
      'all in doubt is not called a failure',
      [DOUBT, DOUBT],
      `Approved 2 orders. 0 executed successfully, 0 failed, 2 in doubt. ${WARNING}`,
      { executed_count: 0, failed_executions: [], in_doubt: [inDoubt(1), inDoubt(2)] },
    ],
    [
      'one of each',
      [PLACED, DOUBT, FAILED, PARTLY],
      `Approved 4 orders. 2 executed successfully, 1 failed, 1 in doubt; 1 partly executed. ${WARNING}`,
      {
        executed_count: 2,
        failed_executions: [bad(3)],
        in_doubt: [inDoubt(2)],
        partly_executed: [partly(4)],
      },
    ],
    [
      'in part only',
      [PLACED, PARTLY],
      'Approved 2 orders. 2 executed successfully, 0 failed; 1 partly executed',
      { executed_count: 2, failed_executions: [], partly_executed: [partly(2)] },
    ],
  ])('%s', async (_name, results, message, members) => {
    const { call, executor, ...rig } = await openApp()
    await queue({ executor, ...rig }, results.length)
    executor.answer = (order) => results[order.id - 1] ?? PLACED
    expect(await call('POST', '/approve-all')).toEqual({
      status: 200,
      code: results.includes(DOUBT) ? 'outcome_unknown' : null,
      body: { status: 'warning', message, approved_count: results.length, ...members },
    })
  })

  test('an order that a current check refuses is reported and stays pending', async () => {
    const { call, executor, approvals, ...rig } = await openApp()
    await queue({ executor, approvals, ...rig }, 2)
    executor.refuse = (order) =>
      order.id === 1 ? { code: 'risk_refused', message: 'Too large.' } : undefined
    expect((await call('POST', '/approve-all')).body).toEqual({
      status: 'warning',
      message: 'Approved 1 orders. 1 executed successfully, 0 failed; 1 refused and still pending',
      approved_count: 1,
      executed_count: 1,
      failed_executions: [{ order_id: 1, error: 'Too large.' }],
      refused: [{ order_id: 1, error: 'Too large.' }],
    })
    expect((await call('POST', '/approve-all')).body).toMatchObject({
      status: 'error',
      message: 'No order was approved; 1 refused and still pending',
      approved_count: 0,
    })
    expect(approvals.count('asha')).toBe(1)
  })
})
