import { describe, expect, test } from 'vitest'
import type { ApprovalResult } from '../../../src/core/approvals/index.js'
import { ServiceError } from '../../../src/core/errors/index.js'
import { ORDER, openRig, placed } from './rig.js'

const statused = (
  ...statuses: ('open' | 'complete' | 'cancelled' | 'rejected' | undefined)[]
): ApprovalResult => ({
  outcome: 'placed',
  orders: statuses.map((orderStatus, i) => ({ orderId: `B${i + 1}`, ...(orderStatus && { orderStatus }) })),
})
const longIds = Array.from({ length: 20 }, (_, i) => `26031000000${String(i).padStart(4, '0')}`)
const failed = (brokerStatus: number, message: string): ApprovalResult => ({
  outcome: 'failed',
  code: 'broker_rejected',
  brokerStatus,
  message,
})

describe('what an execution leaves on its row', () => {
  const cases: [
    name: string,
    operation: string,
    answer: () => ApprovalResult,
    row: object,
    outcome: object,
  ][] = [
    [
      'one order, status unknown',
      'placeorder',
      () => placed('B1'),
      { broker_order_id: 'B1', broker_status: 'open', execution: 'done' },
      { outcome: 'executed', brokerOrderId: 'B1' },
    ],
    [
      'filled',
      'placeorder',
      () => statused('complete'),
      { broker_status: 'complete' },
      { outcome: 'executed' },
    ],
    [
      'cancelled',
      'placeorder',
      () => statused('cancelled'),
      { broker_status: 'rejected' },
      { outcome: 'executed' },
    ],
    [
      'rejected',
      'placeorder',
      () => statused('rejected'),
      { broker_status: 'rejected' },
      { outcome: 'executed' },
    ],
    [
      'children, all filled',
      'splitorder',
      () => statused('complete', 'complete'),
      { broker_order_id: 'B1,B2', broker_status: 'complete' },
      { outcome: 'executed', brokerOrderId: 'B1,B2' },
    ],
    ['children, mixed', 'basketorder', () => statused('complete', 'rejected'), { broker_status: 'open' }, {}],
    [
      'children, some filled and some failed',
      'basketorder',
      () => ({
        ...statused('complete', 'complete'),
        failed: [
          { name: 'NOPE', message: 'Symbol not found' },
          { name: 'leg 4', message: 'no strike' },
        ],
      }),
      {
        broker_order_id: 'B1,B2',
        broker_status: 'complete',
        execution: 'partial',
        execution_error: '2 of 4 orders failed: NOPE: Symbol not found; leg 4: no strike',
      },
      {
        outcome: 'executed',
        executionError: '2 of 4 orders failed: NOPE: Symbol not found; leg 4: no strike',
      },
    ],
    [
      'children, many failed for one reason',
      'basketorder',
      () => ({
        ...statused('complete'),
        failed: [
          ...['A', 'B', 'A'].map((name) => ({ name, message: 'Not sent' })),
          { name: 'C', message: 'no margin' },
        ],
      }),
      { execution_error: '4 of 5 orders failed: A (2 orders), B: Not sent; C: no margin' },
      { outcome: 'executed' },
    ],
    [
      'children, all failed',
      'basketorder',
      () => ({ outcome: 'placed', orders: [], failed: [{ name: 'NOPE', message: 'Symbol not found' }] }),
      {
        broker_order_id: null,
        broker_status: 'rejected',
        execution: 'failed',
        execution_error: 'No child orders were submitted successfully: NOPE: Symbol not found',
      },
      {
        outcome: 'failed',
        code: 'broker_protocol',
        error: 'No child orders were submitted successfully',
        executionError: 'No child orders were submitted successfully: NOPE: Symbol not found',
      },
    ],
    [
      'more ids than fit',
      'basketorder',
      () => placed(...longIds),
      { broker_order_id: `${longIds[0]} (+19 more)` },
      { brokerOrderId: `${longIds[0]} (+19 more)` },
    ],
    [
      'as many ids as fit',
      'basketorder',
      () => placed(...longIds.slice(0, 15), 'x'.repeat(15)),
      { broker_order_id: `${longIds.slice(0, 15).join(',')},${'x'.repeat(15)}` },
      {},
    ],
    [
      'no child',
      'basketorder',
      () => placed(),
      { broker_order_id: null, broker_status: 'rejected', execution: 'failed' },
      { outcome: 'failed', code: 'broker_protocol', error: 'No child orders were submitted successfully' },
    ],
    [
      'GTT',
      'placegttorder',
      () => placed('T9'),
      { broker_order_id: 'T9', broker_status: 'open' },
      { outcome: 'executed' },
    ],
    [
      'GTT without trigger id',
      'placegttorder',
      () => placed(),
      { broker_order_id: null, broker_status: 'rejected' },
      { outcome: 'failed', code: 'broker_protocol', error: 'GTT placement succeeded without a trigger ID' },
    ],
    [
      'nothing to do',
      'smartorder',
      () => ({ outcome: 'nothing_to_do' }),
      { broker_order_id: null, broker_status: null, execution: 'done' },
      { outcome: 'executed', brokerOrderId: null },
    ],
    [
      'refused by the broker',
      'placeorder',
      () => failed(422, 'Insufficient funds'),
      { broker_status: 'rejected', execution: 'failed', execution_error: 'Insufficient funds' },
      { outcome: 'failed', brokerStatus: 422, error: 'Insufficient funds' },
    ],
    [
      'refused with an error',
      'placeorder',
      () => {
        throw new ServiceError('forbidden', 'Authentication failed')
      },
      { broker_status: 'rejected', execution: 'failed' },
      { outcome: 'failed', code: 'forbidden', error: 'Authentication failed' },
    ],
    [
      'no answer',
      'placeorder',
      () => ({ outcome: 'unknown', message: 'timed out' }),
      { broker_order_id: null, broker_status: null, execution: 'in_doubt', execution_error: 'timed out' },
      { outcome: 'unknown', error: 'timed out', executionRef: 'R1' },
    ],
    [
      'a fault in the middle',
      'placeorder',
      () => {
        throw new TypeError('x is not a function')
      },
      { broker_status: null, execution: 'in_doubt' },
      { outcome: 'unknown', error: 'Order execution failed: An unexpected error occurred' },
    ],
  ]
  test.each(cases)('%s', async (_name, operation, answer, row, outcome) => {
    const { approvals, executor, events } = await openRig()
    executor.answer = answer
    const id = await approvals.enqueue('asha', operation, ORDER)
    expect(await approvals.approve('asha', id, 'ravi')).toMatchObject(outcome)
    expect(await approvals.view('asha', id)).toMatchObject({
      status: 'approved',
      approved_by: 'ravi',
      approved_at_ist: '2026-03-10 09:30:00 IST',
      order_ref: `R${id}`,
      ...row,
    })
    expect(events.slice(1)).toEqual([
      { topic: 'pending_order_updated', payload: { action: 'approved', order_id: id, user_id: 'asha' } },
    ])
  })
})

