import { describe, expect, test } from 'vitest'
import { parseRateLimit } from '../../src/core/config/index.js'
import { BanList } from '../../src/core/security/ban-list.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/time/index.js'
import { MovingWindowLimiter } from '../../src/daemon/middleware/moving-window.js'
import { ORDER, openRig } from '../core/approvals/rig.js'
import { ownedWorld, signIn } from '../core/identity/support.js'
import { definition, leg, NO_RISK, placed, Rig } from '../core/strategies/engine/rig.js'
import { messages, seconds, started } from '../core/strategies/runs/account/account-rig.js'
import { RunRig, SIGNALS } from '../core/strategies/runs/run-rig.js'
import { payloadOf, TestDesk, USER } from '../support/desk/desk.js'
import { deskClock } from '../support/desk/desk-clock.js'
import { webhookRig } from './operations/alerts/webhook-rig.js'

/*
 * NTP and administrators set the wall clock. A duration is not over earlier because of that, and it does not last longer: only
 * the time that has passed counts.
 */

const START = { action: 'start', mode: 'sandbox' }
const LIVE = { action: 'start', mode: 'live' }

describe.each([
  ['+30 s', 30 * SECOND_MS],
  ['+1 h', HOUR_MS],
  ['-1 h', -HOUR_MS],
  ['-1 day', -DAY_MS],
])('after a step of %s', (_, step) => {
  test('a difference to the account must still last for 30 s', async () => {
    const { rig } = await started('live')
    const { portfolio } = rig.rig.desk.service.brokers.client()
    const { positions } = portfolio
    portfolio.positions = async () =>
      (await positions.call(portfolio)).map((row) => ({ ...row, product: 'NRML' }))
    await seconds(rig, 8)
    rig.clock.step(step)
    await seconds(rig, 10)
    // Beyond its exit time, which is one of the calendar, a run ends. That is no concern of this test.
    expect(await messages(rig)).toEqual([])
    await seconds(rig, 25)
    expect(await messages(rig)).toHaveLength(1)
  })

  test('a repeated delivery of a webhook is one for 60 s, also after a restart', async () => {
    const rig = await webhookRig()
    await rig.result(START)
    await rig.clock.advance(20_000)
    rig.clock.step(step)
    expect(await rig.result(START)).toBe('rejected_dedupe')
    await rig.restart()
    await rig.clock.advance(39_000)
    expect(await rig.result(START)).toBe('rejected_dedupe')
    await rig.clock.advance(60_000)
    expect(await rig.result(START)).not.toBe('rejected_dedupe')
  })

  test('a strategy cools off for 30 s', async () => {
    const rig = await webhookRig({ row: { liveEnabled: true } })
    await rig.result(START)
    await rig.runs.finish()
    await rig.clock.advance(10_000)
    rig.clock.step(step)
    expect(await rig.send({ body: LIVE })).toMatchObject({
      body: { message: 'This strategy stopped recently, try again in 20s' },
    })
    await rig.clock.advance(21_000)
    expect(await rig.result(LIVE)).toBe('ok')
  })

  test('a request for approval expires after its time', async () => {
    const { approvals, clock } = await openRig({ expirySeconds: 300 })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    await clock.advance(100_000)
    clock.step(step)
    await clock.advance(199_000)
    await approvals.expireDue()
    expect(await approvals.view('asha', id)).toMatchObject({ status: 'pending' })
    await clock.advance(1_000)
    await expect.poll(() => approvals.count('asha')).toBe(0)
    await expect(approvals.approve('asha', id, 'asha')).rejects.toMatchObject({ code: 'not_pending' })
  })

  test('a request for approval is approved until its time is over', async () => {
    const { approvals, clock } = await openRig({ expirySeconds: 300 })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    await clock.advance(100_000)
    clock.step(step)
    await approvals.approve('asha', id, 'asha')
    expect(await approvals.view('asha', id)).toMatchObject({ status: 'approved' })
  })

  test('the proof of who a user is counts for its minutes', async () => {
    const { clock, identity } = await ownedWorld()
    const { session } = await signIn(identity)
    const isRecent = () => {
      try {
        identity.reauthentication.requireRecent(session)
        return true
      } catch {
        return false
      }
    }
    await clock.advance(MINUTE_MS)
    clock.step(step)
    expect(isRecent()).toBe(true)
    await clock.advance(HOUR_MS)
    expect(isRecent()).toBe(false)
  })

  test('an idempotency key stands for its order', async () => {
    const desk = await TestDesk.open()
    const keyed = { userId: USER, source: 'api', idempotencyKey: 'k' } as const
    await desk.service.settings.setAnalyzeMode(true)
    const first = await desk.settled(desk.orders.single.place(payloadOf(), keyed))
    desk.clock.step(step)
    // Keys past their lifetime are deleted once an hour.
    desk.clock.suspend(HOUR_MS)
    await desk.clock.advance(0)
    expect(await desk.settled(desk.orders.single.place(payloadOf(), keyed))).toEqual(first)
    expect(await desk.service.account.orderbook(USER)).toMatchObject({
      data: { orders: [expect.anything()] },
    })
  })

  test('a limit of calls counts its window', async () => {
    const clock = deskClock(0)
    const limiter = new MovingWindowLimiter(parseRateLimit('1 per minute'), clock)
    expect(limiter.take('a')).toBe(0)
    clock.step(step)
    expect(limiter.take('a')).toBe(60_000)
    await clock.advance(MINUTE_MS)
    expect(limiter.take('a')).toBe(0)
  })

  test('a ban lasts for its hours', async () => {
    const clock = deskClock('2026-11-20T11:00:00+05:30')
    const bannedAt = clock.now()
    const ban = { address: '203.0.113.1', reason: 'r', count: 1, source: 'manual' } as const
    const bans = new BanList([{ ...ban, bannedAt, expiresAt: bannedAt + 2 * HOUR_MS }], clock)
    clock.step(step)
    expect(bans.isBanned(ban.address)).toBe(true)
    await clock.advance(2 * HOUR_MS)
    expect(bans.isBanned(ban.address)).toBe(false)
  })

  test('a refused exit waits for its pause, and a run without prices is judged after a minute', () => {
    const rig = new Rig(definition({ legs: [leg()], risk: { ...NO_RISK, overallStop: 100 } }))
    rig.start()
    rig.fillAll(100)
    rig.step(step)
    rig.tick(90)
    rig.refuse('o2')
    rig.step(step)
    expect(placed(rig.retry(4_000))).toEqual([])
    expect(placed(rig.retry(1_000))).toHaveLength(1)
  })
})

test.each([
  ['+30 s', 30 * SECOND_MS, 'already_long'],
  ['-1 h', -HOUR_MS, 'already_long'],
  ['-1 day', -DAY_MS, 'already_long'],
])('a step of the clock of %s is no new day: a signal finds the run of its day', async (_, step, note) => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create({ ...SIGNALS, strategy_type: 'positional', product: 'CNC' })
  const signal = () => rig.settled(rig.runs.signal(id, { legId: 1, signal: 'long_entry' }))
  await signal()
  await rig.settled(rig.runs.settled())
  rig.clock.step(step)
  for (let repeat = 0; repeat < 2; repeat++) expect(await signal()).toMatchObject({ runId: 1, note })
  expect(await rig.orders()).toHaveLength(1)
})
