import { randomUUID } from 'node:crypto'
import type { OrderRecord } from '../../../client/answers/records.js'
import type { Action } from '../../../core/orders/vocabulary.js'
import { orderText } from '../../../views/orders/order.js'
import { rupeePrice } from '../../../views/table/cells.js'
import { cancelReview, modifyReview } from '../../orders/change-reviews.js'
import { movedValues, type OrderBody, standingPrice } from '../../orders/form/draft.js'
import type { TypedSymbol } from '../../orders/form/instrument.js'
import { placeReview } from '../../orders/place-review.js'
import { STRATEGY } from '../../question/review.js'
import type { Shown } from '../../screen/record.js'
import { ordersAt, priceAt } from './rungs.js'

/** Where the acts of the ladder happen. */
export interface LadderPoint {
  symbol: TypedSymbol
  tick: number
  /** The price under the cursor, in ticks. */
  at: number
  quantity: number
  product: OrderBody['product']
  /** The own orders of the symbol. */
  orders: readonly OrderRecord[]
  /** Why the orders may be others; undefined if they are those of now. */
  unread: string | undefined
}

type Asking = Pick<Shown, 'dialogs' | 'daemon'>

/** Asks for a limit order at the price under the cursor. */
export function placeAt(point: LadderPoint, action: Action, { dialogs }: Asking): void {
  const { at, product, quantity, symbol, tick } = point
  const terms = { pricetype: 'LIMIT', price: priceAt(at, tick), trigger_price: 0 } as const
  const body = { ...symbol, action, quantity, product, ...terms, strategy: STRATEGY }
  const key = randomUUID()
  void dialogs.askForOrders((client, account) => placeReview(client, account, body, key))
}

/** Asks for the move of an order to the price under the cursor. */
export function moveHere(
  order: OrderRecord,
  { at, tick }: LadderPoint,
  { dialogs }: Asking,
  onSent: () => void,
): void {
  const key = randomUUID()
  void dialogs.askForOrders(async (client, account) => {
    const review = await modifyReview(client, account, order, {
      values: movedValues(order, priceAt(at, tick)),
      key,
    })
    return 'refusal' in review ? review : { ...review, onSent }
  })
}

/** Asks for the cancellation of the order at the price under the cursor. */
export function cancelAt(point: LadderPoint, { daemon, dialogs }: Asking): void {
  const order = orderAt(point, { daemon })
  if (order === undefined) return
  const key = randomUUID()
  void dialogs.askForOrders((client, account) => cancelReview(client, account, order, key))
}

/** Returns the newest own order under the cursor, or says that there is none. */
export function orderAt(
  { at, orders, tick, unread }: LadderPoint,
  { daemon }: Pick<Asking, 'daemon'>,
): OrderRecord | undefined {
  const [newest] = ordersAt(orders, at, tick)
  const none = unread ?? `No own order waits at ${rupeePrice(priceAt(at, tick))}.`
  if (newest === undefined) daemon.changes.say(none)
  return newest
}

/** Returns what the keys would do now, which the ladder always shows. */
export function pointText(
  point: LadderPoint,
  crossing: Action | undefined,
  value: number | undefined,
): string {
  const { at, product, quantity, tick } = point
  const price = rupeePrice(priceAt(at, tick))
  const worth = value === undefined ? '' : `, value ${rupeePrice(value)}`
  const fills = crossing === undefined ? '' : `; a ${crossing} fills at once`
  return `b buys, s sells ${quantity} at ${price} LIMIT ${product}${worth}${fills}`
}

/** Returns the same while an order is on the move. */
export function moveText(order: OrderRecord, { at, tick }: LadderPoint): string {
  const from = rupeePrice(standingPrice(order))
  return `${orderText(order)} from ${from} to ${rupeePrice(priceAt(at, tick))}: enter reviews it, esc leaves it there`
}
