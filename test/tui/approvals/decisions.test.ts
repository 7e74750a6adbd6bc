import { describe, expect, onTestFinished, test, vi } from 'vitest'
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

/** No test waits for its end. */
const LONG = { seconds: 3600, from: 0 }

describe('a decision that is not sent', () => {
  test('is the one that undo takes back, also when it waits behind one that is held', async () => {
    const { live, ids, decisions } = await opened()
    const [first = 0, second = 0] = ids
    decisions.undoWindow = { ...LONG, from: 50_000 }
    // Of the first nobody knows the value; the second is small, and would be sent at once.
    decisions.approve([first], { account: LIVE })
    decisions.approve([second], { account: LIVE, plan: await readPlan(live.client, [second]) })
    expect(decisions.undo()).toEqual([second])
    expect(decisions.unsent()).toEqual([`approval ${first}`])
    expect([decisions.undo(), decisions.undo()]).toEqual([[first], []])
    await decisions.settled()
    expect(await live.statuses()).toEqual(ids.toReversed().map((id) => `${id} pending`))
  })

  test('of several orders is taken back in the middle: those that were not sent wait on', async () => {
    const { live, ids, decisions } = await opened()
    const [first = 0, ...others] = ids
    const { executor } = live.http.desk.service
    const open = executor.open.bind(executor)
    let undone: readonly number[] = []
    executor.open = (order) => {
      const request = open(order)
      return {
        ...request,
        send(ref) {
          undone = decisions.undo()
          return request.send(ref)
        },
      }
    }
    decisions.approve(ids, { account: LIVE })
    await decisions.settled()
    expect(undone).toEqual(others)
    expect(await live.statuses()).toEqual([
      ...others.toReversed().map((id) => `${id} pending`),
      `${first} approved`,
    ])
    expect(others.map((id) => decisions.isFree(id))).toEqual([true, true])
  })

  test('is dropped when the connection is lost, and is not sent to the daemon that comes back', async () => {
    const { live, ids, decisions, texts } = await opened()
    decisions.undoWindow = LONG
    decisions.approve(ids, { account: LIVE })
    await live.lose()
    await expect.poll(texts).toEqual(ids.map(() => 'not sent. The daemon is not connected.'))
    await live.comeBack()
    await decisions.settled()
    expect(live.http.desk.service.approvals.count(LIVE.username)).toBe(ids.length)
  })

  test('is dropped when the one before met what all of them would meet', async () => {
    const { live, ids, decisions, texts } = await opened()
    const { executor, risk } = live.http.desk.service
    await risk.setKillSwitch(true, 'test', 'asha')
    const opens = vi.spyOn(executor, 'open')
    for (const id of ids) decisions.approve([id], { account: LIVE })
    await decisions.settled()
    expect(texts()).toEqual(ids.map(() => 'The kill switch is on: test'))
    expect(opens).toHaveBeenCalledTimes(1)
  })

  test('is dropped at the end of the program', async () => {
    const { live, ids, decisions } = await opened()
    decisions.undoWindow = LONG
    decisions.approve(ids, { account: LIVE })
    decisions.dropUnsent()
    await decisions.settled()
    expect([decisions.unsent(), await live.statuses()]).toEqual([
      [],
      ids.toReversed().map((id) => `${id} pending`),
    ])
  })
})

test('the end waits also for what is decided meanwhile', async () => {
  const { live, ids, decisions } = await opened()
  const [first = 0, second = 0, third = 0] = ids
  decisions.undoWindow = { seconds: 0.05, from: 0 }
  decisions.approve([first], { account: LIVE })
  const settled = decisions.settled()
  decisions.approve([second], { account: LIVE })
  await settled
  expect(await live.statuses()).toEqual([`${third} pending`, `${second} approved`, `${first} approved`])
})

test('the limit of a rule holds when the order is sent', async () => {
  const { live, ids, decisions, texts } = await opened()
  const [id = 0] = ids
  const plan = await readPlan(live.client, [id])
  decisions.approve([id], { account: LIVE, plan, rule: { maxValue: 1 } })
  await decisions.settled()
  expect(texts()).toEqual([expect.stringContaining('and the limit is ₹1.00. The order stays pending.')])
  expect(await live.statuses()).toContain(`${id} pending`)
})
