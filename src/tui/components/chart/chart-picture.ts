import { cellColumn, cellRow, drawn, type Point, type Run, rangeOf } from './braille.js'

export interface ChartLine {
  /** The value at the left; empty for most lines. */
  label: string
  runs: readonly Run[]
  /** True for the line of zero. */
  isZero: boolean
}

export interface ChartPicture {
  lines: readonly ChartLine[]
  /** The times below the lines. */
  axis: string
  /** Returns the column of the drawing that a time has, 0 at the left; undefined for a time outside. */
  columnOf(time: number): number | undefined
}

export interface ChartForm {
  /** The whole width, the labels included. */
  width: number
  /** The whole height, the times included. */
  height: number
  /** True if the values are gains and losses: zero is always in the picture. */
  hasZero: boolean
  valueText(value: number): string
  timeText(time: number): string
}

/** The lines between the labels and the drawing. */
const EDGE = 2
/** A smaller drawing shows nothing. */
const [LEAST_WIDTH, LEAST_HEIGHT] = [4, 2]
/** The space between two times. */
const TIME_GAP = 4

/** Returns a chart of lines with both extremes at the left and times below; undefined without values or room. */
export function pictureOf(
  series: readonly (readonly Point[])[],
  { width, height, hasZero, valueText, timeText }: ChartForm,
): ChartPicture | undefined {
  const range = rangeOf(series, hasZero)
  const rows = height - 1
  if (range === undefined || rows < LEAST_HEIGHT) return undefined
  const { low, high, from, to } = range
  const zeroRow = low <= 0 && high >= 0 ? cellRow(0, range, rows) : -1
  const labels = Array.from({ length: rows }, (_, row) => (row === zeroRow ? valueText(0) : ''))
  if (low === high) labels[cellRow(low, range, rows)] = valueText(low + 0)
  else {
    // Minus zero is no number for people.
    labels[0] = valueText(high + 0)
    labels[rows - 1] = valueText(low + 0)
  }
  const longest = Math.max(...labels.map(({ length }) => length))
  const room = width - longest - EDGE
  if (room < LEAST_WIDTH) return undefined
  const cells = drawn(series, { width: room, height: rows }, range)
  return {
    lines: labels.map((label, row) => ({
      label: label.padStart(longest),
      runs: cells[row] ?? [],
      isZero: row === zeroRow,
    })),
    axis: ' '.repeat(longest + EDGE) + timeAxis(from, to, room, timeText),
    columnOf: (time) => (time >= from && time <= to ? cellColumn(time, range, room) : undefined),
  }
}

/** Returns as many times as fit, at equal distances, each of them at its place. */
function timeAxis(from: number, to: number, width: number, timeText: (time: number) => string): string {
  const first = timeText(from)
  if (first.length > width) return ''
  if (from === to) return first
  const size = first.length
  const gaps = Math.floor((width - size) / (size + TIME_GAP))
  if (gaps === 0) return first
  let axis = ''
  for (let gap = 0; gap <= gaps; gap += 1) {
    const end = Math.round((gap * (width - size)) / gaps)
    const text = timeText(from + ((to - from) * timePlace(end, size, width, gap === gaps)) / (width - 1))
    // A short time has the same minute more than once.
    if (!axis.endsWith(text)) axis = `${axis.padEnd(end)}${text}`.slice(0, width)
  }
  return axis
}

/** The column that a time stands for: the first letter, for the last time the last letter. */
function timePlace(column: number, size: number, width: number, isLast: boolean): number {
  return isLast ? width - 1 : Math.min(column + (column > 0 ? Math.floor(size / 2) : 0), width - 1)
}
