import { type OrderRecord, orderRecords, type PositionRecord } from '../../../client/answers/records.js'
import { type AnswerOf, type SvcClient, SvcError } from '../../../client/index.js'
import { messageOf } from '../../../core/errors/index.js'
import { WAITING } from '../../../core/orders/vocabulary.js'
import { orderText, termsText } from '../../../views/orders/order.js'
import { rupeePrice } from '../../../views/table/cells.js'
import { doubtfulOrders, IN_DOUBT } from '../../orders/feed.js'
import { closingSide, isSame, type PositionKey } from '../position-now.js'

type Position = PositionKey & Pick<PositionRecord, 'mode' | 'quantity'>
/** A row of the GTT book. */
export type Gtt = AnswerOf<'gttorderbook'>['data'][number]

/**
 * An order or a GTT that waits on the side that closes a position, or may wait there: one in doubt. It fills whatever else closes
 * the position.
 */
export interface WaitingExit {
  id: string
  /** In the words of a review: `SELL 10 NSE:SBIN LIMIT at ₹812.50, order 26112100000001`. */
  text: string
  /** The order; undefined for a GTT. */
  order?: OrderRecord
  /** The GTT; undefined for an order. */
  gtt?: Gtt
}

/** Returns everything that waits to close a position: orders of each price type, and GTTs. @throws if a book cannot be read */
export async function waitingExits(client: SvcClient, position: Position): Promise<readonly WaitingExit[]> {
  return exitsIn(await booksNow(client), position)
}

/** How long the question of a close waits for the books of orders. */
const PATIENCE_MS = 1_500

/**
 * Returns a line for each order and GTT that stays when positions change. Books that cannot be read, or not in time, are a line,
 * too: they keep nobody from closing a position.
 */
export async function stayLines(
  client: SvcClient,
  positions: readonly Position[],
): Promise<readonly string[]> {
  try {
    const books = await inTime(booksNow(client))
    return positions.flatMap((position) => exitsIn(books, position)).map(({ text }) => `stays: ${text}`)
  } catch (thrown) {
    return [`which orders stay is not known: ${messageOf(thrown)}`]
  }
}

async function inTime<T>(read: Promise<T>): Promise<T> {
  let limit: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error('the books of orders did not answer in time.')), PATIENCE_MS)
  })
  try {
    return await Promise.race([read, late])
  } finally {
    clearTimeout(limit)
  }
}

interface Books {
  /** The orders of the day, and those in doubt, which may be GTTs. */
  orders: readonly OrderRecord[]
  gtts: readonly Gtt[]
}

async function booksNow(client: SvcClient): Promise<Books> {
  const book = client.call('orderbook', {}).then(orderRecords)
  const [orders, doubts, gtts] = await Promise.all([book, doubtfulOrders(client, book), gttsNow(client)])
  return { orders: [...orders, ...doubts], gtts }
}

/** Returns the GTTs; none at a broker that has no GTTs, which the book alone calls `unsupported`. */
export async function gttsNow(client: SvcClient): Promise<readonly Gtt[]> {
  try {
    return (await client.call('gttorderbook', {})).data
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.code === 'unsupported') return []
    throw thrown
  }
}

function exitsIn({ orders, gtts }: Books, position: Position): readonly WaitingExit[] {
  const side = closingSide(position)
  const waiting = orders.filter(
    (order) =>
      (WAITING.has(order.order_status) || order.order_status === IN_DOUBT) &&
      // The doubts of Live mode say nothing about a simulated position.
      order.mode === position.mode &&
      order.action === side &&
      isSame(order, position),
  )
  return [
    ...waiting.map((order) => ({ id: order.orderid, text: orderLine(order), order })),
    ...gtts.flatMap((gtt) => {
      const { exchange, legs, status, symbol, trigger_id } = gtt
      const leg = legs.find(
        ({ action, product }) => action === side && isSame({ symbol, exchange, product }, position),
      )
      const isWaiting = status === 'active' && leg !== undefined
      return isWaiting ? [{ id: `GTT ${trigger_id}`, text: gttLine(gtt, leg), gtt }] : []
    }),
  ]
}

function orderLine(order: OrderRecord): string {
  if (order.order_status === IN_DOUBT) return `${orderText(order)} in doubt, order ${order.orderid}`
  const left = { ...order, quantity: order.pending_quantity }
  return `${orderText(left)} ${termsText(order)}, order ${order.orderid}`
}

function gttLine({ exchange, symbol, trigger_id, trigger_prices }: Gtt, leg: Gtt['legs'][number]): string {
  const triggers = trigger_prices.map((price) => rupeePrice(price)).join(' or ')
  return `${orderText({ ...leg, exchange, symbol })}, trigger ${triggers}, GTT ${trigger_id}`
}
