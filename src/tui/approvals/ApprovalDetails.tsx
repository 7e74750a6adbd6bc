import { useEffect } from 'react'
import { APPROVAL_FIELDS } from '../../views/approvals/approval.js'
import { legColumns, legFields } from '../../views/approvals/plan.js'
import type { Column } from '../../views/table/column.js'
import { symbolKey } from '../../views/text/symbol.js'
import { Fields } from '../components/Fields.js'
import type { RowId } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { useQuotes } from '../live/prices/quotes.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import type { DetailsProps } from '../screen/record.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { type Decided, PlanFeed } from './feed.js'
import type { Queue } from './queue.js'
import { type QueueRow, queueRow, screenRow } from './rows.js'
import { isPending } from './use-deciding.js'

/** Every field of an order of the queue, and what its approval would send now. */
export function ApprovalDetails({ id, shown, ...area }: DetailsProps<ShownOrders>) {
  const row = shown.row ?? decidedRow(shown.content, id)
  if (row === undefined) return <Notice {...area} text={`Approval ${id} is no longer in this list.`} />
  // Another order is read from its beginning, where what would be sent stands.
  return <Details key={row.id} {...area} row={row} />
}

interface ShownOrders {
  row: QueueRow | undefined
  content: Queue | Decided
}

/** Returns an order that has left the list because somebody has decided it: its details stay open. */
function decidedRow(content: Queue | Decided, id: RowId): QueueRow | undefined {
  const row = 'rows' in content ? content.rows.find((one) => one.id === id) : undefined
  return row && queueRow(row, undefined, 0)
}

function Details({ row, ...area }: Area & { row: QueueRow }) {
  const now = useNow(1000)
  const quotes = useQuotes([symbolKey(row)], 'ltp')
  const feed = useDaemon().part(PlanFeed)
  useEffect(() => feed.choose(row.id), [feed, row.id])
  const { content: plan, problem } = useFeed(feed)
  const order = isPending(row) ? plan?.orders.find(({ id }) => id === row.id) : undefined
  const seen = order === undefined || problem !== undefined ? undefined : plan
  useEffect(() => {
    feed.shown = seen
    return () => {
      feed.shown = undefined
    }
  }, [feed, seen])
  const record = { ...screenRow(row, quotes, now), ...(order && legFields(order)) }
  // What would be sent matters most: it comes first.
  const fields = [...DETAILS.slice(0, 3), ...(order ? legColumns(order) : []), ...DETAILS.slice(3)]
  return <Fields {...area} now={now} record={record} fields={fields} />
}

const DETAILS: readonly Column[] = [
  { key: 'outcome', title: 'STATE' },
  { key: 'last_price', title: 'LAST PRICE', kind: 'price' },
  { key: 'drift', title: 'DRIFT %', kind: 'signed' },
  ...APPROVAL_FIELDS,
]
