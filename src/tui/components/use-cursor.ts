import { useState } from 'react'

export interface Cursor<Row> {
  selected: Row | undefined
  marked: ReadonlySet<number>
  /** Moves by a number of rows; stops at the ends. */
  move(by: number): void
  /** Marks the selected row, or removes its mark. */
  toggle(): void
  unmark(): void
}

/** A cursor that stays on its row, by id, however the list around it changes. */
export function useCursor<Row extends { id: number }>(rows: readonly Row[]): Cursor<Row> {
  const [chosen, setChosen] = useState<number>()
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set())
  const selected = rows.find(({ id }) => id === chosen) ?? nearest(rows, chosen)
  // Fixed while drawing: a new order above the first row must not take the cursor from it.
  if (selected !== undefined && selected.id !== chosen) setChosen(selected.id)
  return {
    selected,
    marked,
    move(by) {
      const at = selected === undefined ? 0 : rows.indexOf(selected)
      setChosen(rows[Math.min(Math.max(0, at + by), rows.length - 1)]?.id)
    },
    toggle() {
      if (selected === undefined) return
      const next = new Set(marked)
      if (!next.delete(selected.id)) next.add(selected.id)
      setMarked(next)
      setChosen(selected.id)
    },
    unmark: () => setMarked(new Set()),
  }
}

/** Returns the row at the place of one that has gone: the next older one, otherwise the last. */
function nearest<Row extends { id: number }>(
  rows: readonly Row[],
  gone: number | undefined,
): Row | undefined {
  return gone === undefined ? rows[0] : (rows.find(({ id }) => id < gone) ?? rows.at(-1))
}
