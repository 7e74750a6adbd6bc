import { useEffect } from 'react'
import { APPROVAL_FIELDS } from '../../views/approvals/approval.js'
import { legColumns, legFields } from '../../views/approvals/plan.js'
import type { Column } from '../../views/table/column.js'
import { symbolKey } from '../../views/text/symbol.js'
import { Fields } from '../components/Fields.js'
import { Notice } from '../components/Notice.js'
import { useQuotes } from '../live/prices/quotes.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import type { DetailsProps } from '../screen/record.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { PlanFeed } from './feed.js'
import { type QueueRow, screenRow } from './rows.js'
import { isPending } from './use-deciding.js'

/** Every field of an order of the queue, and what its approval would send now. */
export function ApprovalDetails({ id, shown, ...area }: DetailsProps<{ row: QueueRow | undefined }>) {
  if (shown.row === undefined) return <Notice {...area} text={`Approval ${id} is no longer in this list.`} />
  return <Details {...area} row={shown.row} />
}

function Details({ row, ...area }: Area & { row: QueueRow }) {
  const now = useNow(1000)
  const quotes = useQuotes([symbolKey(row)], 'ltp')
  const feed = useDaemon().part(PlanFeed)
  useEffect(() => feed.choose(row.id), [feed, row.id])
  const { content: plan } = useFeed(feed)
  const isPlanned = plan?.id === row.id && isPending(row)
  const record = { ...screenRow(row, quotes, now), ...(isPlanned && legFields(plan)) }
  // What would be sent matters most: it comes first.
  const fields = [...DETAILS.slice(0, 3), ...(isPlanned ? legColumns(plan) : []), ...DETAILS.slice(3)]
  return <Fields {...area} now={now} record={record} fields={fields} />
}

const DETAILS: readonly Column[] = [
  { key: 'outcome', title: 'STATE' },
  { key: 'last_price', title: 'LAST PRICE', kind: 'price' },
  { key: 'drift', title: 'DRIFT %', kind: 'signed' },
  ...APPROVAL_FIELDS,
]
