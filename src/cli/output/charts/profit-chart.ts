/** The parts of a cell that are filled: nothing, the upper half, the lower half, or both. */
const HALVES = [' ', '▀', '▄', '█'] as const

interface Point {
  time: number
  value: number
}

interface Size {
  /** The number of columns of the plot, without the labels. */
  width: number
  height: number
}

/**
 * Draws values over time as columns from a zero line: gains above it, losses below it. The labels are the
 * highest value, zero and the lowest. With more points than columns, a column shows the point of its range that is
 * farthest from zero, so that no peak disappears.
 */
export function profitChartOf(
  points: readonly Point[],
  { height, width }: Size,
  timeOf: (time: number) => string,
): string {
  if (points.length === 0) return ''
  const columns = farthest(points, width)
  const high = Math.max(0, ...columns.map(({ value }) => value))
  const low = Math.min(0, ...columns.map(({ value }) => value))
  const halves = 2 * height
  const scale = halves / (high - low || 1)
  // Both sides of zero together fill the height; a side that is not empty has at least half a row.
  const above = Math.min(halves - (low < 0 ? 1 : 0), Math.max(high > 0 ? 1 : 0, Math.round(high * scale)))
  const isFilled = (half: number, value: number) => {
    const steps = Math.round(value * scale) || Math.sign(value)
    return half < above ? above - half <= steps : half - above < -steps
  }
  const labels = labelsOf({ high, low, zeroRow: Math.min(height - 1, above >> 1) }, height)
  const rows = labels.map((label, row) => {
    const cells = columns.map(({ value }) => {
      const [upper, lower] = [isFilled(2 * row, value), isFilled(2 * row + 1, value)]
      return HALVES[(upper ? 1 : 0) + (lower ? 2 : 0)] ?? ' '
    })
    return `${label} ┤${cells.join('')}`.trimEnd()
  })
  return `${[...rows, timeAxis(columns, labels[0]?.length ?? 0, timeOf)].join('\n')}\n`
}

/** Returns at most `count` points, each the farthest from zero of its range. */
function farthest(points: readonly Point[], count: number): Point[] {
  if (points.length <= count) return [...points]
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * points.length) / count)
    const range = points.slice(from, Math.floor(((column + 1) * points.length) / count))
    return range.reduce((a, b) => (Math.abs(b.value) > Math.abs(a.value) ? b : a))
  })
}

function labelsOf({ high, low, zeroRow }: { high: number; low: number; zeroRow: number }, height: number) {
  const texts = Array.from({ length: height }, () => '')
  texts[zeroRow] = '0.00'
  if (high > 0) texts[0] = rupees(high)
  if (low < 0) texts[height - 1] = rupees(low)
  const width = Math.max(...texts.map(({ length }) => length))
  return texts.map((text) => text.padStart(width))
}

/** Returns the line with the first time at the left and the last at the right. */
function timeAxis(columns: readonly Point[], labelWidth: number, timeOf: (time: number) => string): string {
  const [first, last] = [columns[0], columns.at(-1)]
  if (!first || !last) return ''
  const start = timeOf(first.time)
  const room = columns.length - start.length
  const end = timeOf(last.time)
  if (room <= end.length) return `${' '.repeat(labelWidth + 2)}${start}`
  return `${' '.repeat(labelWidth + 2)}${start}${end.padStart(room)}`
}

function rupees(value: number): string {
  return value.toLocaleString('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}
