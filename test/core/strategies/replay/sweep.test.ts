import { describe, expect, it } from 'vitest'
import { parseStrategy } from '../../../../src/core/strategies/config/index.js'
import {
  combinationsOf,
  parseSetting,
  type ReplaySummary,
  ranked,
  replay,
} from '../../../../src/core/strategies/replay/index.js'
import { bars, CALL, flat, PUT, requestOf, straddle } from './rig.js'

const config = parseStrategy(straddle())
const combinations = (...settings: string[]) => combinationsOf(config, settings.map(parseSetting))

describe('settings', () => {
  it.each([
    ['leg1.sl=10..40:10', [10, 20, 30, 40]],
    ['leg1.sl=0.1..0.3:0.1', [0.1, 0.2, 0.3]],
    ['leg1.sl=10..45:20', [10, 30]],
    ['leg1.sl=30', [30]],
    ['leg1.sl=30,10,30', [30, 10]],
    ['entry_time=09:20,09:30', ['09:20', '09:30']],
  ])('%s', (text, values) => {
    expect(parseSetting(text).values).toEqual(values)
  })

  it.each([
    ['leg1.sl', 'is not FIELD=VALUES'],
    ['leg1.sl=', 'is not FIELD=VALUES'],
    ['=5', 'is not FIELD=VALUES'],
    ['leg11.sl=5', 'is not FIELD=VALUES'],
    ['leg1.sl=40..10:5', '10 is below 40'],
    ['leg1.sl=10..40:0', 'the step must be above 0'],
    ['leg1.sl=10..40:-5', 'the step must be above 0'],
    ['leg1.sl=10..40', '10..40 is not a range FROM..TO:STEP'],
    ['leg1.sl=0..1e9:0.0001', '0..1e9:0.0001 is not a range FROM..TO:STEP'],
    ['leg1.sl=0..999999999:0.0001', 'more than 10000 combinations'],
    ['leg1.sl=0..10000:1', 'more than 10000 combinations'],
    ['leg1.sl=1,,2', 'a value is empty'],
    ['name=x', 'this field is fixed'],
    ['legs=x', 'this field is fixed'],
    ['leg1.id=2', 'this field is fixed'],
    ['leg1.constructor=1', 'this field is fixed'],
    ['__proto__=1', 'this field is fixed'],
    ['leg1.__proto__.x=1', 'this field is fixed'],
  ])('refuses %s', (text, message) => {
    expect(() => parseSetting(text)).toThrow(message)
  })
})

describe('combinations', () => {
  it('are all choices of the values, the last setting fastest', () => {
    const all = combinations('leg1.sl=10,20', 'leg2.sl=30,40')
    expect(all.map(({ values }) => Object.values(values))).toEqual([
      [10, 30],
      [10, 40],
      [20, 30],
      [20, 40],
    ])
    expect(all[1]?.config.legs.map(({ sl_pts }) => sl_pts)).toEqual([10, 40])
  })

  it('leave the strategy as it is', () => {
    combinations('leg1.sl=10')
    expect(config).toEqual(parseStrategy(straddle()))
  })

  it.each([
    [['leg1.nonsense=1'], 'does not accept nonsense'],
    [['leg3.sl=1'], 'the strategy has no leg 3'],
    [['leg1.trail.x=1'], 'the strategy has no trail'],
    [['leg1.sl=x'], '--set leg1.sl=x: legs[0].sl_pts must be a number'],
    [['leg1.sl=-5'], 'legs[0].sl_pts must be a number of 0 or more'],
    [['entry_time=15:20'], 'entry_time must be earlier than exit_time'],
    [['leg1.sl=1', 'leg1.sl=2'], '--set names leg1.sl twice'],
    [['leg1.sl=1..200:1', 'leg2.sl=1..200:1'], 'more than 10000 combinations'],
  ])('refuse %j', (settings, message) => {
    expect(() => combinations(...settings)).toThrow(message)
  })

  it('take 10,000', () => {
    expect(combinations('leg1.sl=1..100:1', 'leg2.sl=1..100:1')).toHaveLength(10_000)
  })
})

describe('a sweep', () => {
  it('ranks the stops of a straddle', () => {
    // The call rises to 111 and falls to 90. Only a stop above 11 survives the rise.
    const files = [
      bars(`NFO:${CALL}`, [flat('09:20', 100), flat('09:21', 106), flat('09:22', 111), flat('15:15', 90)]),
      bars(`NFO:${PUT}`, [flat('09:20', 80), flat('15:15', 80)]),
    ]
    const request = requestOf(straddle(), files, { chosen: { 1: CALL, 2: PUT } })
    const results = combinationsOf(request.config, [parseSetting('leg1.sl=5..15:5')]).map((one) => ({
      values: one.values,
      summary: replay({ ...request, config: one.config }).summary,
    }))
    const order = (rank: 'pnl' | 'drawdown') => ranked(results, rank).map(({ values }) => values['leg1.sl'])
    // 15: 75 x 10 = 750, drawdown 825. 5: filled at 106, -450. 10: filled at 111, -825.
    expect(results.map(({ summary }) => [summary.pnl, summary.max_drawdown])).toEqual([
      [-450, -450],
      [-825, -825],
      [750, -825],
    ])
    expect(order('pnl')).toEqual([15, 5, 10])
    expect(order('drawdown')).toEqual([5, 10, 15])
  })

  it('puts results without the figure last, and keeps the order of equal ones', () => {
    const summary = (win_rate: number | null, pnl = 0) => ({ summary: { win_rate, pnl } as ReplaySummary })
    const rows = [summary(null, 1), summary(50, 2), summary(50, 3), summary(60, 4)]
    expect(ranked(rows, 'win_rate').map((one) => one.summary.pnl)).toEqual([4, 2, 3, 1])
  })
})
