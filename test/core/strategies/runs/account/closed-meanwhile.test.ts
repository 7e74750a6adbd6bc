import { describe, expect, onTestFinished, test } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { eventually } from '../../../../support/eventually.js'
import { RunRig } from '../run-rig.js'
import { LONG, type Mode, messages, net, ORDER, post, SBIN, seconds, started } from './account-rig.js'

/* Somebody else closes a position before a comparison has seen it, or while its exit is on its way. */

const CLOSE = { strategy: 'by hand' }
const STOPPED = { ...LONG, legs: [{ ...LONG.legs[0], sl_pts: 5 }] }

const analyzeOf = (mode: Mode) => (mode === 'live' ? 'live' : 'analyze')

/** A run whose fills no comparison has seen yet. */
async function justFilled(mode: Mode) {
  const rig = await RunRig.open(analyzeOf(mode))
  const id = await rig.create(STOPPED, mode === 'live')
  await rig.settled(rig.runs.start(id, { mode, trigger: 'manual' }))
  await rig.settled(rig.rig.desk.service.orders.strategyOrders.changes.settled())
  return { rig, id }
}

/** The price falls below the stop loss of the run. */
function fall(rig: RunRig, id: number): void {
  const run = rig.runs.active(id)
  run?.tick(SBIN, (run.snapshot().legs[0]?.entryAverage ?? 0) - 6, rig.clock.now())
}

test('an exit after a comparison that could not read the account waits for one that can', async () => {
  const { id, rig } = await justFilled('live')
  await seconds(rig, 6)
  const { portfolio } = rig.rig.desk.service.brokers.client()
  const { positions } = portfolio
  portfolio.positions = () => Promise.reject(new BrokerError('unavailable', 'maintenance', { sent: 'never' }))
  await post(rig, 'placeorder', { ...ORDER, action: 'SELL', quantity: 10 })
  await seconds(rig, 2)
  portfolio.positions = positions
  fall(rig, id)
  await rig.settled(rig.runs.settled())
  await seconds(rig, 3)
  expect(await net(rig, 'live')).toBe(0)
})

/** Holds up the broker's answers about its positions, until the returned function is called. */
function holdPositions(rig: RunRig): () => void {
  const { portfolio } = rig.rig.desk.service.brokers.client()
  const positions = portfolio.positions.bind(portfolio)
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  onTestFinished(() => answer())
  portfolio.positions = async () => answered.then(() => positions())
  return () => answer()
}

describe.each(['live', 'sandbox'] as const)('a %s run', (mode) => {
  test('that was just restored notices that its position is closed', async () => {
    const { id, rig } = await justFilled(mode)
    await rig.runs.close()
    const again = await rig.reopen(analyzeOf(mode))
    await post(again, 'closeposition', CLOSE)
    fall(again, id)
    await again.settled(again.runs.settled())
    await seconds(again, 3)
    expect(await messages(again)).toEqual([expect.stringMatching(/^10 of 10 SBIN .* holds 0 /)])
    expect(await net(again, mode)).toBe(0)
    // The exit of the stop loss was taken back before it left.
    expect(await again.orders()).toEqual(['1 entry BUY complete 10', '1 exit_sl SELL rejected 0'])
  })

  test('gives up what was closed while the service was down', async () => {
    const { id, rig } = await justFilled(mode)
    await rig.runs.close()
    await post(rig, 'closeposition', CLOSE)
    const again = await rig.reopen(analyzeOf(mode))
    await again.settled(again.runs.stop(id, 'manual').catch(() => undefined))
    await again.ended()
    expect(await net(again, mode)).toBe(0)
    expect(await messages(again)).toHaveLength(1)
  })

  test('notices an order right after its first fill', async () => {
    const { id, rig } = await justFilled(mode)
    await post(rig, 'placeorder', { ...ORDER, action: 'SELL', quantity: 4 })
    await seconds(rig, 2)
    expect(await messages(rig)).toEqual([expect.stringMatching(/^4 of 10 SBIN .* holds 6 /)])
    await rig.settled(rig.runs.stop(id, 'manual'))
    await rig.ended()
    expect(await net(rig, mode)).toBe(0)
  })

  test.each(['close', 'stop'])(
    'that is closed and stopped in the same moment (%s first) ends flat',
    async (first) => {
      const { id, rig } = await started(mode)
      const close = () => post(rig, 'closeposition', CLOSE)
      const stop = () => rig.settled(rig.runs.stop(id, 'manual').catch(() => undefined))
      await Promise.all(first === 'close' ? [close(), stop()] : [stop(), close()])
      await rig.ended()
      await seconds(rig, 3)
      expect(await net(rig, mode)).toBe(0)
      const told = await rig.events()
      expect(told).not.toContain('leg_exit_rejected')
      expect(told).not.toContain('run_stop_failed')
    },
  )
})

