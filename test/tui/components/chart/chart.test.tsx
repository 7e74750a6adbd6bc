import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { istInstant } from '../../../../src/core/time/index.js'
import type { Point } from '../../../../src/tui/components/chart/braille.js'
import { Chart, type ChartSeries, isFlat } from '../../../../src/tui/components/chart/Chart.js'
import { type ChartForm, pictureOf } from '../../../../src/tui/components/chart/chart-picture.js'
import { render } from '../../support/render.js'

const SIZE: ChartForm = {
  width: 60,
  height: 12,
  hasZero: false,
  valueText: (value) => String(value),
  timeText: (time) => `t${time}`,
}
const anyValue = fc.oneof(
  fc.double(),
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(0, -0, 1e300, -1e300, Number.MAX_VALUE, -Number.MAX_VALUE, Number.NaN),
)
const anyPoint = fc.record({ time: fc.oneof(fc.nat(100_000), fc.double()), value: anyValue })
const anySeries = fc.array(fc.array(anyPoint, { maxLength: 40 }), { minLength: 1, maxLength: 2 })
const anySize = fc.record({
  width: fc.integer({ min: 1, max: 120 }),
  height: fc.integer({ min: 1, max: 40 }),
  hasZero: fc.boolean(),
})

const isBraille = (text: string) => /[\u2801-\u28ff]/.test(text)
const finite = (series: readonly (readonly Point[])[]) =>
  series.flat().filter(({ time, value }) => Number.isFinite(time) && Number.isFinite(value))

describe('the drawing', () => {
  it('lies inside its area, whatever the points are', () => {
    fc.assert(
      fc.property(anySeries, anySize, (series, size) => {
        const picture = pictureOf(series, { ...SIZE, ...size, timeText: () => '09:15' })
        if (picture === undefined) return
        const { lines, axis } = picture
        expect(lines).toHaveLength(size.height - 1)
        const widths = lines.map(({ label, runs }) => {
          const text = runs.map((run) => run.text).join('')
          expect(text).toMatch(/^[ \u2801-\u28ff]*$/)
          return stringWidth(label) + 2 + stringWidth(text)
        })
        expect(widths.every((width) => width === size.width)).toBe(true)
        expect(axis.length).toBeLessThanOrEqual(size.width)
      }),
    )
  })

  it('labels the extremes, and has the highest point in the first line and the lowest in the last', () => {
    fc.assert(
      fc.property(anySeries, fc.boolean(), (series, hasZero) => {
        const values = finite(series).map(({ value }) => value)
        const picture = pictureOf(series, { ...SIZE, hasZero, timeText: () => '09:15' })
        if (values.length === 0) {
          expect(picture).toBeUndefined()
          return
        }
        const [high, low] = [Math.max(...values), Math.min(...values)]
        const [top, bottom] = hasZero ? [Math.max(0, high), Math.min(0, low)] : [high, low]
        if (picture === undefined || top === bottom || !Number.isFinite(top - bottom)) return
        const { lines } = picture
        expect(Number(lines[0]?.label)).toBe(top + 0)
        expect(Number(lines.at(-1)?.label)).toBe(bottom + 0)
        const has = (row: number) => lines.at(row)?.runs.some(({ text }) => isBraille(text))
        // A dashed point may fall into a gap.
        const [first = []] = series
        if (finite([first]).some(({ value }) => value === top)) expect(has(0)).toBe(true)
        if (finite([first]).some(({ value }) => value === bottom)) expect(has(-1)).toBe(true)
      }),
    )
  })

  it('knows the column of each time inside, where the line has its dot', () => {
    const line = [2, 5, 4, 8].map((value, minute) => ({ time: 10 * minute, value }))
    const picture = pictureOf([line], SIZE)
    const width = SIZE.width - '8'.length - 2
    expect([0, 15, 30].map((time) => picture?.columnOf(time))).toEqual([0, Math.floor(width / 2), width - 1])
    expect([-1, 31].map((time) => picture?.columnOf(time))).toEqual([undefined, undefined])
  })

  it('puts a single value in the middle, with its label', () => {
    const picture = pictureOf([[{ time: 5, value: 7 }]], SIZE)
    expect(picture?.lines.map(({ label }) => label.trim()).filter((label) => label !== '')).toEqual(['7'])
    expect(picture?.axis.trim()).toBe('t5')
  })
})

