import type { Column } from '../../views/table/column.js'
import { Table } from '../components/list/Table.js'
import type { List } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import type { Live } from '../live/feed.js'
import { emptyText } from '../orders/OrderBook.js'
import type { Area } from '../terminal/size.js'

interface BookProps<Row extends { id: string }> extends Area {
  list: List<Row>
  columns: readonly Column[]
  live: Live<unknown>
  /** The words for a book without rows. */
  empty: string
}

const NONE: ReadonlySet<string> = new Set()

/** The rows of a book of the account, or why there are none. */
export function Book<Row extends { id: string }>({ list, columns, live, empty, ...area }: BookProps<Row>) {
  const { rows, selected } = list
  if (rows.length === 0) return <Notice {...area} text={emptyText(list, live, empty)} />
  return (
    <Table
      {...area}
      // No column of these books is an age.
      {...{
        rows,
        columns,
        now: 0,
        selected: selected?.id,
        marked: NONE,
        isStale: live.problem !== undefined,
      }}
    />
  )
}
