import { describe, expect, it } from 'vitest'
import type { LegLimits, RunLeg } from '../../../../src/core/strategies/engine/definition.js'
import { istInstant, MINUTE_MS } from '../../../../src/core/time/index.js'
import { definition, events, finished, kinds, leg, NO_RISK, placed, Rig, replies } from './rig.js'

/* The limits of a leg that its exchange and its account set, and that change while the run is open. */

const CLOSE = istInstant('2026-11-20', '13:00')

/** A run that is long 75 at 100. */
function long(more: Partial<RunLeg> = {}, run: Parameters<typeof definition>[0] = {}): Rig {
  const rig = new Rig(definition({ legs: [leg(more)], ...run }))
  rig.at = istInstant('2026-11-20', '11:00')
  rig.start()
  rig.fillAll(100)
  return rig
}

const limit = (rig: Rig, limits: Partial<LegLimits>, id = 1) =>
  rig.send({ type: 'limits', legs: new Map([[id, { squareOffAt: null, ...limits }]]) })

describe('a session that becomes shorter while a run is open', () => {
  it('ends an intraday run a minute before the close', () => {
    const rig = long()
    expect(placed(limit(rig, { closesAt: CLOSE }))).toEqual([])
    rig.at = CLOSE - MINUTE_MS - 1
    expect(placed(rig.retry(0))).toEqual([])
    rig.at += 1
    const effects = rig.retry(0)
    expect(placed(effects)).toMatchObject([{ kind: 'exit_eod', action: 'SELL', quantity: 75 }])
    expect(events(effects)[0]?.message).toBe('Leg 1 is squared off: NFO closes soon')
    rig.fillAll(101)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'eod' }])
  })

  it('moves the end of product MIS, and nothing is sent from that end on', () => {
    const rig = long({ product: 'MIS', intradayEndsAt: istInstant('2026-11-20', '15:15') })
    limit(rig, { intradayEndsAt: CLOSE })
    rig.at = CLOSE - MINUTE_MS
    const [exit] = placed(rig.retry(0))
    expect(exit).toMatchObject({ kind: 'exit_eod' })
    rig.refuse(exit?.id ?? '')
    rig.at = CLOSE
    const effects = rig.retry(0)
    expect(placed(effects)).toEqual([])
    expect(events(effects)).toMatchObject([
      { kind: 'eod_squareoff', severity: 'critical' },
      { kind: 'run_stopped' },
    ])
  })

  it('is acted on at once when the run learns of it late, and the position is not given up', () => {
    const rig = long({ product: 'MIS', intradayEndsAt: istInstant('2026-11-20', '15:15') })
    rig.at = CLOSE + MINUTE_MS
    const effects = limit(rig, { intradayEndsAt: CLOSE })
    expect(placed(effects)).toMatchObject([{ kind: 'exit_eod', quantity: 75 }])
  })

  it('brings the square-off at an expiry forward, for the leg that it concerns', () => {
    const legs = [leg(), leg({ id: 2, symbol: 'NIFTY28NOV2624000PE' })]
    const rig = new Rig(definition({ legs }))
    rig.at = istInstant('2026-11-20', '11:00')
    rig.start()
    rig.fillAll(100)
    limit(rig, { squareOffAt: CLOSE - 10 * MINUTE_MS, expiresAt: CLOSE }, 2)
    rig.at = CLOSE - 10 * MINUTE_MS
    expect(placed(rig.retry(0))).toMatchObject([{ legId: 2, kind: 'exit_expiry' }])
  })

  it('counts until the calendar is corrected', () => {
    const rig = long()
    limit(rig, { closesAt: CLOSE })
    limit(rig, {})
    rig.at = CLOSE
    expect(placed(rig.retry(0))).toEqual([])
  })
})