describe('what cannot be approved', () => {
  test('a missing row, a row of somebody else, a decided row', async () => {
    const { approvals, executor } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    const missing = { code: 'not_found', message: 'Pending order not found' }
    for (const [user, order] of [
      ['asha', 99],
      ['ravi', id],
    ] as const) {
      await expect(approvals.approve(user, order, user)).rejects.toMatchObject(missing)
      await expect(approvals.reject(user, order, user)).rejects.toMatchObject(missing)
      await expect(approvals.remove(user, order)).rejects.toMatchObject(missing)
      await expect(approvals.view(user, order)).rejects.toMatchObject(missing)
    }
    const refusedDelete = { code: 'refused', message: 'Failed to delete order' }
    await expect(approvals.remove('asha', id)).rejects.toMatchObject(refusedDelete)
    await approvals.reject('asha', id, 'asha', ' too late ')
    expect(await approvals.view('asha', id)).toMatchObject({
      status: 'rejected',
      rejected_by: 'asha',
      rejected_at_ist: '2026-03-10 09:30:00 IST',
      rejected_reason: 'too late',
    })
    await expect(approvals.approve('asha', id, 'asha')).rejects.toMatchObject({
      code: 'not_pending',
      message: 'Failed to approve order',
    })
    await expect(approvals.reject('asha', id, 'asha')).rejects.toMatchObject({
      code: 'not_pending',
      message: 'Failed to reject order',
    })
    expect(executor.executed).toEqual([])
  })

  test('a kind of order without an executor stays pending; an unknown kind fails as specified', async () => {
    const { approvals, executor } = await openRig()
    const waiting = await approvals.enqueue('asha', 'optionsorder', ORDER)
    await expect(approvals.approve('asha', waiting, 'asha')).rejects.toMatchObject({
      code: 'refused',
      message: 'Orders of type optionsorder cannot be executed yet. The order stays pending.',
    })
    expect(await approvals.view('asha', waiting)).toMatchObject({ status: 'pending', execution: null })
    const unknown = await approvals.enqueue('asha', 'bracketorder', ORDER)
    expect(await approvals.approve('asha', unknown, 'asha')).toMatchObject({
      outcome: 'failed',
      code: 'refused',
      error: 'Unknown order type: bracketorder',
    })
    expect(await approvals.view('asha', unknown)).toMatchObject({
      status: 'approved',
      broker_status: 'rejected',
      execution: 'failed',
    })
    expect(executor.executed).toEqual([])
  })

  test('an order whose user has no API key any more is rejected and never executed', async () => {
    let hasKey = true
    const { approvals, executor } = await openRig({ hasApiKey: () => hasKey })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    hasKey = false
    expect(await approvals.approve('asha', id, 'asha')).toMatchObject({
      outcome: 'failed',
      code: 'forbidden',
      error: 'Authentication failed',
    })
    expect(await approvals.view('asha', id)).toMatchObject({
      status: 'approved',
      broker_status: 'rejected',
      execution: 'failed',
      execution_error: expect.stringContaining('has no API key'),
    })
    expect(executor.executed).toEqual([])
  })

  test('what the risk gate refuses now stays pending, without an event', async () => {
    const { approvals, executor, events } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    executor.refuse = () => ({ code: 'kill_switch', message: 'The kill switch is on.' })
    await expect(approvals.approve('asha', id, 'asha')).rejects.toMatchObject({
      code: 'kill_switch',
      message: 'The kill switch is on.',
    })
    expect(await approvals.view('asha', id)).toMatchObject({ status: 'pending' })
    expect(executor.executed).toEqual([])
    expect(events).toHaveLength(1)
  })

  test('a journal that cannot be written undoes the claim', async () => {
    const { approvals, executor, db } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    const { journal } = executor
    executor.journal = async (tx, order) => {
      await journal(tx, order)
      throw new Error('no broker')
    }
    await expect(approvals.approve('asha', id, 'asha')).rejects.toThrow('no broker')
    expect(await approvals.view('asha', id)).toMatchObject({ status: 'pending', approved_by: null })
    expect(await db.queryRaw('select * from journal')).toEqual([])
    expect(approvals.count('asha')).toBe(1)
    expect(executor.executed).toEqual([])
    executor.journal = journal
    expect(await approvals.approve('asha', id, 'asha')).toMatchObject({ outcome: 'executed' })
  })
})

