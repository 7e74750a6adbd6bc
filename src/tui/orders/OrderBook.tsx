import { Box } from 'ink'
import type { Column } from '../../views/table/column.js'
import { Table } from '../components/list/Table.js'
import type { List } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { TabLine } from '../components/TabLine.js'
import type { Live } from '../live/feed.js'
import { DoubtLines, useDoubts } from '../question/Doubts.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { TABS, type Tab } from './use-trading.js'

export interface BookProps<Row extends { id: string }> extends Area {
  list: List<Row>
  columns: readonly Column[]
  live: Live<unknown>
  /** The words for a book without rows. */
  empty: string
  /** The time in milliseconds, for a book with ages. */
  now?: number
}

const NONE: ReadonlySet<string> = new Set()
const TAB_LINES = 1

/** The rows of a book of the account, or why there are none. */
export function Book<Row extends { id: string }>(props: BookProps<Row>) {
  const { list, columns, live, empty, now = 0, ...area } = props
  const { rows, selected } = list
  if (rows.length === 0) return <Notice {...area} text={emptyText(list, live, empty)} />
  return (
    <Table
      {...area}
      rows={rows}
      columns={columns}
      now={now}
      selected={selected?.id}
      marked={NONE}
      isStale={live.problem !== undefined}
    />
  )
}

/** The requests in doubt, the tabs and the rows of a book. */
export function OrderBook<Row extends { id: string }>({ tab, ...book }: BookProps<Row> & { tab: Tab }) {
  const { width, height } = book
  const { doubts, lines } = useDoubts()
  const now = useNow(1000)
  return (
    <Box flexDirection="column" height={height}>
      <DoubtLines doubts={doubts} width={width} />
      <TabLine tabs={TABS} current={tab} width={width} />
      <Book {...book} height={height - TAB_LINES - lines} now={now} />
    </Box>
  )
}

/** Returns why a list shows no rows. */
function emptyText({ total, filter }: List<unknown>, live: Live<unknown>, empty: string): string {
  if (live.readAt === 0) return live.problem === undefined ? 'Reading …' : `Not read: ${live.problem}`
  return total === 0 ? empty : `No row has "${filter}".`
}
