import { describe, expect, it } from 'vitest'
import type { LegRisk, RunRisk } from '../../../../src/core/strategies/engine/definition.js'
import type { RunEffect } from '../../../../src/core/strategies/engine/messages.js'
import { definition, events, kinds, leg, NO_RISK, placed, Rig } from './rig.js'

const risk = (more: Partial<LegRisk>): LegRisk => ({
  unit: 'points',
  stop: null,
  target: null,
  trail: null,
  ...more,
})

const CLOSED = new Set(['NFO'])
const OPEN = new Set<string>()

/** Long A and short B, 75 units each at 100: both prices may move by any amount, and the run is at 0. */
function hedged(more: Partial<RunRisk> = { overallStop: 1_500 }, at = 1_000): Rig {
  const legs = [leg({ symbol: 'A' }), leg({ id: 2, symbol: 'B', position: 'S' })]
  const rig = new Rig(definition({ legs, risk: { ...NO_RISK, ...more } }))
  rig.at = at
  rig.start()
  rig.fillAll(100)
  rig.tick(100, 'A')
  rig.tick(100, 'B')
  return rig
}

const stale = (rig: Rig, symbol: string): readonly RunEffect[] =>
  rig.send({ type: 'feed', symbol, exchange: 'NFO', source: 'stale' })

/** Retries every five seconds, with a price of A each time. @returns the events */
function ticksOfA(rig: Rig, price: number, ms: number) {
  const all = []
  for (const end = rig.at + ms; rig.at < end; )
    all.push(...events(rig.retry()), ...events(rig.tick(price, 'A')))
  return all
}

describe('the total of a hedged pair', () => {
  it.each([
    ['with', undefined],
    ['without', null],
  ] as const)(
    'is judged after a restart %s a checkpoint only once both legs have a price',
    (_, checkpoint) => {
      const rig = hedged()
      rig.crash(checkpoint)
      expect(kinds(rig.tick(70, 'A'))).toEqual([])
      expect(kinds(rig.tick(70, 'B'))).toEqual([])
      expect(kinds(rig.tick(91, 'B'))).toEqual(['overall_sl_hit', 'run_stop_requested'])
    },
  )

  it('is not judged while a leg has no price yet', () => {
    const legs = [leg({ symbol: 'A' }), leg({ id: 2, symbol: 'B', position: 'S' })]
    const rig = new Rig(definition({ legs, risk: { ...NO_RISK, overallStop: 1_500 } }))
    rig.start()
    rig.fillAll(100)
    expect(kinds(rig.tick(70, 'A'))).toEqual([])
    expect(kinds(rig.tick(71, 'B'))).toEqual([])
  })

  it('mixes no price of today with one of the day before', () => {
    const rig = hedged(undefined, Date.parse('2026-11-19T15:29:00+05:30'))
    rig.at = Date.parse('2026-11-20T09:15:00+05:30')
    expect(kinds(rig.tick(70, 'A'))).toEqual([])
    expect(kinds(rig.tick(70, 'B'))).toEqual([])
    expect(kinds(rig.tick(91, 'B'))).toContain('overall_sl_hit')
  })

  it('takes no price from before the opening for one of the session', () => {
    const rig = hedged()
    rig.send({ type: 'retry', closed: CLOSED })
    rig.tick(100, 'B')
    rig.at += 10 * 60_000
    rig.send({ type: 'retry', closed: OPEN })
    expect(kinds(rig.tick(70, 'A'))).toEqual([])
    expect(kinds(rig.tick(70, 'B'))).toEqual([])
    expect(kinds(rig.tick(69, 'A'))).toEqual([])
    expect(kinds(rig.tick(50, 'A'))).toContain('overall_sl_hit')
  })

  it('takes no price of a trade before the opening for one of the session', () => {
    const rig = hedged(undefined, Date.parse('2026-11-19T15:29:00+05:30'))
    rig.at = Date.parse('2026-11-20T09:15:10+05:30')
    expect(kinds(rig.tick(70, 'A'))).toEqual([])
    // Its quote repeats the last trade of the day before.
    expect(kinds(rig.send({ type: 'tick', symbol: 'B', exchange: 'NFO', price: 100, isOld: true }))).toEqual(
      [],
    )
    expect(kinds(rig.tick(70, 'B'))).toEqual([])
    expect(kinds(rig.tick(91, 'B'))).toContain('overall_sl_hit')
  })

  it('is not judged while a leg is stale, and again at its first price, although that is the old one', () => {
    const rig = hedged()
    stale(rig, 'B')
    expect(kinds(rig.tick(70, 'A'))).toEqual([])
    expect(kinds(rig.tick(100, 'B'))).toContain('overall_sl_hit')
  })

  it.each([
    ['target', { overallTarget: 500 }],
    ['profit lock', { lockProfit: { mode: 'lock', ifProfitReaches: 500, lockProfit: 400, trailStep: null } }],
  ] as const)('reaches no %s while the fill of a leg has no price', (_, more) => {
    const legs = [leg({ symbol: 'A' }), leg({ id: 2, symbol: 'B', position: 'S' })]
    const rig = new Rig(definition({ legs, risk: { ...NO_RISK, ...more } }))
    rig.start()
    for (const id of ['o1', 'o2']) rig.ack(id)
    rig.update('o2', 'complete', 75, null)
    rig.fill('o1', 100)
    expect(kinds(rig.tick(110, 'B'))).toEqual([])
    expect(kinds(rig.tick(110, 'A'))).toEqual([])
    expect(ticksOfA(rig, 110, 120_000)).toEqual([])
    expect(rig.run.snapshot()).toMatchObject({ peak: 0, isLockArmed: false })
    expect(kinds(rig.update('o2', 'complete', 75, 105))).toEqual(['leg_entry_filled'])
    expect(rig.run.snapshot()).toMatchObject({ total: 375, peak: 375 })
  })

  it('moves peak, trough and floor only at current prices', () => {
    const lockProfit = { mode: 'lock', ifProfitReaches: 700, lockProfit: 300, trailStep: null } as const
    const rig = hedged({ lockProfit })
    stale(rig, 'B')
    rig.tick(120, 'A')
    rig.tick(70, 'A')
    expect(rig.run.snapshot()).toMatchObject({ peak: 0, trough: 0, isLockArmed: false })
    rig.tick(60, 'B')
    expect(rig.run.snapshot()).toMatchObject({ peak: 750, isLockArmed: true })
  })
})

