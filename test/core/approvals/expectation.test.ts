import { describe, expect, test } from 'vitest'
import type { Expectation } from '../../../src/core/approvals/index.js'
import { LEG, ORDER, openRig } from './rig.js'

/* An approval says what its approver saw. The row is claimed only while it would do exactly that. */

const OTHER = { ...LEG, quantity: 200 }
const noVeto = () => undefined

async function waiting(count = 1) {
  const rig = await openRig()
  for (let made = 0; made < count; made += 1) await rig.approvals.enqueue('asha', 'placeorder', ORDER)
  const approve = (expected: Expectation, id = 1) =>
    rig.approvals.approve('asha', id, 'asha', noVeto, expected)
  const statuses = async () =>
    (await rig.approvals.list('asha', { status: 'all' })).orders.map(({ status }) => status).toReversed()
  return { ...rig, approve, statuses }
}

describe('one approval', () => {
  const refusals: [name: string, expected: Expectation, text: string][] = [
    [
      'another size',
      { legs: [OTHER] },
      'it would now send BUY 10 NSE:SBIN MIS LIMIT 812.5, and shown was BUY 200 NSE:SBIN MIS LIMIT 812.5',
    ],
    ['the other side', { legs: [{ ...LEG, action: 'SELL' }] }, 'shown was SELL 10 NSE:SBIN MIS LIMIT 812.5'],
    ['another price', { legs: [{ ...LEG, price: 812.55 }] }, 'shown was BUY 10 NSE:SBIN MIS LIMIT 812.55'],
    [
      'another trigger',
      { legs: [{ ...LEG, triggerPrice: 800 }] },
      'shown was BUY 10 NSE:SBIN MIS LIMIT 812.5 trigger 800',
    ],
    ['another product', { legs: [{ ...LEG, product: 'CNC' }] }, 'shown was BUY 10 NSE:SBIN CNC LIMIT 812.5'],
    ['another instruction', { legs: [{ ...LEG, instructions: 'IOC' }] }, 'LIMIT 812.5 IOC'],
    ['an order more', { legs: [LEG, LEG] }, 'MIS LIMIT 812.5, BUY 10 NSE:SBIN'],
    ['nothing to send', { legs: [] }, 'and shown was nothing'],
    [
      'another mode',
      { mode: 'analyze', legs: [LEG] },
      'it would now be sent LIVE to simulated, and was to be simulated in Analyzer mode',
    ],
    [
      'another broker',
      { mode: 'live', broker: 'zerodha' },
      'it would now be sent LIVE to simulated, and was to be sent LIVE to zerodha',
    ],
  ]

  test.each(refusals)('%s: it is refused, and waits', async (_name, expected, text) => {
    const { approve, db, executor, statuses } = await waiting()
    await expect(approve(expected)).rejects.toMatchObject({
      code: 'not_as_shown',
      message: expect.stringMatching(/^Not approved: .*\. The order stays pending\.$/),
    })
    await expect(approve(expected)).rejects.toThrow(text)
    expect([executor.executed, await statuses()]).toEqual([[], ['pending']])
    expect(await db.queryRaw('select * from journal')).toEqual([])
    await approve({ mode: 'live', broker: 'simulated', legs: [LEG] })
    expect([executor.executed, await statuses()]).toEqual([[1], ['approved']])
  })

  test('a simulated order has no broker', async () => {
    const { approve, executor } = await waiting()
    executor.mode = 'analyze'
    await approve({ mode: 'analyze', broker: 'zerodha', legs: [LEG] })
    expect(executor.executed).toEqual([1])
  })

  test('the mode in which it was queued is enough for a script, and no other', async () => {
    const { approve, executor, statuses } = await waiting()
    executor.mode = 'analyze'
    await expect(approve({ mode: 'queued' })).rejects.toThrow(
      'queued in Live mode, and would now be simulated in Analyzer mode',
    )
    expect(await statuses()).toEqual(['pending'])
    executor.mode = 'live'
    await approve({ mode: 'queued' })
    expect(executor.executed).toEqual([1])
  })

  test('a row that does not know its mode is not sent for it', async () => {
    const { approve, db } = await waiting()
    await db.write((tx) => tx.exec('update pending_orders set queued_mode = null'))
    await expect(approve({ mode: 'queued' })).rejects.toThrow('the mode in which it was queued is not known')
  })

  test('what changes during the checks is seen: the comparison is part of the claim', async () => {
    const { approve, executor, statuses } = await waiting()
    executor.refuse = () => {
      executor.mode = 'analyze'
      return undefined
    }
    await expect(approve({ mode: 'live' })).rejects.toMatchObject({ code: 'not_as_shown' })
    executor.mode = 'live'
    executor.refuse = () => {
      executor.legs = () => [OTHER]
      return undefined
    }
    await expect(approve({ legs: [LEG] })).rejects.toMatchObject({ code: 'not_as_shown' })
    expect([executor.executed, await statuses()]).toEqual([[], ['pending']])
  })

  test('two approvers who saw something else: one order, and only as its approver saw it', async () => {
    const { approve, approvals, db, executor } = await waiting(0)
    const sent: number[] = []
    for (let round = 1; round <= 200; round += 1) {
      const id = await approvals.enqueue('asha', 'placeorder', ORDER)
      // What it sends depends on the position of the moment.
      executor.legs = () => [round % 2 === 0 ? OTHER : LEG]
      executor.answer = () => {
        sent.push(id)
        return { outcome: 'placed', orders: [{ orderId: `B${id}` }] }
      }
      const ends = await Promise.allSettled([approve({ legs: [OTHER] }, id), approve({ legs: [LEG] }, id)])
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(sent.filter((one) => one === id)).toHaveLength(1)
      expect(await db.queryRaw('select ref from journal where approval_id = ?', [id])).toHaveLength(1)
    }
  })
})

