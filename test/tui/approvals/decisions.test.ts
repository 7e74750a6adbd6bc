import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient, SvcError } from '../../../src/client/index.js'
import { SMART_ORDER } from '../../../src/core/orders/multi/smart.js'
import { Decisions } from '../../../src/tui/approvals/decisions.js'
import { readPlan } from '../../../src/tui/approvals/feed.js'
import { LiveDaemon } from '../../../src/tui/live/daemon.js'
import { payloadOf } from '../../support/desk/desk.js'
import { queueDesk } from './queue-desk.js'

const LIVE = { username: 'asha', analyze_mode: false, order_mode: 'semi_auto', broker: 'simulated' } as const

async function opened(through = (access: DaemonAccess): DaemonAccess => access) {
  const live = await queueDesk()
  const order = { price: 640 }
  const ids = [await live.queue(order), await live.queue(order), await live.queue(order)]
  const desk = new LiveDaemon(through(live.access))
  onTestFinished(() => desk.stop())
  desk.start()
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  const decisions = desk.part(Decisions)
  const texts = () => [...decisions.progress.get().values()].map(({ text }) => text)
  return { live, ids, desk, decisions, texts, said: () => desk.changes.message.get() }
}

/** Acts before each order goes to the broker, and may answer in its place. */
function onSend(
  { http }: Awaited<ReturnType<typeof queueDesk>>,
  act: (ref: string) => undefined | ReturnType<ReturnType<typeof http.desk.service.executor.open>['send']>,
): void {
  const { executor } = http.desk.service
  const open = executor.open.bind(executor)
  executor.open = (order) => {
    const request = open(order)
    return {
      ...request,
      send(ref) {
        return act(ref) ?? request.send(ref)
      },
    }
  }
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
    expect(decisions.unsent()).toEqual([`the decision on approval ${first}`])
    expect([decisions.undo(), decisions.undo()]).toEqual([[first], []])
    await decisions.settled()
    expect(await live.statuses()).toEqual(ids.toReversed().map((id) => `${id} pending`))
  })

  test('of several orders is taken back in the middle: those that were not sent wait on', async () => {
    const { live, ids, decisions } = await opened()
    const [first = 0, ...others] = ids
    let undone: readonly number[] = []
    onSend(live, () => {
      undone = decisions.undo()
      return undefined
    })
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

  test('is dropped, and says so, when the program is suspended', async () => {
    const { live, ids, desk, decisions, said, texts } = await opened()
    const [first = 0, ...others] = ids
    decisions.undoWindow = LONG
    decisions.approve([first], { account: LIVE })
    desk.suspended()
    const why = 'not sent. The program was suspended: decide again.'
    expect(said()).toBe(`Approval ${first}: ${why}`)
    decisions.approve(others, { account: LIVE })
    desk.suspended()
    expect(said()).toBe(`2 orders: ${why}`)
    expect(texts()).toEqual(ids.map(() => why))
    await decisions.settled()
    expect(await live.statuses()).toEqual(ids.toReversed().map((id) => `${id} pending`))
  })

  test('is dropped, and says so, when the machine slept before its time was over', async () => {
    const { live, ids, decisions, said } = await opened()
    const [first = 0] = ids
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    decisions.undoWindow = { seconds: 0.01, from: 0 }
    decisions.approve([first], { account: LIVE })
    vi.setSystemTime(Date.now() + 60_000)
    await decisions.settled()
    expect(said()).toBe(
      `Approval ${first}: not sent. The program was asleep before its turn came: decide again.`,
    )
    decisions.approve([first], { account: LIVE })
    await decisions.settled()
    expect(await live.statuses()).toContain(`${first} approved`)
  })

  test('is dropped when the machine slept while an order before it was sent', async () => {
    const { live, ids, decisions } = await opened()
    const [first = 0, ...others] = ids
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    onSend(live, () => {
      vi.setSystemTime(Date.now() + 60_000)
      return undefined
    })
    decisions.approve(ids, { account: LIVE })
    await decisions.settled()
    expect(await live.statuses()).toEqual([
      ...others.toReversed().map((id) => `${id} pending`),
      `${first} approved`,
    ])
  })

  test('keeps an order that was decided again, when the decision before it is dropped', async () => {
    const { live, ids, decisions } = await opened()
    const [first = 0, second = 0, third = 0] = ids
    await live.reject(first, 'no')
    decisions.undoWindow = { ...LONG, from: Number.POSITIVE_INFINITY }
    const step = (id: number) => decisions.progress.get().get(id)?.step
    const off = decisions.progress.subscribe(() => {
      // The first is refused, as it was decided elsewhere, and its order is free again.
      if (step(first) !== 'refused' || step(second) === 'refused') return
      off()
      decisions.reject([first], 'once more')
    })
    await live.http.desk.service.risk.setKillSwitch(true, 'test', 'asha')
    decisions.approve([first, second, third], { account: LIVE, plan: await readPlan(live.client, ids) })
    await expect.poll(() => step(third)).toBe('refused')
    expect(step(first)).toBe('held')
    expect(decisions.unsent()).toEqual([`the decision on approval ${first}`])
    decisions.undo()
  })

  test('goes on after a refusal by the kill switch, if it is a rejection', async () => {
    const { live, ids, desk, decisions, said } = await opened()
    const [first = 0, second = 0, third = 0] = ids
    await live.http.desk.service.risk.setKillSwitch(true, 'test', 'asha')
    const all: string[] = []
    desk.changes.message.subscribe(() => all.push(said()))
    decisions.approve([first], { account: LIVE })
    decisions.reject([second], 'too late')
    decisions.approve([third], { account: LIVE })
    await decisions.settled()
    expect(all).toEqual([
      `Approval ${first}: The kill switch is on: test; 1 more not sent.`,
      `Approval ${second}: rejected`,
    ])
    expect(await live.statuses()).toEqual([`${third} pending`, `${second} rejected`, `${first} pending`])
  })

  test('is dropped at the end of the program', async () => {
    const { live, ids, decisions } = await opened()
    decisions.undoWindow = LONG
    decisions.approve(ids, { account: LIVE })
    decisions.dropUnsent('not sent. The program ends.')
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

/** A daemon that takes no request: there were too many. */
class OverLimit extends SvcClient {
  override request(): Promise<never> {
    const body = { status: 'error', message: 'Rate limit exceeded.' }
    const answer = { status: 429, code: 'rate_limited', body, text: '' }
    const none = { requestId: undefined, orderRef: undefined, date: undefined }
    return Promise.reject(new SvcError({ ...answer, ...none }))
  }
}

describe('in the pause after too many requests', () => {
  /** A daemon that takes no decision: only those have so long for an answer. */
  const limited = (access: DaemonAccess): DaemonAccess => ({
    client: (timeoutMs) => (timeoutMs < 60_000 ? access.client(timeoutMs) : new OverLimit()),
  })

  async function paused() {
    const opening = await opened(limited)
    const { decisions, ids } = opening
    const steps: string[] = []
    decisions.progress.subscribe(() => steps.push(decisions.progress.get().get(ids[0] ?? 0)?.step ?? 'none'))
    decisions.approve(ids, { account: LIVE })
    await expect.poll(() => steps.slice(-2)).toEqual(['sending', 'waiting'])
    return opening
  }

  test('a decision can be undone', async () => {
    const { decisions, ids, live, texts } = await paused()
    expect(decisions.unanswered()).toEqual([])
    expect(decisions.undo()).toEqual(ids)
    await decisions.settled()
    expect(texts()).toEqual([])
    expect(await live.statuses()).toEqual(ids.toReversed().map((id) => `${id} pending`))
  })

  test('a decision that was dropped while its request went is not sent once more', async () => {
    const { decisions, desk, ids, live, said } = await opened(limited)
    const [first = 0] = ids
    const off = decisions.progress.subscribe(() => {
      if (decisions.progress.get().get(first)?.step !== 'sending') return
      off()
      desk.suspended()
    })
    decisions.approve([first], { account: LIVE })
    await decisions.settled()
    expect(said()).toBe(`Approval ${first}: not sent. The program was suspended: decide again.`)
    expect(await live.statuses()).toContain(`${first} pending`)
  })

  test('a decision is dropped when the connection is lost', async () => {
    const { decisions, ids, live, said, texts } = await paused()
    await live.lose()
    await decisions.settled()
    expect(texts()).toEqual(ids.map(() => 'not sent. The daemon is not connected.'))
    expect(said()).toBe('3 orders: not sent. The daemon is not connected.')
  })
})

test('an error of the program is shown, and the next decisions are sent all the same', async () => {
  const { decisions, ids, live, said, texts } = await opened()
  const [first = 0, second = 0, third = 0] = ids
  const off = decisions.progress.subscribe(() => {
    if (decisions.progress.get().get(first)?.step !== 'sending') return
    off()
    throw new Error('No room to draw')
  })
  decisions.approve([first, second], { account: LIVE })
  await decisions.settled()
  expect(said()).toBe('The program met an error: No room to draw')
  expect(texts()).toEqual([
    'the program met an error: the daemon may have decided it',
    'not sent. The program met an error.',
  ])
  decisions.approve([third], { account: LIVE })
  await decisions.settled()
  expect(await live.statuses()).toContain(`${third} approved`)
})

test('an approved order that the broker refused, or took in part, says so, and is no longer free', async () => {
  const { decisions, ids, live, texts } = await opened()
  const [first = 0, second = 0, third = 0] = ids
  let sent = 0
  onSend(live, async () => async () => {
    sent += 1
    if (sent === 1) return { outcome: 'failed', code: 'broker_rejected', message: 'no margin' }
    const failed = [{ name: 'NOPE', message: 'Symbol not found' }]
    return { outcome: 'placed', orders: sent === 2 ? [{ orderId: 'B1' }] : [], failed }
  })
  decisions.approve(ids, { account: LIVE })
  await decisions.settled()
  expect(texts()).toEqual([
    'approved, failed: no margin',
    'approved, executed in part: 1 of 2 orders failed: NOPE: Symbol not found',
    'approved, failed: No child orders were submitted successfully: NOPE: Symbol not found',
  ])
  expect([...decisions.progress.get().values()].map(({ step }) => step)).toEqual([
    'failed',
    'partial',
    'failed',
  ])
  expect([first, second, third].map((id) => decisions.isFree(id))).toEqual([false, false, false])
})