describe('a run whose total stays unknown', () => {
  it('stops at a loss by the last known prices after a minute, and says so', () => {
    const rig = hedged()
    stale(rig, 'B')
    expect(ticksOfA(rig, 70, 60_000)).toEqual([])
    const [hit] = ticksOfA(rig, 70, 5_000)
    expect(hit).toMatchObject({
      kind: 'overall_sl_hit',
      message: expect.stringContaining('For a minute B had no current price'),
      payload: { legs: [{ is_valued: true }, { is_valued: false }] },
    })
    expect(placed(rig.effects)).toMatchObject([
      {},
      {},
      { kind: 'exit_overall_sl' },
      { kind: 'exit_overall_sl' },
    ])
  })

  it('does so without any tick', () => {
    const rig = hedged()
    stale(rig, 'B')
    rig.tick(70, 'A')
    stale(rig, 'A')
    const told = Array.from({ length: 13 }, () => kinds(rig.retry()))
    expect(told.slice(0, 11).flat()).toEqual([])
    expect(told.flat()).toContain('overall_sl_hit')
  })

  it('does not take a profit at old prices', () => {
    const rig = hedged({ overallTarget: 1_500 })
    stale(rig, 'B')
    expect(ticksOfA(rig, 130, 300_000)).toEqual([])
  })

  it('waits as long as every exchange is closed', () => {
    const rig = hedged()
    const closed: RunEffect[] = []
    for (let minute = 0; minute < 60; minute++) {
      rig.at += 60_000
      closed.push(...rig.send({ type: 'retry', closed: CLOSED }))
    }
    rig.tick(70, 'A')
    closed.push(...rig.send({ type: 'retry', closed: CLOSED }))
    expect(closed).toEqual([])
    expect(kinds(rig.send({ type: 'retry', closed: OPEN }))).toEqual([])
    expect(kinds(rig.tick(70, 'B'))).toEqual([])
  })
})

describe('the overall stop, once the stops of other legs are at their entries', () => {
  /** A has a stop at 90. The others go on when it is hit, and B is a rupee in profit. */
  const started = (overallStop: number, others: readonly string[], reentry = false): Rig => {
    const again = reentry ? ({ on: 'sl', mode: 'asap', max: 10 } as const) : null
    const legs = [
      leg({ symbol: 'A', risk: risk({ stop: 10 }), reentry: again }),
      ...others.map((symbol, index) => leg({ id: 2 + index, symbol })),
    ]
    const rig = new Rig(definition({ legs, risk: { ...NO_RISK, overallStop, trailToEntry: true } }))
    rig.start()
    rig.fillAll(100)
    rig.tick(101, 'B')
    return rig
  }

  it('is off while each held position has its own stop there', () => {
    const rig = started(700, ['B'])
    rig.tick(90, 'A')
    rig.fillAll(90)
    expect(rig.run.snapshot()).toMatchObject({ isTrailToEntryActive: true, total: -675 })
    expect(kinds(rig.tick(100.5, 'B'))).toEqual([])
    expect(kinds(rig.tick(100, 'B'))).toEqual(['leg_sl_hit'])
  })

  it('counts for a losing leg that has no stop of its own', () => {
    const rig = started(1_500, ['B', 'C'])
    rig.tick(99, 'C')
    rig.tick(90, 'A')
    rig.fillAll(90)
    expect(rig.run.snapshot().isTrailToEntryActive).toBe(true)
    expect(kinds(rig.tick(20, 'C'))).toContain('overall_sl_hit')
  })

  it('counts for a leg that entered again', () => {
    const rig = started(1_500, ['B'], true)
    for (const price of [90, 80]) {
      rig.tick(price, 'A')
      rig.fillAll(price)
      rig.fillAll(price)
    }
    expect(rig.run.snapshot()).toMatchObject({ isTrailToEntryActive: true, total: -1_425 })
    expect(kinds(rig.tick(79, 'A'))).toContain('overall_sl_hit')
  })
})
