import { useMemo } from 'react'
import { withAge } from '../../../views/approvals/approval.js'
import type { Column } from '../../../views/table/column.js'
import { ApprovalFeed } from '../../approvals/feed.js'
import { type QueueRow, useQueueRows } from '../../approvals/rows.js'
import { approvals, waitingText } from '../../approvals/screen.js'
import { isPending } from '../../approvals/use-deciding.js'
import { useDaemon, useFeed } from '../../live/use-daemon.js'
import { OrderFeed, orderCounts, ordersToWatch } from '../../orders/feed.js'
import { orders as orderScreen } from '../../orders/screen.js'
import { useNow } from '../../terminal/use-now.js'
import type { Tile, TileContent } from '../tile.js'

const ORDER: readonly Column[] = [
  { key: 'action', kind: 'status' },
  { key: 'quantity', kind: 'quantity' },
  { key: 'symbol' },
]

/** The orders that may still trade, or whose outcome is not known. */
export const orders: Tile = {
  id: 'orders',
  title: 'Open orders',
  screen: orderScreen,
  view: 'orders',
  command: 'svc order list',
  use: useOrders,
}

const OPEN: readonly Column[] = [
  ...ORDER,
  { key: 'price', kind: 'price', leaves: 1 },
  { key: 'order_status', kind: 'status', leaves: 2 },
]

function useOrders(): TileContent {
  const book = useFeed(useDaemon().part(OrderFeed))
  const rows = useMemo(() => ordersToWatch(book.content), [book.content])
  const { inDoubt, open } = orderCounts(rows)
  const today = { label: 'today', value: String(book.content.length) }
  if (rows.length === 0) {
    return { live: [book], lines: [{ text: 'No order is open. Key 2, then n, places one.' }, today] }
  }
  return {
    live: [book],
    lines: [
      ...(inDoubt === 0 ? [] : [{ label: 'IN DOUBT', value: String(inDoubt), tone: 'warning' as const }]),
      { label: 'open', value: String(open) },
      today,
    ],
    list: { rows, columns: OPEN },
  }
}

/** The orders that wait for approval. */
export const queue: Tile = {
  id: 'queue',
  title: 'Queue',
  screen: approvals,
  view: 'pending',
  command: 'svc approval list',
  use: useQueue,
}

const WAITING: readonly Column[] = [...ORDER, { key: 'value', kind: 'money', leaves: 1 }]

function useQueue(): TileContent {
  const daemon = useDaemon()
  const feed = useFeed(daemon.part(ApprovalFeed))
  const { content: status } = useFeed(daemon.status)
  const all = useQueueRows(feed.content.rows)
  // A queue of thousands is counted once, not each second.
  const { rows, text } = useMemo(() => ({ rows: all.filter(isPending), text: waitingText(all) }), [all])
  const now = useNow(1000)
  const oldest = rows.at(-1)
  if (oldest === undefined) {
    return { live: [feed], lines: [{ text: status?.order_mode === 'auto' ? NONE_IN_AUTO : NONE }] }
  }
  return {
    live: [feed],
    lines: [
      { text, tone: 'warning' },
      { label: 'oldest', value: ageOf(oldest, now) },
    ],
    list: { rows, columns: WAITING },
  }
}

const NONE = 'No orders waiting. Each new order waits here first.'
const NONE_IN_AUTO = 'No orders waiting. Semi-auto queues them here: key 9, then o.'

const ageOf = (row: QueueRow, now: number): string => withAge(row, now).age ?? '-'
