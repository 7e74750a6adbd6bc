/** A value at a time, in milliseconds. */
export interface Point {
  time: number
  value: number
}

/** The values and the times that a drawing covers. */
export interface Range {
  low: number
  high: number
  from: number
  to: number
}

/** Neighbouring cells of one series; without a series they are empty. */
export interface Run {
  text: string
  series?: number
}

interface Size {
  /** In cells. */
  width: number
  height: number
}

/** A cell of braille has two columns of four dots. */
const [DOT_COLUMNS, DOT_ROWS] = [2, 4]
const BLANK = 0x2800
/** The bits of the dots of a cell, by row and column. */
const BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const
/** The second series shows only some of its columns, so that it differs without colours too. */
const [DASH, DASH_AND_GAP] = [2, 4]

/** The smallest range of finite points; `hasZero` says whether zero belongs to it. */
export function rangeOf(series: readonly (readonly Point[])[], hasZero: boolean): Range | undefined {
  let range: Range | undefined
  for (const points of series) {
    for (const { time, value } of points) {
      if (!isDrawable({ time, value })) continue
      const { low, high, from, to } = range ?? { ...firstOf(value, hasZero), from: time, to: time }
      range = {
        low: Math.min(low, value),
        high: Math.max(high, value),
        from: Math.min(from, time),
        to: Math.max(to, time),
      }
    }
  }
  return range
}

export const isDrawable = ({ time, value }: Point): boolean => Number.isFinite(time) && Number.isFinite(value)

const firstOf = (value: number, hasZero: boolean) =>
  hasZero ? { low: Math.min(0, value), high: Math.max(0, value) } : { low: value, high: value }

/** Returns the row of dots of a value, 0 at the top. A range of one value has it in the middle. */
export function dotRow(value: number, { low, high }: Pick<Range, 'low' | 'high'>, height: number): number {
  return dotAt(high - value, high - low, DOT_ROWS * height)
}

/** Returns the row of cells of a value. */
export function cellRow(value: number, range: Pick<Range, 'low' | 'high'>, height: number): number {
  return Math.floor(dotRow(value, range, height) / DOT_ROWS)
}

/** Returns the column of cells of a time within the range. */
export function cellColumn(time: number, { from, to }: Pick<Range, 'from' | 'to'>, width: number): number {
  return Math.floor(dotAt(time - from, to - from, DOT_COLUMNS * width) / DOT_COLUMNS)
}

function dotAt(distance: number, span: number, dots: number): number {
  // Halves first: the difference of two huge numbers is infinite.
  if (!(span > 0)) return Math.floor((dots - 1) / 2)
  const share = Number.isFinite(span) ? distance / span : 0.5
  return Math.min(dots - 1, Math.max(0, Math.round(share * (dots - 1))))
}

/** Draws series as lines within a range, one list of runs for each row of cells. A later series lies below. */
export function drawn(
  series: readonly (readonly Point[])[],
  { width, height }: Size,
  range: Range,
): readonly (readonly Run[])[] {
  const layers = series.map((points, index) => layerOf(points, { width, height }, range, index > 0))
  return Array.from({ length: height }, (_, row) => pictureRow(layers, row * width, width))
}

/** Returns the bits of each cell that a line of points touches. */
function layerOf(points: readonly Point[], { width, height }: Size, range: Range, isDashed: boolean) {
  const cells = new Uint8Array(width * height)
  const set = (column: number, row: number) => {
    if (isDashed && column % DASH_AND_GAP >= DASH) return
    const cell = Math.floor(row / DOT_ROWS) * width + Math.floor(column / DOT_COLUMNS)
    const bit = BITS[row % DOT_ROWS]?.[column % DOT_COLUMNS] ?? 0
    cells[cell] = (cells[cell] ?? 0) | bit
  }
  let before: Dot | undefined
  for (const { time, value } of points) {
    if (!isDrawable({ time, value })) continue
    const dot = {
      column: dotAt(time - range.from, range.to - range.from, DOT_COLUMNS * width),
      row: dotRow(value, range, height),
    }
    line(before ?? dot, dot, set)
    before = dot
  }
  return cells
}

interface Dot {
  column: number
  row: number
}

/** Sets the dots of a straight line, both ends included. */
function line(from: Dot, to: Dot, set: (column: number, row: number) => void): void {
  const steps = Math.max(Math.abs(to.column - from.column), Math.abs(to.row - from.row), 1)
  for (let step = 0; step <= steps; step += 1) {
    const share = step / steps
    set(
      Math.round(from.column + share * (to.column - from.column)),
      Math.round(from.row + share * (to.row - from.row)),
    )
  }
}

function pictureRow(layers: readonly Uint8Array[], start: number, width: number): readonly Run[] {
  const runs: Run[] = []
  for (let column = 0; column < width; column += 1) {
    const series = layers.findIndex((cells) => (cells[start + column] ?? 0) > 0)
    const bits = layers.reduce((all, cells) => all | (cells[start + column] ?? 0), 0)
    const text = bits === 0 ? ' ' : String.fromCharCode(BLANK + bits)
    const last = runs.at(-1)
    if (last !== undefined && (last.series ?? -1) === series) last.text += text
    else runs.push(series < 0 ? { text } : { text, series })
  }
  return runs
}
