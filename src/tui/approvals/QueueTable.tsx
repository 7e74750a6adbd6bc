import { APPROVAL_COLUMNS, TRADE_COLUMN } from '../../views/approvals/approval.js'
import type { Column } from '../../views/table/column.js'
import { symbolKey } from '../../views/text/symbol.js'
import { Table, windowOf } from '../components/list/Table.js'
import { useQuotes } from '../live/prices/quotes.js'
import type { RowsProps } from '../screen/record.js'
import { useNow } from '../terminal/use-now.js'
import { type QueueRow, screenRow } from './rows.js'

/** The columns that do not change with each second and each price: the list filters and sorts by them. */
export const SORTED: readonly Column[] = [
  ...APPROVAL_COLUMNS.filter(
    ({ key }) => !['age', 'last_price', 'value', 'status', 'queued_mode'].includes(key),
  ),
  { key: 'state' },
]

const STATE: Column = { key: 'state' }
const DRIFT: Column = { key: 'drift', title: 'DRIFT %', kind: 'signed', leaves: 3 }
/** The live price stands beside the order's own as long as there is room. */
const LEAVES: Readonly<Record<string, number>> = {
  age: 4,
  price_type: 6,
  last_price: 2,
  price: 1,
  strategy: 7,
}
/** The columns of `approval list`. The state says more than the status, and the drift follows the price. */
const LIST: readonly Column[] = APPROVAL_COLUMNS.filter(({ key }) => key !== 'status').flatMap(
  (column: Column) => {
    const leaves = LEAVES[column.key]
    const ranked = leaves === undefined ? column : { ...column, leaves }
    return column.key === 'last_price' ? [ranked, DRIFT] : [ranked]
  },
)

/** The queue as a table: only the rows that fit have an age, a live price and a drift. */
export function QueueTable({ list, live, width, height }: RowsProps<QueueRow>) {
  const now = useNow(1000)
  const { rows, selected, marked } = list
  const at = rows.findIndex(({ id }) => id === selected?.id)
  const window = windowOf(rows, at, height - 1)
  const quotes = useQuotes(window.map(symbolKey), 'ltp')
  const shown = window.map((row) => screenRow(row, quotes, now))
  const columns = shown.some(({ trade }) => trade !== undefined)
    ? [...LIST, TRADE_COLUMN, STATE]
    : [...LIST, STATE]
  return (
    <Table
      rows={shown}
      columns={columns}
      width={width}
      height={height}
      now={now}
      marked={marked}
      selected={selected?.id}
      isStale={live.problem !== undefined}
    />
  )
}
