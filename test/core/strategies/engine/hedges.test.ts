import { describe, expect, it } from 'vitest'
import { definition, leg, Rig } from './rig.js'

/** A run that buys a leg (`o1`) and sells one (`o2`). */
function started(kind: 'batch' | 'signal' = 'batch'): Rig {
  const rig = new Rig(definition({ kind, legs: [leg({ position: 'S' }), leg({ id: 2, symbol: 'B' })] }))
  if (kind === 'batch') rig.start()
  return rig
}

describe('the purchase that a sale of the same start needs', () => {
  it.each<[string, (rig: Rig) => unknown, string | undefined]>([
    ['has not left', () => undefined, 'waiting'],
    ['waits for approval', (rig) => rig.ack('o1', { outcome: 'queued' }), 'waiting'],
    ['is in doubt', (rig) => rig.ack('o1', { outcome: 'unknown' }), 'waiting'],
    ['is at the broker', (rig) => rig.ack('o1'), 'open'],
    ['has filled in part', (rig) => [rig.ack('o1'), rig.fill('o1', 100, 25)], undefined],
    ['was refused', (rig) => rig.refuse('o1'), 'missing'],
    ['was rejected after its answer', (rig) => [rig.ack('o1'), rig.update('o1', 'rejected')], 'missing'],
    [
      'was cancelled after a part',
      (rig) => [rig.fill('o1', 100, 25), rig.update('o1', 'cancelled', 25, 100)],
      undefined,
    ],
  ])('%s', (_, before, hedge) => {
    const rig = started()
    before(rig)
    expect(rig.run.hedgeOf('o2')).toBe(hedge)
    expect(rig.run.hedgeOf('o1'), 'a purchase needs none').toBeUndefined()
  })

  it('does not concern a leg that enters again', () => {
    const reentry = { on: 'any', mode: 'asap', max: 1 } as const
    const risk = { unit: 'points', stop: 10, target: null, trail: null } as const
    const sold = leg({ position: 'S', risk, reentry })
    const rig = new Rig(definition({ legs: [sold, leg({ id: 2, symbol: 'B' })] }))
    rig.start()
    rig.fillAll(100)
    rig.tick(111)
    rig.fillAll(111)
    const again = [...rig.rows.values()].at(-1)
    expect(again).toMatchObject({ kind: 'entry', action: 'SELL' })
    expect(rig.run.hedgeOf(again?.id ?? '')).toBeUndefined()
  })
})
