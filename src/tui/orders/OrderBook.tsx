import { Box } from 'ink'
import type { Column } from '../../views/table/column.js'
import { Table } from '../components/list/Table.js'
import type { List } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { TabLine } from '../components/TabLine.js'
import type { Live } from '../live/feed.js'
import { DoubtLines, useDoubts } from '../review/DoubtLines.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { TABS, type Tab } from './pane.js'

export interface BookProps<Row extends { id: string }> extends Area {
  tab: Tab
  list: List<Row>
  columns: readonly Column[]
  live: Live<unknown>
  /** The words for a book without rows. */
  empty: string
}

const NONE: ReadonlySet<string> = new Set()
const TAB_LINES = 1

/** The requests in doubt, the tabs and the rows of a book. */
export function OrderBook<Row extends { id: string }>(props: BookProps<Row>) {
  const { width, height, tab, list, columns, live, empty } = props
  const { doubts, lines } = useDoubts()
  const now = useNow(1000)
  const area = { width, height: height - TAB_LINES - lines }
  const { rows, selected } = list
  return (
    <Box flexDirection="column" height={height}>
      <DoubtLines {...{ doubts, width }} />
      <TabLine tabs={TABS} current={tab} width={width} />
      {rows.length === 0 ? (
        <Notice {...area} text={emptyText(list, live, empty)} />
      ) : (
        <Table
          {...area}
          {...{
            rows,
            columns,
            now,
            selected: selected?.id,
            marked: NONE,
            isStale: live.problem !== undefined,
          }}
        />
      )}
    </Box>
  )
}

/** Returns why a list shows no rows. */
export function emptyText({ total, filter }: List<unknown>, live: Live<unknown>, empty: string): string {
  if (live.readAt === 0) return live.problem === undefined ? 'Reading …' : `Not read: ${live.problem}`
  return total === 0 ? empty : `No row has "${filter}".`
}
