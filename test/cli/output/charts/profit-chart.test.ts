import { expect, it } from 'vitest'
import { profitChartOf } from '../../../../src/cli/output/charts/profit-chart.js'

const chart = (values: readonly number[], size: { width: number; height: number }) =>
  profitChartOf(
    values.map((value, minute) => ({ time: minute, value })),
    size,
    (time) => `m${time}`,
  )

it('gains stand on the zero line, losses hang from it', () => {
  expect(chart([0, 10, 20, -10, -20], { width: 20, height: 4 })).toBe(` 20.00 ┤  █
       ┤ ██
  0.00 ┤   ██
-20.00 ┤    █
        m0 m4
`)
})

it('losses alone hang from the top', () => {
  expect(chart([0, -5, -10], { width: 20, height: 2 })).toBe(`  0.00 ┤ ██
-10.00 ┤  █
        m0
`)
})

it('a small value beside a large one is still visible', () => {
  const lines = chart([1000, -1, 0.01], { width: 20, height: 3 }).split('\n')
  expect(lines[2]).toContain('-1.00')
  expect(lines.slice(0, 3).every((line) => line.includes('┤'))).toBe(true)
  expect(lines.join('\n')).toMatch(/[▀▄]/)
})

it('keeps the peaks when there are more points than columns', () => {
  const values = Array.from({ length: 375 }, (_, minute) =>
    minute === 100 ? 900 : minute === 300 ? -400 : 1,
  )
  const drawn = chart(values, { width: 40, height: 6 })
  expect(drawn).toContain('900.00')
  expect(drawn).toContain('-400.00')
})

it.each([[[0]], [[0, 0, 0]], [[5]], [[-5]]])('draws %j', (values) => {
  const lines = chart(values, { width: 20, height: 3 }).trimEnd().split('\n')
  expect(lines).toHaveLength(4)
})

it('draws nothing without points', () => {
  expect(chart([], { width: 20, height: 3 })).toBe('')
})
