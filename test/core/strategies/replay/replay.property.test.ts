import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toMoney, toRupees } from '../../../../src/core/money/index.js'
import {
  type BarFile,
  combinationsOf,
  parseSetting,
  type ReplayReport,
  replay,
} from '../../../../src/core/strategies/replay/index.js'
import { bars, CALL, PUT, play, requestOf, signalStrategy, straddle } from './rig.js'

/*
 * Random bars around the entry and exit times of a strategy: its entry is at 09:20, its exit at 09:50, the bars go from
 * 09:15 to 09:59 on two days, with some missing.
 */

const DAYS = ['2026-11-19', '2026-11-20']
const MINUTES = Array.from({ length: 45 }, (_, minute) => `09:${15 + minute}`)

/** A walk in paise, so that sums are exact in rupees of two decimals. */
const walk = (start: number) =>
  fc
    .array(
      fc.record({
        moves: fc.tuple(...Array.from({ length: 3 }, () => fc.integer({ min: -400, max: 400 }))),
        isMissing: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
      }),
      { minLength: 2 * MINUTES.length, maxLength: 2 * MINUTES.length },
    )
    .map((steps) => rowsOf(start, steps))

function rowsOf(start: number, steps: readonly { moves: readonly number[]; isMissing: boolean }[]): string[] {
  let price = start * 100
  return steps.flatMap(({ isMissing, moves }, index) => {
    const path = [price]
    for (const move of moves) path.push(Math.max(500, (path.at(-1) ?? price) + move))
    price = path.at(-1) ?? price
    if (isMissing) return []
    const [open = 0, close = 0] = [path[0], path.at(-1)]
    const rupees = [open, Math.max(...path), Math.min(...path), close].map((paise) => paise / 100)
    const day = DAYS[Math.floor(index / MINUTES.length)]
    return [`${day} ${MINUTES[index % MINUTES.length]} ${rupees.join(' ')}`]
  })
}

const level = fc.option(fc.integer({ min: 1, max: 12 }), { nil: null })
const option = (option_type: 'CE' | 'PE') =>
  fc.record({
    segment: fc.constant('options'),
    position: fc.constantFrom('B', 'S'),
    lots: fc.integer({ min: 1, max: 3 }),
    expiry: fc.constant('weekly'),
    option_type: fc.constant(option_type),
    strike_mode: fc.constant('strike'),
    strike: fc.constant(26_000),
    sl_pts: fc.integer({ min: 1, max: 12 }),
    target_pts: level,
    trail: fc.option(fc.record({ x: fc.integer({ min: 1, max: 5 }), y: fc.integer({ min: 0, max: 3 }) }), {
      nil: null,
    }),
    reentry: fc.option(
      fc.record({
        on: fc.constant('sl'),
        mode: fc.constantFrom('asap', 'cost'),
        max: fc.integer({ min: 1, max: 4 }),
      }),
      { nil: null },
    ),
  })
const strategy = fc
  .record({
    legs: fc.tuple(option('CE'), option('PE')),
    overall_sl_mtm: fc.option(fc.integer({ min: 100, max: 3000 }), { nil: null }),
    overall_target_mtm: fc.option(fc.integer({ min: 100, max: 3000 }), { nil: null }),
    trail_sl_to_entry: fc.boolean(),
  })
  .map((more) => straddle({ exit_time: '09:50', ...more }))
const market = fc
  .tuple(walk(100), walk(80))
  .filter((series) => series.every((rows) => rows.length > 0))
  .map(([call, put]): [BarFile, BarFile] => [bars(`NFO:${CALL}`, call), bars(`NFO:${PUT}`, put)])
const steps = fc.constantFrom(1, 4)

const sumOf = (report: ReplayReport) =>
  toRupees(report.trades.reduce((sum, { pnl }) => sum + toMoney(pnl), 0n))
const timeOf = (time: string | null) => time?.slice(11, 19) ?? ''

