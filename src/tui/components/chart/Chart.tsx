import { Box, Text } from 'ink'
import { memo, useContext, useMemo } from 'react'
import { istTime } from '../../../core/time/index.js'
import { visible } from '../../../views/table/cells.js'
import { cut } from '../../terminal/fit.js'
import { PaintedLine, type Part } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import { ThemeContext, type Tone } from '../../terminal/theme.js'
import { isDrawable, type Point } from './braille.js'
import { type ChartLine, pictureOf } from './chart-picture.js'

export interface ChartSeries {
  name: string
  points: readonly Point[]
  tone?: Tone
}

interface ChartProps extends Area {
  title: string
  /** One series, or two: the second is dashed. */
  series: readonly ChartSeries[]
  /** True if the values are gains and losses: zero is always in the picture. */
  hasZero?: boolean
  /** True for values that may be old: they are dimmed. */
  isStale?: boolean
}

/** Fewer values are read sooner than a line between them. */
const LEAST_POINTS = 3

/** Returns whether one line says all that a chart would show: few values, or one value all the time. */
export function isFlat(series: readonly ChartSeries[]): boolean {
  const [first, ...others] = series.map(({ points }) => points.filter(isDrawable))
  if (first === undefined || others.some(({ length }) => length > 0)) return false
  return first.length < LEAST_POINTS || first.every(({ value }) => value === first[0]?.value)
}

/** A line chart of braille dots with values at the left and times below. Its first line is the title. A flat one is one line. */
export const Chart = memo(function Chart(props: ChartProps) {
  return isFlat(props.series) ? <FlatChart {...props} /> : <DrawnChart {...props} />
})

function FlatChart({ title, series, width, height, isStale = false }: ChartProps) {
  const { utc } = useContext(ThemeContext)
  const points = series.flatMap((one) => one.points.filter(isDrawable))
  const text = flatText(points, utc ? utcTime : indianTime)
  const parts = [{ text: visible(title), isBold: true }, { text: `  ${text}` }]
  return (
    <Box flexDirection="column" width={width} height={height}>
      <PaintedLine parts={parts} width={width} isDim={isStale} />
    </Box>
  )
}

/** Returns few values with their times, or one value with the time that it holds. */
function flatText(points: readonly Point[], timeText: (time: number) => string): string {
  const [first, last] = [points.at(0), points.at(-1)]
  if (first === undefined || last === undefined) return 'No values yet.'
  if (points.length < LEAST_POINTS) {
    return points.map(({ time, value }) => `${valueText(value)} at ${timeText(time)}`).join(', ')
  }
  return `${valueText(first.value)} from ${timeText(first.time)} to ${timeText(last.time)}`
}

function DrawnChart(props: ChartProps) {
  const { title, series, width, height, hasZero = false, isStale = false } = props
  const { utc } = useContext(ThemeContext)
  const picture = useMemo(
    () =>
      pictureOf(
        series.map(({ points }) => points),
        { width, height: height - 1, hasZero, valueText, timeText: utc ? utcTime : indianTime },
      ),
    [series, width, height, hasZero, utc],
  )
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Text bold>{cut(visible(`${title}${legendOf(series)}`), width)}</Text>
      {picture === undefined ? (
        <Text dimColor>{cut('Too small to draw.', width)}</Text>
      ) : (
        <>
          {picture.lines.map((line, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
            <PaintedLine key={row} parts={lineParts(line, series)} width={width} isDim={isStale} />
          ))}
          <PaintedLine parts={[{ text: picture.axis, isDim: true }]} width={width} />
        </>
      )}
    </Box>
  )
}

/** One line of the picture: its value at the left, then the dots of the series. */
function lineParts({ label, runs, isZero }: ChartLine, series: ChartProps['series']): Part[] {
  return [
    { text: `${label} ${label.trim() === '' ? '│' : '┤'}`, isDim: true },
    ...runs.map(({ text, series: index }) =>
      index === undefined
        ? { text: isZero ? '┄'.repeat(text.length) : text, isDim: true }
        : { text, tone: series[index]?.tone },
    ),
  ]
}

/** Names the lines of two series. */
function legendOf(series: readonly ChartSeries[]): string {
  const [first, second] = series
  return first && second ? `  ${first.name} (line), ${second.name} (dashed)` : ''
}

function valueText(value: number): string {
  return value.toLocaleString('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

const indianTime = (time: number): string => istTime(time).slice(0, 5)
const utcTime = (time: number): string => new Date(time).toISOString().slice(11, 16)
