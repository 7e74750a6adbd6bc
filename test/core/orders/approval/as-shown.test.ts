import { expect, test } from 'vitest'
import type { LegTerms } from '../../../../src/core/approvals/index.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

/* A smart order asks for a position, so what it sends depends on the moment. Its approval sends what was shown. */

const CONTEXT = { userId: USER, source: 'api' as const }
const { underlying_ltp: _ltp, strategy: _strategy, ...LINE } = payloadOf()
const SMART = { ...LINE, strategy: 't', position_size: 20 }
const leg = (quantity: number, action = 'BUY'): LegTerms => ({
  symbol: LINE.symbol,
  exchange: LINE.exchange,
  action,
  quantity,
  pricetype: LINE.pricetype,
  product: LINE.product,
  price: LINE.price,
  triggerPrice: 0,
})

async function waiting() {
  const desk = await TestDesk.open()
  const { apiKeys } = desk.service.identity
  await apiKeys.setOrderMode(USER, 'semi_auto')
  const { body } = await desk.orders.multi.submit(SMART_ORDER, SMART, CONTEXT)
  await apiKeys.setOrderMode(USER, 'auto')
  const id = Number(body.pending_order_id)
  const approve = (legs: readonly LegTerms[]) =>
    desk.service.approvals.approve(USER, id, USER, () => undefined, { mode: 'live', legs })
  const sizes = async () => (await desk.ledger()).map(({ quantity }) => quantity)
  const status = async () => (await desk.service.approvals.view(USER, id)).status
  /** Brings the position to a size, past the queue. */
  const move = (size: number) =>
    desk.settled(desk.orders.multi.submit(SMART_ORDER, { ...SMART, position_size: size }, CONTEXT))
  return { desk, id, approve, sizes, status, move }
}

test('the plan says what the approval compares', async () => {
  const { approve, desk, id, sizes } = await waiting()
  const { value } = await desk.service.approvals.waiting(USER, [id]).next()
  if (!value) throw new Error('nothing waits')
  const { legs } = await desk.service.orders.approvalPlans.of(value.order)
  expect(legs).toMatchObject([leg(20)])
  await desk.settled(approve(legs))
  expect(await sizes()).toEqual([20])
})

test('a position that moved since it was shown: nothing is sent, and it waits', async () => {
  const { approve, desk, move, sizes, status } = await waiting()
  await move(5)
  await expect(desk.settled(approve([leg(20)]))).rejects.toMatchObject({
    code: 'not_as_shown',
    message: expect.stringContaining('it would now send BUY 15 '),
  })
  expect([await sizes(), await status()]).toEqual([[5], 'pending'])
  await desk.settled(approve([leg(15)]))
  expect([await sizes(), await status()]).toEqual([[5, 15], 'approved'])
})

test('a position that is already there sends nothing, if that was shown', async () => {
  const { approve, desk, move, sizes, status } = await waiting()
  await move(20)
  await expect(desk.settled(approve([leg(20)]))).rejects.toThrow('it would now send nothing')
  expect(await desk.settled(approve([]))).toMatchObject({ outcome: 'executed', brokerOrderId: null })
  expect([await sizes(), await status()]).toEqual([[20], 'approved'])
})

test('a signal for the same position at the same moment: one order, never both', async () => {
  for (const first of ['approval', 'signal'] as const) {
    const { approve, desk, sizes, status } = await waiting()
    const signal = () => desk.orders.multi.submit(SMART_ORDER, SMART, CONTEXT)
    const started = first === 'approval' ? [approve([leg(20)]), signal()] : [signal(), approve([leg(20)])]
    await desk.settled(Promise.allSettled(started))
    expect(await sizes()).toEqual([20])
    expect(['approved', 'pending']).toContain(await status())
  }
})

test('what moves while the claim is stored does not change the order', async () => {
  const { approve, desk, sizes, status } = await waiting()
  const { executor } = desk.service
  const open = executor.open.bind(executor)
  let moved: Promise<unknown> | undefined
  executor.open = (order) => {
    const request = open(order)
    return {
      ...request,
      begin: (tx) => {
        moved = desk.orders.multi.submit(SMART_ORDER, { ...SMART, position_size: 5 }, CONTEXT)
        return request.begin(tx)
      },
    }
  }
  await desk.settled(approve([leg(20)]))
  await desk.settled(moved ?? Promise.reject(new Error('it never began')))
  // The signal waited for its turn, and trades on the position that the approval made.
  expect([await sizes(), await status()]).toEqual([[20, 15], 'approved'])
})

test('a signal for the same position does not wait until the book tells what became of the approval', async () => {
  const { approve, desk, sizes } = await waiting()
  const { executor } = desk.service
  const open = executor.open.bind(executor)
  executor.open = (order) => {
    const request = open(order)
    const send: typeof request.send = async (ref) => {
      const report = await request.send(ref)
      return async () => {
        await desk.orders.multi.submit(SMART_ORDER, { ...SMART, position_size: 5 }, CONTEXT)
        return report()
      }
    }
    return { ...request, send }
  }
  await desk.settled(approve([leg(20)]))
  expect(await sizes()).toEqual([20, 15])
})

test('a mode that changes between plan and claim sends nothing', async () => {
  const { desk, id, sizes, status } = await waiting()
  const { approvals, executor, settings } = desk.service
  const open = executor.open.bind(executor)
  executor.open = (order) => {
    const request = open(order)
    const recheck = async () => {
      const refusal = await request.recheck()
      await settings.setAnalyzeMode(true)
      return refusal
    }
    return { ...request, recheck }
  }
  await expect(desk.settled(approvals.approve(USER, id, USER))).rejects.toMatchObject({ code: 'conflict' })
  expect([await sizes(), await status()]).toEqual([[], 'pending'])
})
