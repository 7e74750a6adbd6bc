import type { BrokerContext, BrokerGtt } from '../../broker.js'
import { mapped } from '../../kit/books/mapping.js'
import { timeOfStamp } from '../../kit/books/stamps.js'
import { placeOf, UNITS } from '../places.js'
import { productOf } from '../words.js'
import { type ForeverRow, foreverName, foreverRow } from './wire.js'

/** Our status of a leg by Dhan's. */
const STATUS: Readonly<Record<string, BrokerGtt['status']>> = {
  TRANSIT: 'active',
  PENDING: 'active',
  CONFIRM: 'active',
  TRIGGERED: 'triggered',
  TRADED: 'triggered',
  REJECTED: 'rejected',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
}
/** What a forever order is if its legs differ: one that fired has ended the other. The first of these counts. */
const FIRST: readonly BrokerGtt['status'][] = ['triggered', 'active', 'rejected', 'expired', 'cancelled']

/** The rows of a list, as far as they can be read. */
interface ReadRows {
  rows: ForeverRow[]
  /** The tags of orders that are left out; undefined for one whose tag cannot be read either. */
  unreadableTags: ReadonlySet<string | undefined>
}

/** Reads rows one by one, because an unreadable one must not hide the others. An order is left out with all of its legs. */
export function readRows(list: readonly unknown[]): ReadRows {
  const read = list.map((row) => ({
    row: foreverRow.safeParse(row).data,
    name: foreverName.safeParse(row).data,
  }))
  const unreadable = read.filter(({ row }) => row === undefined)
  const leftOut = new Set(unreadable.map(({ name }) => name?.orderId))
  const rows = read.flatMap(({ row }) => (row && !leftOut.has(row.orderId) ? [row] : []))
  return { rows, unreadableTags: new Set(unreadable.map(({ name }) => name?.correlationId)) }
}

/** Groups rows by their order, each with the stop first: it has the lower trigger. */
export function foreverOrders(rows: readonly ForeverRow[]): ForeverRow[][] {
  const orders = new Map<string, ForeverRow[]>()
  for (const row of rows) orders.set(row.orderId, [...(orders.get(row.orderId) ?? []), row])
  return [...orders.values()].map((legs) => legs.sort((a, b) => a.triggerPrice - b.triggerPrice))
}

/**
 * Returns what Dhan calls the legs of a forever order; undefined if its rows do not tell.
 * @param legs the stop first, as {@link foreverOrders} has them
 */
export function legNamesOf(
  legs: readonly ForeverRow[],
  type: 'SINGLE' | 'OCO',
): Record<'stop' | 'target', string> | undefined {
  const [first, last = first] = legs
  if (!first?.legName || !last?.legName || first.orderType !== type) return undefined
  const isPair = legs.length === 2 && first.legName !== last.legName && first.triggerPrice < last.triggerPrice
  const isWhole = type === 'OCO' ? isPair : legs.length === 1
  return isWhole ? { stop: first.legName, target: last.legName } : undefined
}

/** Returns the status of a forever order. */
export function statusOf(context: BrokerContext, legs: readonly ForeverRow[]): BrokerGtt['status'] {
  const statuses = legs.map(({ orderStatus }) => mapped(context, 'gtt_status', STATUS, orderStatus, 'active'))
  return FIRST.find((status) => statuses.includes(status)) ?? 'active'
}

/** What Dhan's rows of a forever order do not tell. */
interface Besides {
  lastPrice: number
  triggeredOrderId: string | undefined
}

/** Converts the rows of a forever order: at least one. */
export function toGtt(
  context: BrokerContext,
  first: ForeverRow,
  legs: readonly ForeverRow[],
  { lastPrice, triggeredOrderId }: Besides,
): BrokerGtt {
  const { contract, ref } = placeOf(context, first)
  // One that has sent an order has fired, whatever became of that.
  const status = triggeredOrderId === undefined ? statusOf(context, legs) : 'triggered'
  const reason = legs.find(({ omsErrorDescription }) => omsErrorDescription !== '')?.omsErrorDescription
  return {
    triggerId: first.orderId,
    type: first.orderType === 'OCO' ? 'two-leg' : 'single',
    status,
    ...(triggeredOrderId !== undefined && { triggeredOrderId }),
    ...(status === 'rejected' && reason !== undefined && { rejectionReason: reason }),
    ...ref,
    triggerPrices: legs.map(({ triggerPrice }) => triggerPrice),
    lastPrice,
    legs: legs.map(({ price, productType, quantity, transactionType }) => ({
      action: transactionType,
      quantity: UNITS.unitsOf(contract, quantity),
      price,
      priceType: 'LIMIT',
      product: productOf(productType),
    })),
    createdAt: timeOfStamp(first.createTime) || undefined,
    updatedAt: Math.max(...legs.map(({ updateTime }) => timeOfStamp(updateTime))) || undefined,
    expiresAt: undefined,
  }
}
