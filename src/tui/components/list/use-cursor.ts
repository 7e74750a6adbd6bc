import { useState } from 'react'

export type RowId = number | string

/** The row under the cursor and the marks of a list. */
export interface CursorState {
  chosen: RowId | undefined
  /** The place of the chosen row when it was last seen. */
  at: number
  marked: ReadonlySet<RowId>
}

export const NO_CURSOR: CursorState = { chosen: undefined, at: 0, marked: new Set() }

export interface Cursor<Row> {
  selected: Row | undefined
  marked: ReadonlySet<RowId>
  /** Moves by a number of rows; stops at the ends. */
  move(by: number): void
  /** Moves to a row. */
  choose(id: RowId): void
  /** Marks the selected row, or removes its mark. */
  toggle(): void
  unmark(): void
}

/** A cursor that stays on its row, by id, however the list around it changes. */
export function useCursor<Row extends { id: RowId }>(rows: readonly Row[]): Cursor<Row> {
  return cursorOf(rows, ...useState(NO_CURSOR))
}

/** Returns the cursor of a list whose state is kept elsewhere. */
export function cursorOf<Row extends { id: RowId }>(
  rows: readonly Row[],
  state: CursorState,
  set: (next: CursorState) => void,
): Cursor<Row> {
  const { chosen, at, marked } = state
  const found = rows.findIndex(({ id }) => id === chosen)
  // The row at the place of one that has gone, otherwise the last.
  const place = found >= 0 ? found : Math.min(chosen === undefined ? 0 : at, rows.length - 1)
  const selected = rows[place]
  const moveTo = (row: number) => set({ ...state, chosen: rows[row]?.id, at: row })
  // Fixed while drawing: a new order above the first row must not take the cursor from it.
  if (selected !== undefined && (selected.id !== chosen || place !== at)) {
    set({ ...state, chosen: selected.id, at: place })
  }
  return {
    selected,
    marked,
    move: (by) => moveTo(Math.min(Math.max(0, place + by), Math.max(0, rows.length - 1))),
    choose(id) {
      const row = rows.findIndex((one) => one.id === id)
      if (row >= 0) moveTo(row)
    },
    toggle() {
      if (selected === undefined) return
      const next = new Set(marked)
      if (!next.delete(selected.id)) next.add(selected.id)
      set({ chosen: selected.id, at: place, marked: next })
    },
    unmark: () => set({ ...state, marked: new Set() }),
  }
}
