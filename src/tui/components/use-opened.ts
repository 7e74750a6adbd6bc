import { useState } from 'react'
import type { RowId } from './list/use-cursor.js'

/** The row whose details are open. It stays the same one when the cursor of the list must move on. */
export interface Opened<Row> {
  isOpen: boolean
  /** The row that keys act on: the open one, undefined once it is gone, or the selected one while none is open. */
  row: Row | undefined
  open(): void
  close(): void
}

export function useOpened<Row extends { id: RowId }>(
  rows: readonly Row[],
  selected: Row | undefined,
): Opened<Row> {
  const [id, setId] = useState<RowId>()
  return {
    isOpen: id !== undefined,
    row: id === undefined ? selected : rows.find((row) => row.id === id),
    open: () => setId(selected?.id),
    close: () => setId(undefined),
  }
}

export const ROW_GONE = 'This row is no longer in the list.'