describe('every replay', () => {
  it('has trades whose profits add up to the profit of the runs, of the last point and of the summary', () => {
    fc.assert(
      fc.property(strategy, market, steps, (config, files, steps) => {
        const report = play(config, files, { steps })
        const runs = toRupees(report.runs.reduce((sum, { pnl }) => sum + toMoney(pnl), 0n))
        expect([sumOf(report), runs, report.pnl.at(-1)?.pnl]).toEqual(Array(3).fill(report.summary.pnl))
        const deepest = Math.min(0, ...report.pnl.map(({ drawdown }) => drawdown))
        expect(report.summary.max_drawdown).toBe(deepest)
      }),
      { numRuns: 60 },
    )
  })

  it('places no entry outside the entry and exit times, and holds nothing after the exit but for a price', () => {
    fc.assert(
      fc.property(strategy, market, steps, (config, files, steps) => {
        const { events, trades } = play(config, files, { steps })
        const entries = events
          .filter(({ kind }) => kind === 'leg_entry_placed')
          .map(({ time }) => timeOf(time))
        expect(entries.filter((time) => time < '09:20:00' || time >= '09:50:00')).toEqual([])
        const exits = events.filter(({ kind }) => kind === 'leg_exit_placed').map(({ time }) => timeOf(time))
        expect(exits.filter((time) => time > '09:50:00')).toEqual([])
        for (const { entry_time, exit_time } of trades)
          if (exit_time) expect(exit_time >= entry_time).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('looks at nothing ahead: later bars change no earlier event', () => {
    fc.assert(
      fc.property(strategy, market, fc.integer({ min: 1, max: 80 }), (config, files, cut) => {
        const shorter = files.map((file) => ({
          ...file,
          text: file.text
            .split('\n')
            .filter((line, index) => index === 0 || line === '' || timeOfRow(line) < cut)
            .join('\n'),
        }))
        if (shorter.some(({ text }) => text.trim().split('\n').length < 2)) return
        const [whole, part] = [play(config, files), play(config, shorter)]
        expect(whole.events.slice(0, part.events.length)).toEqual(part.events)
      }),
      { numRuns: 40 },
    )
  })

  it('has the same result whatever the order of files and rows', () => {
    fc.assert(
      fc.property(strategy, market, fc.infiniteStream(fc.nat()), (config, files, random) => {
        const turned = files.toReversed().map((file) => shuffled(file, random))
        expect(play(config, turned)).toEqual(play(config, files))
        const joined = {
          name: 'all.csv',
          text: files.map(({ text }, i) => (i ? withoutHeading(text) : text)).join(''),
        }
        expect(play(config, [joined])).toEqual(play(config, files))
      }),
      { numRuns: 30 },
    )
  })

  it('is the same as a sweep with one value', () => {
    fc.assert(
      fc.property(market, fc.integer({ min: 1, max: 12 }), (files, stop) => {
        const request = requestOf(straddle({ exit_time: '09:50' }), files, { chosen: { 1: CALL, 2: PUT } })
        const [one, ...others] = combinationsOf(request.config, [parseSetting(`leg1.sl=${stop}..${stop}:1`)])
        if (!one) throw new Error('no combination')
        expect(others).toEqual([])
        const [call, put] = request.config.legs
        const config = requestOf({ ...request.config, legs: [{ ...call, sl_pts: stop }, put] }, files).config
        expect(replay({ ...request, config: one.config })).toEqual(replay({ ...request, config }))
      }),
      { numRuns: 20 },
    )
  })

  it('plays signals: the trades add up, and no order follows the exit time', () => {
    const signal = fc.tuple(
      fc.constantFrom(...MINUTES),
      fc.constantFrom('long_entry', 'long_exit', 'short_entry', 'short_exit'),
    )
    fc.assert(
      fc.property(walk(800), fc.array(signal, { maxLength: 20 }), (rows, signals) => {
        const lines = signals.map(([time, word]) => `2026-11-20 ${time},${word}`)
        const report = play(signalStrategy({ exit_time: '09:50' }), [bars('NSE:SBIN', rows)], {
          signals: ['time,signal', ...lines].join('\n'),
        })
        expect(sumOf(report)).toBe(report.summary.pnl)
        const placed = report.events
          .filter(({ kind }) => kind.endsWith('_placed'))
          .map(({ time }) => timeOf(time))
        expect(placed.filter((time) => time < '09:20:00' || time > '09:50:00')).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

/** Minutes of a row since 09:15 of the first day. */
function timeOfRow(line: string): number {
  const [, , time = ''] = line.split(',')
  const [date = '', clock = ''] = time.split(' ')
  return DAYS.indexOf(date) * MINUTES.length + MINUTES.indexOf(clock)
}

function withoutHeading(text: string): string {
  return text.slice(text.indexOf('\n') + 1)
}

function shuffled(file: BarFile, random: fc.Stream<number>): BarFile {
  const [heading = '', ...rows] = file.text.trim().split('\n')
  const keyed = rows.map((row) => ({ row, key: random.next().value ?? 0 }))
  const lines = keyed.sort((a, b) => a.key - b.key).map(({ row }) => row)
  return { ...file, text: `${[heading, ...lines].join('\n')}\n` }
}
