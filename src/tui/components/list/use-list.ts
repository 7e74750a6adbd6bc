import { useMemo, useState } from 'react'
import { cellText } from '../../../views/table/cells.js'
import { type Column, cellOf } from '../../../views/table/column.js'
import { sortedBy } from '../../../views/table/sort.js'
import { type Binding, type Moves, moves } from '../../keys/bindings.js'
import { Kept, useKept } from '../../live/kept.js'
import { type Cursor, type CursorState, cursorOf, NO_CURSOR, type RowId } from './use-cursor.js'

/** The part of a list that the user decides. */
export interface ListState {
  cursor: CursorState
  /** Shows only rows that contain it; with a leading `!` only the others. */
  filter: string
  /** A column as `--sort` takes it; undefined for the order of the rows. */
  sort: string | undefined
}

export const keptList = (): Kept<ListState> =>
  new Kept<ListState>({ cursor: NO_CURSOR, filter: '', sort: undefined })

export interface List<Row> extends Cursor<Row> {
  /** The rows that pass the filter, sorted. */
  rows: readonly Row[]
  /** The number of all rows. */
  total: number
  filter: string
  sort: string | undefined
  isFiltering: boolean
  /** Opens the line that edits the filter. */
  editFilter(): void
  setFilter(filter: string): void
  /** Closes the line that edits the filter. */
  endFilter(): void
  /** Sorts by the next column; after the last one in the order of the rows. */
  sortNext(): void
  sortReverse(): void
}

/** A list with a cursor, a filter and an order, which outlive the screen. */
export function useList<Row extends { id: RowId }>(
  kept: Kept<ListState>,
  all: readonly Row[],
  columns: readonly Column[],
): List<Row> {
  const [state, set] = useKept(kept)
  const [isFiltering, setFiltering] = useState(false)
  const { filter, sort } = state
  const rows = useMemo(() => filterAndSort(all, columns, { filter, sort }), [all, columns, filter, sort])
  const names = columns.map(({ key }) => key)
  const cursor = cursorOf(rows, state.cursor, (next) => set({ ...state, cursor: next }))
  return {
    ...cursor,
    rows,
    total: all.length,
    filter,
    sort,
    isFiltering,
    editFilter: () => setFiltering(true),
    setFilter: (next) => set({ ...state, filter: next }),
    endFilter: () => setFiltering(false),
    sortNext() {
      const next = sort === undefined ? 0 : names.indexOf(sort.replace(/^-/, '')) + 1
      set({ ...state, sort: names[next] })
    },
    sortReverse() {
      if (sort !== undefined) set({ ...state, sort: sort.startsWith('-') ? sort.slice(1) : `-${sort}` })
    },
  }
}

/** Returns the rows that pass a filter, in an order. */
export function filterAndSort<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column[],
  { filter, sort }: Pick<ListState, 'filter' | 'sort'>,
): readonly Row[] {
  const inverted = filter.startsWith('!')
  const sought = (inverted ? filter.slice(1) : filter).trim().toLowerCase()
  const passes = (row: Row) => sought === '' || rowText(row, columns).includes(sought) !== inverted
  const passing = sought === '' ? rows : rows.filter(passes)
  return (sort && sortedBy(passing, columns, sort)) || passing
}

/** The text that a filter looks at: the cells as the table shows them. */
function rowText(row: object, columns: readonly Column[]): string {
  const style = { human: true, utc: false, now: 0 }
  const cells = columns.map(({ key, kind = 'text' }) => cellText(cellOf(row, key), kind, style))
  return cells.join(' ').toLowerCase()
}

/** What the keys of a list act on; `list` is undefined in a part of the screen without rows. */
export interface ListActs extends Moves {
  list: Pick<List<unknown>, 'editFilter' | 'sortNext' | 'sortReverse'> | undefined
}

/** Returns the keys of a list: moves, filter and order. */
export function listKeys<Pane extends string>(panes: readonly Pane[]): readonly Binding<Pane, ListActs>[] {
  return [
    ...moves(panes),
    {
      id: 'list.filter',
      in: panes,
      keys: ['/'],
      does: 'filter',
      explained: 'show only rows with a text; !text shows the others',
      act: ({ list }) => list?.editFilter(),
    },
    {
      id: 'list.sort',
      in: panes,
      keys: ['o'],
      explained: 'sort by the next column',
      act: ({ list }) => list?.sortNext(),
    },
    {
      id: 'list.reverse',
      in: panes,
      keys: ['O'],
      explained: 'reverse the order',
      act: ({ list }) => list?.sortReverse(),
    },
  ]
}
