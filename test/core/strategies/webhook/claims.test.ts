import { expect, test } from 'vitest'
import { orderJournal } from '../../../../src/core/storage/tables/svc/orders.js'
import { strategyOrders, strategyRuns } from '../../../../src/core/storage/tables/svc/strategies.js'
import type { StopReason } from '../../../../src/core/strategies/schema.js'
import { StrategyStore } from '../../../../src/core/strategies/store/strategy-store.js'
import { webhookRig } from '../../../daemon/operations/alerts/webhook-rig.js'

test('a deleted strategy leaves no claim: its id may not hold one of another', async () => {
  const rig = await webhookRig()
  expect(await rig.result({ action: 'start', mode: 'sandbox' })).toBe('ok')
  const claims = () => rig.db.queryRaw('select * from strategy_webhook_claims')
  await expect
    .poll(claims)
    .toMatchObject([{ strategy_id: rig.id, action: 'start', mode: 'sandbox', settled: 1 }])
  await rig.db.write((tx) => new StrategyStore(rig.db).removeIn(tx, rig.id))
  expect(await claims()).toEqual([])
})

test('a claim that lies ahead, because the clock was set back meanwhile, ends a minute after the start', async () => {
  const rig = await webhookRig()
  await rig.result({ action: 'stop' })
  await rig.db.write((tx) => tx.exec(`update strategy_webhook_claims set claimed_at = claimed_at + 3600000`))
  await rig.clock.advance(59_000)
  expect(await rig.result({ action: 'stop' })).toBe('rejected_dedupe')
  await rig.clock.advance(1_000)
  expect(await rig.result({ action: 'stop' })).toBe('ok')
})

/** What a crashed start has left: the end of its run, its only order, and that order in the journal. */
interface Left {
  what: string
  reason?: StopReason | null
  order?: Partial<typeof strategyOrders.$inferInsert>
  journal?: Partial<typeof orderJournal.$inferInsert>
  result: 'ok' | 'rejected_dedupe'
}

const REFUSED = { status: 'rejected' } as const
const LEFT: Left[] = [
  { what: 'no order', result: 'ok' },
  { what: 'an order that the journal does not have', order: REFUSED, result: 'ok' },
  {
    what: 'an order that was not sent',
    order: REFUSED,
    journal: { state: 'rejected', endCause: 'stopped' },
    result: 'ok',
  },
  {
    what: 'an order that the broker refused',
    order: REFUSED,
    journal: { state: 'rejected', endCause: 'refused' },
    result: 'rejected_dedupe',
  },
  {
    what: 'an order that ended without a cause',
    order: REFUSED,
    journal: { state: 'rejected' },
    result: 'rejected_dedupe',
  },
  { what: 'an order in doubt', order: REFUSED, journal: { state: 'unknown' }, result: 'rejected_dedupe' },
  { what: 'an order that works', order: { status: 'open' }, result: 'rejected_dedupe' },
  { what: 'an order without an answer', order: { status: 'pending' }, result: 'rejected_dedupe' },
  { what: 'a filled order', order: { status: 'complete', filledQuantity: 10 }, result: 'rejected_dedupe' },
  { what: 'a late fill', order: { ...REFUSED, filledQuantity: 1 }, result: 'rejected_dedupe' },
  { what: "a broker's id", order: { ...REFUSED, brokerOrderId: '1' }, result: 'rejected_dedupe' },
  { what: 'an approval', order: { ...REFUSED, pendingOrderId: 1 }, result: 'rejected_dedupe' },
  { what: 'a run that is not over', reason: null, result: 'rejected_dedupe' },
  { what: 'a run that a person stopped', reason: 'manual', result: 'rejected_dedupe' },
]

const ORDER = {
  runId: 1,
  legId: 1,
  kind: 'entry',
  positionRef: 'p',
  exitOwner: 'live',
  orderRef: 'r',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  product: 'MIS',
  placedAt: 1,
} as const

const JOURNALLED = {
  orderRef: 'r',
  userId: 'asha',
  operation: 'placeorder',
  source: 'strategy',
  mode: 'live',
  broker: 'simulated',
  state: 'claimed',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: '10',
  product: 'MIS',
  request: '{}',
  createdAt: 1,
  updatedAt: 1,
} as const

test.each(LEFT)('a start that a crash left with $what is repeated: $result', async (left) => {
  const { journal, order, reason = 'error', result } = left
  const rig = await webhookRig()
  const start = { action: 'start', mode: 'sandbox' } as const
  rig.runs.before = () => new Promise<void>(() => undefined)
  void rig.send({ body: start })
  await expect.poll(() => rig.runs.calls).toEqual(['start sandbox'])
  rig.runs.before = async () => undefined
  const [call] = await rig.audit()
  await rig.runs.start(rig.id, { mode: 'sandbox', trigger: 'webhook', webhookEventId: call?.id })
  await rig.db.write(async (tx) => {
    if (order) await tx.insert(strategyOrders).values({ ...ORDER, strategyId: rig.id, ...order })
    if (journal) await tx.insert(orderJournal).values({ ...JOURNALLED, ...journal })
  })
  await rig.restart()
  // Recovery ends the run after the webhook was opened.
  await rig.db.write(async (tx) => {
    const end = { stoppedAt: reason === null ? null : rig.clock.now(), stopReason: reason }
    await tx.update(strategyRuns).set(end)
  })
  expect(await rig.result(start)).toBe(result)
})
