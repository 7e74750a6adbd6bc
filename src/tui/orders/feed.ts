import {
  type OrderRecord,
  orderRecords,
  type TradeRecord,
  tradeRecords,
} from '../../client/answers/records.js'
import { type ClientEvent, type RouteAnswer, type SvcClient, SvcError } from '../../client/index.js'
import { WAITING } from '../../core/orders/vocabulary.js'
import { newestFirst } from '../../views/orders/books.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'

/** An order of the list. An order in doubt has its reference as its id. */
export interface OrderRow extends OrderRecord {
  id: string
}

export interface TradeRow extends TradeRecord {
  id: string
}

/** The status of an order whose outcome at the broker is not known. */
export const IN_DOUBT = 'in doubt'

/** The events after which the books may differ. */
const CHANGES: ReadonlySet<string> = new Set([
  ...['order_event', 'order_failed', 'order_update', 'order_in_doubt', 'modify_order_event'],
  ...['cancel_order_event', 'close_position_event', 'analyzer_update', 'gtt_event', 'pending_order_updated'],
])

/** Returns whether the books of the account may differ after an event. */
export const changesBooks = ({ event }: ClientEvent): boolean => CHANGES.has(event)

/** Brokers limit the reads of their books. */
const PACE = { pauseMs: 5000, gatherMs: 250 } as const

const ORDERS: Source<readonly OrderRow[]> = { read: readOrders, isChangedBy: changesBooks, ...PACE }
const TRADES: Source<readonly TradeRow[]> = { read: readTrades, isChangedBy: changesBooks, ...PACE }

/** The orders of the day and those in doubt: open ones first, then the newest. */
export class OrderFeed extends Feed<readonly OrderRow[]> {
  constructor(daemon: LiveDaemon) {
    super(daemon, ORDERS, [])
  }
}

/** The trades of the day, newest first. */
export class TradeFeed extends Feed<readonly TradeRow[]> {
  constructor(daemon: LiveDaemon) {
    super(daemon, TRADES, [])
  }
}

async function readOrders(client: SvcClient): Promise<readonly OrderRow[]> {
  const book = client.call('orderbook', {}).then(orderRecords)
  const [orders, missing] = await Promise.all([book, doubtfulOrders(client, book)])
  const rows = orders.map((order) => ({ ...order, id: order.orderid }))
  return [...missing, ...rows].toSorted((one, other) => rankOf(one) - rankOf(other) || newerFirst(one, other))
}

/** Returns how many orders may still trade, and how many are in doubt. */
export function orderCounts(rows: readonly OrderRow[]): { open: number; inDoubt: number } {
  const countOf = (rank: number) => rows.filter((row) => rankOf(row) === rank).length
  return { open: countOf(OPEN), inDoubt: countOf(DOUBTFUL) }
}

/** Returns the orders that a person may have to act on: in doubt or open, in the order of the list. */
export const ordersToWatch = (rows: readonly OrderRow[]): readonly OrderRow[] =>
  rows.filter((row) => rankOf(row) < OVER)

/** Orders of one second have ids that rise. */
const newerFirst = (one: OrderRow, other: OrderRow) =>
  other.timestamp.localeCompare(one.timestamp) || other.id.localeCompare(one.id)

/** Orders in doubt need a person, open ones may need one. */
const [DOUBTFUL, OPEN, OVER] = [0, 1, 2]

function rankOf({ order_status }: OrderRow): number {
  if (order_status === IN_DOUBT) return DOUBTFUL
  return WAITING.has(order_status) ? OPEN : OVER
}

type Journalled = RouteAnswer<'GET /orders/journal'>['data'][number]

/** Returns the orders and GTTs in doubt that an order book does not show. */
export async function doubtfulOrders(
  client: SvcClient,
  book: Promise<readonly OrderRecord[]>,
): Promise<readonly OrderRow[]> {
  const [doubts, orders] = await Promise.all([readDoubts(client), book])
  const inBook = new Set(orders.map(({ orderid }) => orderid))
  return doubts.filter(({ orderid }) => orderid === null || !inBook.has(orderid)).map(doubtRow)
}

/** A session that may not read the journal still sees the order book. */
async function readDoubts(client: SvcClient): Promise<readonly Journalled[]> {
  try {
    return (await client.request('GET /orders/journal', { query: { state: 'unknown' } })).data
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.status === 403) return []
    throw thrown
  }
}

function doubtRow(row: Journalled): OrderRow {
  const { order_ref, symbol, exchange, action, product, quantity, created_at, reason, mode } = row
  return {
    id: order_ref,
    orderid: order_ref,
    symbol,
    exchange,
    action,
    product,
    quantity,
    mode,
    timestamp: created_at,
    pricetype: '',
    order_status: IN_DOUBT,
    rejection_reason: reason ?? '',
    filled_quantity: 0,
    pending_quantity: quantity,
    price: 0,
    trigger_price: 0,
    average_price: 0,
  }
}

async function readTrades(client: SvcClient): Promise<readonly TradeRow[]> {
  const trades = newestFirst(tradeRecords(await client.call('tradebook', {}), Date.now()))
  // A broker may fill an order in several trades, and gives them no id that all modes have.
  const seen = new Map<string, number>()
  return [...trades]
    .reverse()
    .map((trade) => {
      const count = (seen.get(trade.orderid) ?? 0) + 1
      seen.set(trade.orderid, count)
      return { ...trade, id: `${trade.orderid} ${count}` }
    })
    .reverse()
}