describe('an approval of the queue', () => {
  const all = (rig: Awaited<ReturnType<typeof waiting>>, expected: object) =>
    rig.approvals.approveAll('asha', 'asha', noVeto, Number.MAX_SAFE_INTEGER, expected)

  test('leaves what nobody has seen', async () => {
    const rig = await waiting(3)
    const legsOf = new Map([1, 3].map((id) => [id, [LEG]]))
    expect(await all(rig, { mode: 'live', legsOf })).toMatchObject({ approvedCount: 2, refused: [] })
    expect(await rig.statuses()).toEqual(['approved', 'pending', 'approved'])
  })

  test('ends with the first that would send something else: its approver decided about all of them', async () => {
    const rig = await waiting(4)
    rig.executor.legs = ({ id }) => [id === 2 ? OTHER : LEG]
    const outcome = await all(rig, { legsOf: new Map([1, 2, 3].map((id) => [id, [LEG]])) })
    expect(outcome).toMatchObject({ approvedCount: 1, executedCount: 1 })
    expect(outcome.refused).toEqual([
      { orderId: 2, error: expect.stringContaining('it would now send BUY 200') },
      {
        orderId: 3,
        error: 'Not approved: order 2 is no longer as it was shown. The order stays pending.',
      },
    ])
    expect(await rig.statuses()).toEqual(['approved', 'pending', 'pending', 'pending'])
  })

  test('leaves those that were queued in another mode, and sends the others', async () => {
    const rig = await waiting(2)
    await rig.db.write((tx) => tx.exec(`update pending_orders set queued_mode = 'analyze' where id = 1`))
    expect(await all(rig, { mode: 'queued' })).toMatchObject({
      approvedCount: 1,
      refused: [
        {
          orderId: 1,
          error:
            'Not approved: queued in Analyzer mode, and would now be sent LIVE to simulated. The order stays pending.',
        },
      ],
    })
    expect(await rig.statuses()).toEqual(['pending', 'approved'])
  })
})

test('waiting requests come in the order in which they are executed', async () => {
  const { approvals } = await waiting(0)
  for (let made = 0; made < 250; made += 1) await approvals.enqueue('asha', 'placeorder', ORDER)
  await approvals.reject('asha', 7, 'asha')
  const idsOf = async (ids?: number[]) => {
    const found: number[] = []
    for await (const { order } of approvals.waiting('asha', ids)) found.push(order.id)
    return found
  }
  const pending = Array.from({ length: 250 }, (_, at) => at + 1).filter((id) => id !== 7)
  expect(await idsOf()).toEqual(pending)
  expect(await idsOf([240, 3, 7, 120, 999])).toEqual([3, 120, 240])
})
