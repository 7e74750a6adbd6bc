import { useState } from 'react'

export interface Scroll<Row> {
  /** The rows from the first shown one on. */
  rows: readonly Row[]
  /** The number of rows above. */
  above: number
  move(by: number): void
}

/** Scrolls a list whose newest rows come first. At the top it follows them; below, its first row stays. */
export function useScroll<Row extends { id: number }>(rows: readonly Row[]): Scroll<Row> {
  const [top, setTop] = useState<number>()
  const above = Math.max(
    0,
    rows.findIndex(({ id }) => id === top),
  )
  return {
    rows: rows.slice(above),
    above,
    move(by) {
      const next = Math.min(Math.max(0, above + by), Math.max(0, rows.length - 1))
      setTop(next === 0 ? undefined : rows[next]?.id)
    },
  }
}