const NINE_FIFTEEN = istInstant('2026-11-20', '09:15:00')
const points = (...values: number[]) =>
  values.map((value, minute) => ({ time: NINE_FIFTEEN + minute * 60_000, value }))

function chart(series: readonly ChartSeries[], width: number, height: number, hasZero = true) {
  return render(<Chart {...{ title: 'P&L ₹', series, width, height, hasZero }} />)
}
const pnl = { name: 'P&L', points: points(0, 500, -250, 1250.5, 900) }

describe('the chart', () => {
  it('shows values at the left, times below, and a line of zero', () => {
    const lines = chart([pnl], 60, 12).lastFrame()?.split('\n') ?? []
    expect(lines[0]).toBe('P&L ₹')
    expect(lines[1]).toMatch(/^1,250\.50 ┤.*[\u2801-\u28ff]/)
    expect(lines[10]).toMatch(/^ -250\.00 ┤.*[\u2801-\u28ff]/)
    expect(lines.find((line) => line.includes('┄'))).toMatch(/^ {4}0\.00 ┤/)
    expect(lines[11]).toMatch(/^ {10}09:15 +09:16 .*09:19$/)
  })

  it('has no line of zero for prices', () => {
    const price = { name: 'price', points: points(800, 812.5, 806) }
    expect(chart([price], 60, 12, false).lastFrame()).not.toContain('┄')
  })

  it('draws a second series dashed, and names both', () => {
    const second = { name: 'drawdown', points: points(0, 0, -750, 0, -350.5) }
    const frame = chart([pnl, second], 60, 12).lastFrame() ?? ''
    expect(frame).toContain('P&L ₹  P&L (line), drawdown (dashed)')
    expect(frame).toMatch(/-750\.00 ┤/)
  })

  it.each([
    [80, 24],
    [40, 8],
    [20, 4],
    [14, 3],
    [6, 2],
  ])('fits into %i by %i', (width, height) => {
    const lines = chart([pnl], width, height).lastFrame()?.split('\n') ?? []
    expect(lines.length).toBeLessThanOrEqual(height)
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width)
  })

  it('draws again in another size', () => {
    const app = chart([pnl], 60, 12)
    app.rerender(<Chart title="P&L ₹" series={[pnl]} width={30} height={6} hasZero />)
    const lines = app.lastFrame()?.split('\n') ?? []
    expect(lines.length).toBeLessThanOrEqual(6)
    expect(lines.at(-1)).toMatch(/^ +09:15.*09:19$/)
  })

  it.each([
    ['a constant', points(0, 0, 0, 0), 'P&L ₹  0.00 from 09:15 to 09:18'],
    ['two values', points(0, 12.5), 'P&L ₹  0.00 at 09:15, 12.50 at 09:16'],
    ['one value', points(-3), 'P&L ₹  -3.00 at 09:15'],
    [
      'a constant with holes',
      [...points(4, 4), { time: Number.NaN, value: 9 }, ...points(4)],
      'P&L ₹  4.00 from',
    ],
  ])('is one line for %s', (_, values, line) => {
    const series = [{ name: 'P&L', points: values }]
    expect(isFlat(series)).toBe(true)
    const lines = chart(series, 60, 12).lastFrame()?.trimEnd().split('\n') ?? []
    expect(lines).toEqual([expect.stringContaining(line)])
  })

  it('is drawn for three values that differ, and for two series', () => {
    expect(isFlat([{ name: 'P&L', points: points(0, 0, 1) }])).toBe(false)
    expect(isFlat([pnl, { name: 'drawdown', points: points(0, 0) }])).toBe(false)
  })

  it('says that there is nothing to draw, or no room', () => {
    expect(chart([{ name: 'P&L', points: [] }], 60, 12).lastFrame()).toContain('No values yet.')
    expect(chart([pnl], 12, 3).lastFrame()).toContain('Too small')
  })
})
