import { useMemo, useState } from 'react'
import { cellText } from '../../../views/table/cells.js'
import { type Column, cellOf } from '../../../views/table/column.js'
import { sortedBy } from '../../../views/table/sort.js'
import { type Binding, type Moves, moves } from '../../keys/bindings.js'
import { Kept, useKept } from '../../live/kept.js'

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
  const exchange = cellOf(row, 'exchange')
  const cells = columns.map(({ key, kind = 'text' }) => cellText(cellOf(row, key), kind, style, exchange))
  return cells.join(' ').toLowerCase()
}

/** What the keys of a list act on; `list` is undefined in a part of the screen without rows. */
export interface ListActs extends Moves {
  list: Pick<List<unknown>, 'filter' | 'setFilter' | 'editFilter' | 'sortNext' | 'sortReverse'> | undefined
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
      id: 'list.unfilter',
      in: panes,
      keys: ['esc'],
      does: 'clear filter',
      explained: 'show all rows again, while a filter is on',
      when: ({ list }) => list !== undefined && list.filter !== '',
      act: ({ list }) => list?.setFilter(''),
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
  /** The place of the selected row: `12 of 207`; empty without rows. */
  place: string
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
    place: selected === undefined ? '' : `${place + 1} of ${rows.length}`,
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

/** The row whose details are open. It stays the same one when the cursor of the list must move on. */
export interface Opened<Row> {
  isOpen: boolean
  id: RowId | undefined
  /** The row that keys act on: the open one, undefined once it is gone, or the selected one while none is open. */
  row: Row | undefined
  open(): void
  close(): void
}

/** Returns the row with an id as the open one. `show` opens a row, and closes it without an id. */
export function openedIn<Row extends { id: RowId }>(
  rows: readonly Row[],
  selected: Row | undefined,
  id: RowId | undefined,
  show: (id?: RowId) => void,
): Opened<Row> {
  return {
    isOpen: id !== undefined,
    id,
    row: id === undefined ? selected : rows.find((row) => row.id === id),
    open: () => show(selected?.id),
    close: () => show(),
  }
}

export const ROW_GONE = 'This row is no longer in the list.'

/** Returns the state of a list in a few words: `12 of 40 rows with "nse", by -price`; empty without filter and order. */
export function listText({ rows, total, filter, sort }: List<unknown>): string {
  const shown = filter === '' ? '' : `${rows.length} of ${total} with "${filter}"`
  const order = sort === undefined ? '' : `by ${sort}`
  return [shown, order].filter((part) => part !== '').join(', ')
}
