import { describe, expect, test } from 'vitest'
import { LedgerExecutor, ORDER, openRig, placed } from './rig.js'

/** A queue whose process died between the claim and the broker's answer. */
async function crashed() {
  const rig = await openRig()
  let reached = (): void => undefined
  const sending = new Promise<void>((resolve) => {
    reached = resolve
  })
  let answer = (): void => undefined
  rig.executor.answer = () => {
    reached()
    return new Promise((resolve) => {
      answer = () => resolve({ outcome: 'unknown', message: 'the process is gone' })
    })
  }
  const id = await rig.approvals.enqueue('asha', 'placeorder', ORDER)
  const lost = rig.approvals.approve('asha', id, 'asha')
  await sending
  const end = () => {
    answer()
    return lost
  }
  return { file: rig.file, id, end }
}

describe('a crash between approval and answer', () => {
  test('leaves the row approved and in doubt, and never executes it again', async () => {
    const { file, id, end } = await crashed()
    const { approvals, executor, inDoubt } = await openRig({ file })
    expect(inDoubt).toBe(1)
    expect(executor.resumed).toEqual([`R${id}`])
    expect(executor.executed).toEqual([])
    expect(await approvals.view('asha', id)).toMatchObject({
      status: 'approved',
      broker_status: null,
      execution: 'in_doubt',
    })
    await expect(approvals.approve('asha', id, 'asha')).rejects.toMatchObject({ code: 'not_pending' })
    expect(await approvals.settle(id, placed('B77'))).toBe(true)
    expect(await approvals.view('asha', id)).toMatchObject({ broker_order_id: 'B77', execution: 'done' })
    await end()
  })

  test('is settled at the next start when the executor can tell, and then no more', async () => {
    const { file, id, end } = await crashed()
    const executor = new LedgerExecutor()
    executor.found = placed('B5')
    const { approvals, inDoubt, events } = await openRig({ file, executor })
    expect(inDoubt).toBe(0)
    expect(await approvals.view('asha', id)).toMatchObject({ broker_order_id: 'B5', execution: 'done' })
    expect(events).toEqual([
      { topic: 'pending_order_updated', payload: { action: 'approved', order_id: id, user_id: 'asha' } },
    ])
    const third = await openRig({ file })
    expect(third.executor.resumed).toEqual([])
    await end()
  })

  test('stays in doubt, start after start, when the executor fails to tell', async () => {
    const { file, end } = await crashed()
    const executor = new LedgerExecutor()
    executor.resume = async () => {
      throw new Error('the broker is away')
    }
    expect((await openRig({ file, executor })).inDoubt).toBe(1)
    expect((await openRig({ file })).inDoubt).toBe(1)
    await end()
  })
})

test('closing waits for the executions that have begun', async () => {
  const { approvals, executor } = await openRig()
  let finish = (): void => undefined
  let begun = (): void => undefined
  const sending = new Promise<void>((resolve) => {
    begun = resolve
  })
  executor.answer = (order) => {
    begun()
    return new Promise((resolve) => {
      finish = () => resolve(placed(`B${order.id}`))
    })
  }
  const id = await approvals.enqueue('asha', 'placeorder', ORDER)
  const approving = approvals.approve('asha', id, 'asha')
  await sending
  let closed = false
  const closing = approvals.close().then(() => {
    closed = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toBe(false)
  finish()
  await closing
  expect(await approving).toMatchObject({ outcome: 'executed' })
  expect(await approvals.view('asha', id)).toMatchObject({ execution: 'done' })
})