describe('deleting', () => {
  test('a settled row goes, with its event', async () => {
    const { approvals, events } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    await approvals.approve('asha', id, 'asha')
    await approvals.remove('asha', id)
    expect(events.at(-1)).toEqual({
      topic: 'pending_order_updated',
      payload: { action: 'deleted', order_id: id, user_id: 'asha' },
    })
    await expect(approvals.remove('asha', id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a row in doubt stays until it is settled', async () => {
    const { approvals, executor } = await openRig()
    executor.answer = () => ({ outcome: 'unknown', message: 'timed out' })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    await approvals.approve('asha', id, 'asha')
    await expect(approvals.remove('asha', id)).rejects.toMatchObject({ code: 'refused' })
    await approvals.settle(id, failed(400, 'never arrived'))
    await approvals.remove('asha', id)
  })
})

describe('settling', () => {
  test('happens once, and not with an outcome that is still unknown', async () => {
    const { approvals, executor } = await openRig()
    executor.answer = () => ({ outcome: 'unknown', message: 'timed out' })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    await approvals.approve('asha', id, 'asha')
    expect(await approvals.settle(id, { outcome: 'unknown', message: 'still' })).toBe(false)
    expect(await approvals.settle(id, statused('complete'))).toBe(true)
    expect(await approvals.settle(id, failed(400, 'late'))).toBe(false)
    expect(await approvals.settle(99, placed('B9'))).toBe(false)
    expect(await approvals.view('asha', id)).toMatchObject({
      broker_order_id: 'B1',
      broker_status: 'complete',
      execution: 'done',
      execution_error: null,
    })
  })
})

describe('approving all', () => {
  test('runs oldest first and answers with what became of each, in one event', async () => {
    const { approvals, executor, events } = await openRig()
    for (let i = 0; i < 4; i++) await approvals.enqueue('asha', 'placeorder', ORDER)
    await approvals.enqueue('ravi', 'placeorder', ORDER)
    await approvals.enqueue('asha', 'optionsorder', ORDER)
    executor.answer = (order) => (order.id === 2 ? failed(400, 'no margin') : placed(`B${order.id}`))
    executor.refuse = (order) =>
      order.id === 3 ? { code: 'risk_refused', message: 'Too large.' } : undefined
    events.length = 0
    expect(await approvals.approveAll('asha', 'asha')).toEqual({
      approvedCount: 3,
      executedCount: 2,
      failed: [{ orderId: 2, error: 'no margin' }],
      inDoubt: [],
      partly: [],
      refused: [
        { orderId: 3, error: 'Too large.' },
        { orderId: 6, error: expect.stringContaining('optionsorder') },
      ],
    })
    expect(executor.executed).toEqual([1, 2, 4])
    expect(events).toEqual([
      { topic: 'pending_order_updated', payload: { action: 'batch_approved', user_id: 'asha', count: 3 } },
    ])
    expect(approvals.count('asha')).toBe(2)
    expect(approvals.count('ravi')).toBe(1)
  })

  test('counts what is in doubt and what was placed in part by themselves', async () => {
    const { approvals, executor } = await openRig()
    for (let i = 0; i < 3; i++) await approvals.enqueue('asha', 'basketorder', ORDER)
    const answers: Record<number, ApprovalResult> = {
      1: { outcome: 'unknown', message: 'timed out' },
      2: { outcome: 'placed', orders: [{ orderId: 'B2' }], failed: [{ name: 'NOPE', message: 'not found' }] },
      3: failed(400, 'no margin'),
    }
    executor.answer = (order) => answers[order.id] ?? placed('B')
    expect(await approvals.approveAll('asha', 'asha')).toEqual({
      approvedCount: 3,
      executedCount: 1,
      failed: [{ orderId: 3, error: 'no margin' }],
      inDoubt: [{ orderId: 1, error: 'timed out', executionRef: 'R1' }],
      partly: [{ orderId: 2, error: '1 of 2 orders failed: NOPE: not found' }],
      refused: [],
    })
  })

  test('with nothing pending nothing happens', async () => {
    const { approvals, events } = await openRig()
    expect(await approvals.approveAll('asha', 'asha')).toEqual({
      approvedCount: 0,
      executedCount: 0,
      failed: [],
      inDoubt: [],
      partly: [],
      refused: [],
    })
    expect(events).toEqual([])
  })

  test('skips what somebody else decided in the meantime', async () => {
    const { approvals, executor } = await openRig()
    for (let i = 0; i < 3; i++) await approvals.enqueue('asha', 'placeorder', ORDER)
    executor.answer = async (order) => {
      if (order.id === 1) {
        await approvals.reject('asha', 2, 'ravi')
        await approvals.approve('asha', 3, 'ravi')
      }
      return placed(`B${order.id}`)
    }
    expect(await approvals.approveAll('asha', 'asha')).toMatchObject({
      approvedCount: 1,
      executedCount: 1,
      failed: [],
      refused: [],
    })
    expect(executor.executed).toEqual([1, 3])
  })
})

describe('once the service stops', () => {
  test('the row under way is finished and the others stay pending, told so', async () => {
    const { approvals, executor, stopping } = await openRig()
    const ids = await Promise.all([1, 2, 3].map(() => approvals.enqueue('asha', 'placeorder', ORDER)))
    executor.answer = ({ id }) => {
      stopping.abort()
      return placed(`B${id}`)
    }
    const all = await approvals.approveAll('asha', 'asha')
    expect(all).toMatchObject({ approvedCount: 1, executedCount: 1, failed: [] })
    const error = 'The service is stopping. The order stays pending.'
    expect(all.refused).toEqual(ids.slice(1).map((orderId) => ({ orderId, error })))
    expect(executor.executed).toEqual(ids.slice(0, 1))
    expect(approvals.count('asha')).toBe(2)
  })

  test('nothing is claimed, also when it began before and its checks took longer', async () => {
    const { approvals, executor, stopping } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    executor.refuse = () => {
      stopping.abort()
      return undefined
    }
    for (const _ of ['during the checks', 'before']) {
      await expect(approvals.approve('asha', id, 'asha')).rejects.toMatchObject({ code: 'unavailable' })
    }
    expect(executor.executed).toEqual([])
    expect(await approvals.view('asha', id)).toMatchObject({ status: 'pending' })
  })
})

describe('without a broker session', () => {
  const enqueueThree = ({ approvals }: Awaited<ReturnType<typeof openRig>>) =>
    Promise.all([1, 2, 3].map(() => approvals.enqueue('asha', 'placeorder', ORDER)))

  test('the first row that fails for it is the last: the others stay pending, told why', async () => {
    const rig = await openRig()
    const { approvals, executor } = rig
    const [first, second, third] = await enqueueThree(rig)
    executor.answer = () => failed(403, 'Authentication failed')
    executor.missing = 'There is no broker session'
    const all = await approvals.approveAll('asha', 'asha')
    expect(all.failed).toEqual([{ orderId: first, error: 'Authentication failed' }])
    expect(all.refused).toEqual([second, third].map((orderId) => ({ orderId, error: executor.missing })))
    expect(approvals.count('asha')).toBe(2)
  })

  test('what fails for another reason does not keep the others from being approved', async () => {
    const rig = await openRig()
    await enqueueThree(rig)
    rig.executor.answer = () => failed(403, 'The segment is not enabled')
    expect(await rig.approvals.approveAll('asha', 'asha')).toMatchObject({ approvedCount: 3, refused: [] })
  })
})