describe('an exit above the freeze quantity', () => {
  const frozen = () => {
    const rig = long()
    limit(rig, { largestOrder: 50 })
    return rig
  }

  it('goes in pieces, one after another, and never more than is held', () => {
    const rig = frozen()
    const effects = rig.send({ type: 'stop', reason: 'manual', request: 'r' })
    expect(placed(effects)).toMatchObject([{ kind: 'exit_close_all', quantity: 50 }])
    rig.ack('o2')
    expect(replies(rig.effects)).toMatchObject([{ ok: true, stopPending: true }])
    expect(placed(rig.retry())).toEqual([])
    expect(placed(rig.fill('o2', 101, 20))).toEqual([])
    expect(placed(rig.fill('o2', 101))).toMatchObject([{ kind: 'exit_close_all', quantity: 25 }])
    rig.ack('o3')
    rig.fill('o3', 102)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'manual', isAgain: false }])
    expect(rig.run.snapshot().realized).toBe(50 * 1 + 25 * 2)
  })

  it('goes on after a crash between two pieces', () => {
    const rig = frozen()
    rig.send({ type: 'stop', reason: 'manual' })
    rig.ack('o2')
    rig.crash(undefined, [{ orderId: 'o2', status: 'complete', filledQuantity: 50, averagePrice: 101 }])
    expect(placed(rig.effects)).toMatchObject([{ kind: 'exit_close_all', action: 'SELL', quantity: 25 }])
  })
})

it('a contract that stands for several units multiplies profit, limits and totals, and no price', () => {
  const rig = long(
    { contractValue: 10, risk: { unit: 'points', stop: 5, target: null, trail: null } },
    {
      risk: { ...NO_RISK, overallStop: 2_000 },
    },
  )
  rig.tick(98)
  expect(rig.run.snapshot()).toMatchObject({
    unrealized: -1_500,
    trough: -1_500,
    legs: [{ entryAverage: 100, effectiveStop: 95, mtm: -1_500 }],
  })
  const effects = rig.tick(97)
  expect(kinds(effects)).toEqual(['overall_sl_hit', 'run_stop_requested'])
  rig.fillAll(97)
  expect(finished(rig.effects)).toMatchObject([{ reason: 'overall_sl', realized: -22_500_000n }])
})

describe('a fast market', () => {
  const trailing = () => long({ risk: { unit: 'points', stop: 10, target: null, trail: { x: 1, y: 1 } } })
  const messages = (effects: Parameters<typeof events>[0]) => events(effects).map(({ message }) => message)

  it('moves the stop with every tick, and tells it once a second with the newest level', () => {
    const rig = trailing()
    expect(messages(rig.tick(101))).toEqual(['Trailing stop armed on leg 1 at 91.00'])
    for (let price = 102; price <= 120; price += 1) {
      rig.at += 50
      expect(rig.tick(price)).toEqual([])
      expect(rig.run.snapshot().legs[0]?.effectiveStop).toBe(price - 10)
    }
    rig.at += 50
    expect(messages(rig.tick(119.5))).toEqual(['Trailing stop on leg 1 advanced to 110.00'])
    expect(placed(rig.tick(110))).toMatchObject([{ kind: 'exit_trail' }])
  })

  it('tells the last level in the next round when no tick follows', () => {
    const rig = trailing()
    rig.tick(101)
    rig.tick(105)
    expect(messages(rig.retry())).toEqual(['Trailing stop on leg 1 advanced to 95.00'])
    expect(rig.retry()).toEqual([])
  })

  it('tells a floor once a second, too', () => {
    const lockProfit = { mode: 'lock_and_trail', ifProfitReaches: 75, lockProfit: 0, trailStep: 75 } as const
    const rig = long({}, { risk: { ...NO_RISK, lockProfit } })
    expect(kinds(rig.tick(101))).toEqual(['lock_profit_armed'])
    for (let price = 102; price <= 110; price += 1) expect(rig.tick(price)).toEqual([])
    expect(rig.run.snapshot().lockFloor).toBe(675)
    expect(messages(rig.retry())).toEqual(['Lock profit floor advanced to 675.00'])
    expect(kinds(rig.tick(109))).toEqual(['lock_profit_triggered', 'run_stop_requested'])
  })

  it.each([3_600_000, -3_600_000])(
    'is told once a second, also after a step of the clock of %i ms',
    (step) => {
      const rig = trailing()
      rig.tick(101)
      rig.step(step)
      expect(messages(rig.tick(102))).toEqual([])
      rig.at += 1_000
      expect(messages(rig.tick(103))).toHaveLength(1)
    },
  )
})

it('a leg that takes no part in a run refuses its signals with the reason', () => {
  const rig = new Rig(
    definition({ kind: 'signal', unusable: [{ legId: 2, why: 'Leg 2: NOSUCH is not a contract on NSE' }] }),
  )
  rig.start()
  const effects = rig.send({ type: 'signal', legId: 2, signal: 'long_entry', request: 'r' })
  expect(replies(effects)).toMatchObject([{ ok: false, error: 'Leg 2: NOSUCH is not a contract on NSE' }])
})
