import { windowOf } from '../components/list/Table.js'
import type { Area } from '../terminal/size.js'

/** A tile at its place. */
export interface Placed<One> extends Area {
  tile: One
  /** The cells left of it. */
  left: number
}

interface Tiled {
  id: string
  span?: number
}

interface GridOptions {
  width: number
  /** The cells that a column needs at least. */
  leastWidth: number
}

/** The cells between two columns. */
export const GAP = 1
/** More columns scatter what belongs together. */
const MOST_COLUMNS = 4
/** The title of a tile, and two lines. */
const LEAST_HEIGHT = 3

type Row<One> = readonly Omit<Placed<One>, 'height'>[]

/** Puts tiles into rows. The last one of a row takes the room that is left. */
export function rowsOf<One extends Tiled>(
  tiles: readonly One[],
  { width, leastWidth }: GridOptions,
): readonly Row<One>[] {
  const cells = tiles.reduce((sum, { span = 1 }) => sum + span, 0)
  const fitting = Math.floor((width + GAP) / (leastWidth + GAP))
  const columns = Math.max(1, Math.min(fitting, MOST_COLUMNS, cells))
  const unit = Math.floor((width + GAP) / columns)
  const rows: One[][] = []
  let free = 0
  for (const tile of tiles) {
    const span = spanOf(tile, columns)
    if (span > free) {
      rows.push([])
      free = columns
    }
    rows.at(-1)?.push(tile)
    free -= span
  }
  return rows.map((row) => {
    let left = 0
    return row.map((tile, index) => {
      const own = unit * spanOf(tile, columns) - GAP
      const placed = { tile, left, width: index === row.length - 1 ? width - left : own }
      left += own + GAP
      return placed
    })
  })
}

const spanOf = ({ span = 1 }: Tiled, columns: number): number => Math.min(span, columns)

/**
 * Returns the rows that fit, the one of a tile among them, with their heights: as high as each other, and what is left
 * goes to the first.
 */
export function shownRows<One extends Tiled>(
  rows: readonly Row<One>[],
  height: number,
  selected: string,
): readonly (readonly Placed<One>[])[] {
  const fitting = Math.max(1, Math.floor(height / LEAST_HEIGHT))
  const shown = windowOf(rows, rowAt(rows, selected), fitting)
  const each = Math.floor(height / Math.max(1, shown.length))
  const left = height - each * shown.length
  return shown.map((row, index) =>
    row.map((placed) => ({ ...placed, height: index === 0 ? each + left : each })),
  )
}

/** Returns the tile so many rows below another one, at the same place or next to it. */
export function tileBelow<One extends Tiled>(
  rows: readonly Row<One>[],
  selected: string,
  by: number,
): One | undefined {
  const at = rowAt(rows, selected)
  const from = rows[at]?.find(({ tile }) => tile.id === selected)
  const row = rows[Math.min(Math.max(0, at + by), rows.length - 1)]
  if (from === undefined || row === undefined) return undefined
  return row.findLast(({ left }, index) => index === 0 || left <= from.left)?.tile
}

const rowAt = <One extends Tiled>(rows: readonly Row<One>[], id: string): number =>
  rows.findIndex((row) => row.some(({ tile }) => tile.id === id))
