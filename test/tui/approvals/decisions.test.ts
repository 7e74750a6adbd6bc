import { expect, onTestFinished, test } from 'vitest'
import { SMART_ORDER } from '../../../src/core/orders/multi/smart.js'
import { Decisions } from '../../../src/tui/approvals/decisions.js'
import { readPlan } from '../../../src/tui/approvals/feed.js'
import { LiveDaemon } from '../../../src/tui/live/daemon.js'
import { payloadOf } from '../../support/desk/desk.js'
import { queueDesk } from './queue-desk.js'

const LIVE = { username: 'asha', analyze_mode: false, order_mode: 'semi_auto', broker: 'simulated' } as const

async function opened() {
  const live = await queueDesk()
  const order = { price: 640 }
  const ids = [await live.queue(order), await live.queue(order), await live.queue(order)]
  const desk = new LiveDaemon(live.access)
  onTestFinished(() => desk.stop())
  desk.start()
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  const decisions = desk.part(Decisions)
  const texts = () => [...decisions.progress.get().values()].map(({ text }) => text)
  return { live, ids, decisions, texts }
}

test('a refusal that holds for all ends a batch: the rest is not tried', async () => {
  const { live, ids, decisions, texts } = await opened()
  await live.analyze(true)
  decisions.approve(ids, { account: LIVE })
  await decisions.settled()
  const reason =
    'Not approved: it would now be simulated in Analyzer mode, and was to be sent LIVE to simulated. The order stays pending.'
  expect(texts()).toEqual(ids.map(() => reason))
  expect(await live.statuses()).toEqual(ids.toReversed().map((id) => `${id} pending`))
})

test('a refusal of one order ends no batch', async () => {
  const { live, ids, decisions, texts } = await opened()
  const [first = 0] = ids
  await live.reject(first, 'no')
  decisions.approve(ids, { account: LIVE })
  await decisions.settled()
  expect(texts().slice(1)).toEqual(['approved', 'approved'])
})

test('an order that would send another size than the question showed ends the batch', async () => {
  const { live, decisions, texts } = await opened()
  const smart = { ...payloadOf({ product: 'MIS' }), position_size: 100 }
  const { underlying_ltp: _, ...order } = smart
  const { multi } = live.http.desk.orders
  const context = { userId: 'asha', source: 'api' } as const
  const queued = [
    await multi.submit(SMART_ORDER, order, context),
    await multi.submit(SMART_ORDER, { ...order, position_size: -100 }, context),
  ].map(({ body }) => Number(body.pending_order_id))
  const plan = await readPlan(live.client, queued)
  expect(plan?.orders.map(({ id, legs }) => [id, legs.map(({ quantity }) => quantity)])).toEqual([
    [queued[0], [100]],
    [queued[1], [100]],
  ])
  decisions.approve(queued, { account: LIVE, plan })
  await decisions.settled()
  expect(texts()).toEqual([
    'approved',
    expect.stringContaining(
      'it would now send SELL 200 NSE:SBIN MIS MARKET, and shown was SELL 100 NSE:SBIN',
    ),
  ])
})
