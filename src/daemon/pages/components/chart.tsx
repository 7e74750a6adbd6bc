/** @jsxImportSource hono/jsx */
import { number } from './format.js'

interface Point {
  /** Epoch milliseconds. */
  time: number
  value: number
}

interface CurveProps {
  title: string
  /** In order of time. */
  points: readonly Point[]
  tone: 'gain' | 'loss'
  height?: number
  timeLabel(time: number): string
}

const WIDTH = 800
const LEFT = 110
const RIGHT = 12
const TOP = 12
const BOTTOM = 24
const LINES = 4
/** The range below which the labels need decimals. */
const FINE = 10

/** A curve over time with its zero line, drawn on the server. */
export function Curve({ title, points, tone, height = 260, timeLabel }: CurveProps) {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return <p class="empty">Nothing to draw.</p>
  const [low, high] = rangeOf(points)
  const bottom = height - BOTTOM
  const x = ({ time }: Point) =>
    LEFT + ((time - first.time) / Math.max(1, last.time - first.time)) * (WIDTH - LEFT - RIGHT)
  const y = (value: number) => TOP + ((high - value) / (high - low)) * (bottom - TOP)
  const line = points.map((point) => `${x(point).toFixed(1)},${y(point.value).toFixed(1)}`).join(' ')
  const marks = Array.from({ length: LINES + 1 }, (_, index) => low + ((high - low) * index) / LINES)
  const times = [first, points[Math.floor(points.length / 2)] ?? first, last]
  const anchors = ['start', 'middle', 'end'] as const
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={title}>
      <title>{title}</title>
      {marks.map((value) => (
        <g>
          <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
            {number(high - low < FINE ? value : Math.round(value))}
          </text>
        </g>
      ))}
      <line class="zero" x1={LEFT} x2={WIDTH - RIGHT} y1={y(0)} y2={y(0)} />
      <polygon class={`${tone}-area`} points={`${x(first)},${y(0)} ${line} ${x(last)},${y(0)}`} />
      <polyline class={`${tone}-line`} points={line} />
      {times.map((point, index) => (
        <text x={x(point)} y={height - 6} text-anchor={anchors[index] ?? 'middle'}>
          {timeLabel(point.time)}
        </text>
      ))}
    </svg>
  )
}

interface BarsProps {
  title: string
  bars: readonly { label: string; count: number }[]
}

/** A histogram, drawn on the server. */
export function Bars({ title, bars }: BarsProps) {
  const height = 180
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, bars.length)
  const bottom = height - BOTTOM
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={title}>
      <title>{title}</title>
      <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={bottom} y2={bottom} />
      <text x={LEFT - 8} y={TOP + 8} text-anchor="end">
        {most}
      </text>
      {bars.map(({ label, count }, index) => {
        const length = (count / most) * (bottom - TOP)
        return (
          <g>
            <rect
              class="bars"
              x={LEFT + index * step + 1}
              width={Math.max(1, step - 2)}
              y={bottom - length}
              height={length}
            >
              <title>{`${label}: ${count}`}</title>
            </rect>
            {index % 5 === 0 && (
              <text x={LEFT + index * step} y={height - 6}>
                {label}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}

/** Returns the lowest and the highest value, zero among them, with a range of more than nothing. */
function rangeOf(points: readonly Point[]): [low: number, high: number] {
  let [low, high] = [0, 0]
  for (const { value } of points) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return high === low ? [low - 1, high + 1] : [low, high]
}
