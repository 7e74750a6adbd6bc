import { expect, it } from 'vitest'
import type { PnlDay } from '../../../src/tui/positions/feeds.js'
import { PnlCharts, pnlLines } from '../../../src/tui/positions/PnlCharts.js'
import { render } from '../support/render.js'

const points = (values: readonly number[]) =>
  values.map((value, minute) => ({ time: Date.parse('2026-11-20T09:15:00+05:30') + minute * 60_000, value }))

function dayOf(pnl: readonly number[], drawdown: readonly number[]): PnlDay {
  return {
    current_mtm: pnl.at(-1) ?? 0,
    max_mtm: Math.max(0, ...pnl),
    max_mtm_time: null,
    min_mtm: Math.min(0, ...pnl),
    min_mtm_time: null,
    max_drawdown: Math.min(0, ...drawdown),
    pnl_series: points(pnl),
    drawdown_series: points(drawdown),
  }
}

function linesOf(day: PnlDay, isWide: boolean, height = 12): readonly string[] {
  const live = { content: day, problem: undefined, readAt: 1 }
  const charts = <PnlCharts day={live} isWide={isWide} width={80} height={height} />
  return (render(charts).lastFrame() ?? '').trimEnd().split('\n')
}

it('two flat charts are two lines, and ask for no more', () => {
  const day = dayOf([0, 0, 0], [0, 0, 0])
  expect(pnlLines(day, 12)).toBe(2)
  expect(linesOf(day, true, 2)).toEqual([
    'P&L ₹  0.00 from 09:15 to 09:17',
    'Drawdown ₹  0.00 from 09:15 to 09:17',
  ])
})

it('a flat drawdown is one line below the profit, which has the whole width', () => {
  const day = dayOf([0, 5, 9], [0, 0, 0])
  expect(pnlLines(day, 12)).toBe(12)
  const lines = linesOf(day, true)
  expect(lines).toHaveLength(12)
  expect(lines[0]).toBe('P&L ₹')
  expect(lines[1]).toMatch(/^9\.00 ┤ +[\u2801-\u28ff]+$/)
  expect(lines[1]).toHaveLength(80)
  expect(lines.at(-1)).toBe('Drawdown ₹  0.00 from 09:15 to 09:17')
})

it.each([
  [true, /^P&L ₹ +Drawdown ₹$/],
  [false, /^P&L ₹$/],
])('two charts that move stand beside or below each other: %s', (isWide, first) => {
  const day = dayOf([0, 5, 2], [0, 0, -3])
  const lines = linesOf(day, isWide)
  expect(lines).toHaveLength(12)
  expect(lines[0]).toMatch(first)
})

it('the charts begin with the first trade: before it nothing was held', () => {
  const day = dayOf([0, 0, 0, 0, 5, 2, 9], [0, 0, 0, 0, 0, -3, 0])
  expect(linesOf(day, true).at(-1)).toMatch(/^ +09:18 .* 09:18 /)
  expect(linesOf(dayOf([0, 0, 0, 0, 5], [0, 0, 0, 0, 0]), true, 2)).toEqual([
    'P&L ₹  0.00 at 09:18, 5.00 at 09:19',
    'Drawdown ₹  0.00 at 09:18, 0.00 at 09:19',
  ])
})

it('a day without a series is one line', () => {
  expect(pnlLines(undefined, 12)).toBe(1)
  expect(pnlLines(dayOf([], []), 12)).toBe(1)
})