test('an order of others that is older than the position explains nothing', async () => {
  const rig = await RunRig.open('live')
  await post(rig, 'placeorder', { ...ORDER, action: 'BUY', quantity: 10 })
  await post(rig, 'placeorder', { ...ORDER, action: 'SELL', quantity: 10 })
  await rig.clock.advance(5_000)
  const answer = holdPositions(rig)
  const id = await rig.create(STOPPED, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  // The positions of the broker lag behind its orders.
  const { portfolio } = rig.rig.desk.service.brokers.client()
  portfolio.positions = async () => []
  answer()
  await seconds(rig, 20)
  expect(await messages(rig)).toEqual([])
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
})

test('a close waits for an exit that is on its way', async () => {
  const { id, rig } = await started('live')
  rig.rig.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], times: 1, kind: 'delay', latencyMs: 700 }])
  const stopped = rig.runs.stop(id, 'manual')
  await eventually(async () => {
    await rig.clock.advance(10)
    return (await rig.query("select 1 from order_journal where state = 'sending'")).length > 0
  })
  await post(rig, 'closeposition', CLOSE)
  await rig.settled(stopped)
  await rig.ended()
  expect(await net(rig, 'live')).toBe(0)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL complete 10'])
})

test('an exit waits at most a second for a broker that does not answer about its positions; the event says what follows', async () => {
  const { id, rig } = await started('live')
  const answer = holdPositions(rig)
  await post(rig, 'placeorder', { ...ORDER, action: 'SELL', quantity: 10 })
  const at = rig.clock.now()
  const stopped = rig.runs.stop(id, 'manual')
  await rig.settled(stopped)
  expect(rig.clock.now() - at).toBeLessThan(1_500)
  expect((await rig.orders())[1]).toMatch(/^1 exit_close_all SELL (open|complete)/)
  answer()
  await rig.ended()
  await seconds(rig, 6)
  expect(await net(rig, 'live')).toBe(-10)
  expect(await messages(rig)).toEqual([
    expect.stringMatching(/^Somebody else has closed 10 SBIN of leg 1 .* holds -10 of product MIS/),
  ])
})

test('a position that only its run closes is told of by no such event', async () => {
  const { id, rig } = await started('live')
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  await seconds(rig, 8)
  expect(await messages(rig)).toEqual([])
})

describe('a stop loss during a close in pieces by a person', () => {
  /** A run of 120 shares. Somebody closes them in pieces of 10; `hit` runs before one of these leaves. */
  async function closing(atPiece: number, hit: (rig: RunRig, id: number) => void) {
    const rig = await RunRig.open('live')
    const id = await rig.create({ ...STOPPED, legs: [{ ...STOPPED.legs[0], lots: 120 }] }, true)
    await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
    await seconds(rig, 6)
    const { brokers, instruments } = rig.rig.desk.service
    let limit: number | undefined = 10
    instruments.directory.freezeQuantity = () => limit
    const { orders } = brokers.client()
    const place = orders.place.bind(orders)
    let calls = 0
    orders.place = (order, tag) => {
      calls += 1
      if (calls === atPiece) {
        // The close is cut, the exit is not.
        limit = undefined
        hit(rig, id)
      }
      return place(order, tag)
    }
    const answer = await rig.rig.post('closeposition', CLOSE)
    await seconds(rig, 6)
    return { rig, answer }
  }

  test.each([
    { atPiece: 2, sold: 100 },
    { atPiece: 10, sold: 20 },
  ])('comes at piece $atPiece: it sells the rest, and the close no more', async ({ atPiece, sold }) => {
    const { rig, answer } = await closing(atPiece, fall)
    expect(JSON.stringify(answer.body)).toContain(`${sold} is left: Not sent: the position has changed`)
    expect(await net(rig, 'live')).toBe(0)
    expect((await rig.orders()).filter((order) => !order.includes('rejected'))).toEqual([
      '1 entry BUY complete 120',
      `1 exit_sl SELL complete ${sold}`,
    ])
  })
})
