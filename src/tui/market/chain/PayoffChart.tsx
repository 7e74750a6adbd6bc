import { Box } from 'ink'
import { payoffPoints, payoffRange } from '../../../views/market/payoff.js'
import type { Run } from '../../components/chart/braille.js'
import { type ChartPicture, pictureOf } from '../../components/chart/chart-picture.js'
import { PaintedLine, type Part } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import type { Tone } from '../../terminal/theme.js'
import type { DrawnPayoff } from './payoff.js'

/** The signs of the chart besides its line. */
const [NOW, EVEN, ZERO] = ['┊', '◆', '┄']
const LEGEND = { text: `${NOW} price now  ${EVEN} break-even  ${ZERO} zero`, isDim: true }
/** Fewer lines would show nothing: some for the line, the prices, and the signs. */
export const LEAST_CHART = 7

interface PayoffChartProps extends Area {
  shown: DrawnPayoff
  isStale: boolean
}

/** The result at expiry over the prices of the underlying, as a line of braille dots: profits above zero, losses below. */
export function PayoffChart({ shown, width, height, isStale }: PayoffChartProps) {
  const picture = payoffPicture(shown, { width, height: height - 1 })
  if (picture === undefined) return null
  const zeroRow = picture.lines.findIndex(({ isZero }) => isZero)
  return (
    <Box flexDirection="column" width={width} height={height}>
      {picture.lines.map(({ label, runs }, row) => (
        <PaintedLine
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          key={row}
          parts={[
            { text: `${label} ${label.trim() === '' ? '│' : '┤'}`, isDim: true },
            ...rowParts(runs, Math.sign(zeroRow - row), columnsOf(shown, picture)),
          ]}
          width={width}
          isDim={isStale}
        />
      ))}
      <PaintedLine parts={[{ text: picture.axis, isDim: true }]} width={width} />
      <PaintedLine parts={[LEGEND]} width={width} />
    </Box>
  )
}

function payoffPicture({ now, payoff, terms }: DrawnPayoff, area: Area): ChartPicture | undefined {
  const range = payoffRange(terms, payoff.breakEvens, now?.price)
  const points = payoffPoints(terms, range).map(({ price, profit }) => ({ time: price, value: profit }))
  const most = Math.max(...points.map(({ value }) => Math.abs(value)))
  const valueText = textWith(most < 100 ? 2 : 0)
  const axisText = textWith(range.to - range.from < 20 ? 2 : 0)
  // The axis places its texts by the size of the first.
  const size = axisText(range.to).length
  const timeText = (price: number) => axisText(price).padStart(size)
  return pictureOf([points], { ...area, hasZero: true, valueText, timeText })
}

const textWith = (digits: number) => (value: number) =>
  value.toLocaleString('en-IN', { minimumFractionDigits: digits, maximumFractionDigits: digits })

interface Columns {
  now: number | undefined
  evens: ReadonlySet<number>
}

/** Returns the columns of the chart with a sign of their own. A break-even outside the chart has none. */
function columnsOf({ now, payoff }: DrawnPayoff, { columnOf }: ChartPicture): Columns {
  const evens = payoff.breakEvens.flatMap((price) => columnOf(price) ?? [])
  return { now: now && columnOf(now.price), evens: new Set(evens) }
}

/** @param side 1 above the line of zero, -1 below it, 0 on it */
function rowParts(runs: readonly Run[], side: number, { now, evens }: Columns): readonly Part[] {
  const tone: Tone | undefined = side > 0 ? 'good' : side < 0 ? 'danger' : undefined
  const cells = runs.flatMap(({ text, series }) => [...text].map((sign) => ({ sign, isLine: series === 0 })))
  const parts = cells.map(({ sign, isLine }, column): Part => {
    if (side === 0 && evens.has(column)) return { text: EVEN, tone: 'accent' }
    if (isLine) return { text: sign, tone }
    if (column === now) return { text: NOW, tone: 'accent' }
    return { text: side === 0 ? ZERO : sign, isDim: true }
  })
  return joinedParts(parts)
}

/** Joins neighbours of one style: each part of a line costs its own colours. */
function joinedParts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (last !== undefined && last.tone === part.tone && last.isDim === part.isDim) last.text += part.text
    else joined.push({ ...part })
  }
  return joined
}
