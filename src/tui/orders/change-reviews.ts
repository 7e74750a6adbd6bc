import { type OrderRecord, orderRecord, orderRecords, valueAt } from '../../client/answers/records.js'
import type { SvcClient } from '../../client/index.js'
import { isSameMoney } from '../../core/money/index.js'
import { disclosedText, keptDisclosed } from '../../core/orders/terms/disclosed.js'
import { ACTIONS, ORDER_PRODUCTS, WAITING } from '../../core/orders/vocabulary.js'
import { orderText, termsText } from '../../views/orders/order.js'
import { rupeePrice } from '../../views/table/cells.js'
import { countText } from '../../views/text/count.js'
import type { FormValues } from '../components/form/Form.js'
import { type Account, modeAndBroker } from '../live/account.js'
import { badResult } from '../live/changes/changes.js'
import { placeText, STRATEGY, sendOptions } from '../question/review.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import { orderWord } from '../question/weight.js'
import { orderTerms } from './form/draft.js'
import { typedSymbol } from './form/instrument.js'

/** Returns why an order cannot be changed; undefined for one that waits. */
export function whyNotOpen({ orderid, order_status }: OrderRecord): string | undefined {
  return WAITING.has(order_status) ? undefined : `Order ${orderid} is ${order_status}: it cannot be changed.`
}

const priceLine = (order: OrderRecord) => `${termsText(order)}, ${order.product}`

const fillLine = ({ filled_quantity, pending_quantity }: OrderRecord) =>
  `filled ${filled_quantity}, waiting ${pending_quantity}`

/** The id of an order; reviews read the order itself again. */
type OrderId = Pick<OrderRecord, 'orderid'>

/**
 * Asks for the changes of an order that waits.
 * @param given the order that the values were made from: if another program has changed it since, the values would undo that
 */
export async function modifyReview(
  client: SvcClient,
  account: Account,
  given: OrderRecord,
  { values, key }: { values: FormValues; key: string },
): Promise<ChangeQuestion | Refusal> {
  const { orderid } = given
  const order = await orderNow(client, orderid)
  const terms = orderTerms(values)
  const fixed = order && fixedFields(order)
  if (order === undefined || fixed === undefined || terms === undefined) {
    return { refusal: `order ${orderid} is not in the order book, or of a kind of its own.` }
  }
  const reason = whyNotOpen(order) ?? whyChanged(order, given)
  if (reason !== undefined) return { refusal: reason }
  const disclosed_quantity = keptDisclosed({ ...order, disclosed: order.disclosed_quantity }, terms.quantity)
  const seen = disclosedText(disclosed_quantity, terms.quantity)
  const body = { ...fixed, ...terms, orderid, strategy: STRATEGY, disclosed_quantity }
  const price = terms.price || terms.trigger_price || (await marketPrice(client, order))
  const value = price > 0 ? valueAt({ ...order, quantity: terms.quantity }, price) : null
  return {
    title: `Modify ${orderText(order)} ${modeAndBroker(account)}?`,
    lines: [
      placeText(account, 'change'),
      `order ${orderid}, ${fillLine(order)}`,
      `now: ${order.quantity} ${termsText(order)}`,
      `then: ${terms.quantity} ${termsText(terms)}${seen === undefined ? '' : `, ${seen}`}`,
      ...(value === null ? [] : [`estimated value ${rupeePrice(value)}`]),
    ],
    ...orderWord(account, value),
    recheck: () => requireAsShown(client, order),
    change: {
      name: `Modify order ${orderid}`,
      check: `svc order status ${orderid}`,
      async send(sender) {
        await sender.call('modifyorder', body, sendOptions(account, key))
        return 'done.'
      },
    },
  }
}

/** Returns the price that counts for an order at the market: the last one, or where that is not known its price before; 0 for none. */
async function marketPrice(client: SvcClient, order: OrderRecord): Promise<number> {
  const before = order.price || order.trigger_price
  const typed = typedSymbol(`${order.exchange}:${order.symbol}`)
  if (typed === undefined) return before
  const ltp = await client.call('quotes', typed).then(
    ({ data }) => data.ltp,
    () => 0,
  )
  return ltp || before
}

/** Returns the fields that a change leaves as they are; undefined if the service has no such order. */
function fixedFields({ exchange, symbol, action, product }: OrderRecord) {
  const typed = typedSymbol(`${exchange}:${symbol}`)
  const side = ACTIONS.find((one) => one === action)
  const kind = ORDER_PRODUCTS.find((one) => one === product)
  if (typed === undefined || side === undefined || kind === undefined) return undefined
  return { ...typed, action: side, product: kind }
}

/** Asks for the cancellation of one order, as it is now. */
export async function cancelReview(
  client: SvcClient,
  account: Account,
  { orderid }: OrderId,
  key: string,
): Promise<ChangeQuestion | Refusal> {
  const order = await orderNow(client, orderid)
  if (order === undefined) return { refusal: `order ${orderid} is not in the order book.` }
  const reason = whyNotOpen(order)
  if (reason !== undefined) return { refusal: reason }
  return {
    title: `Cancel ${orderText(order)} ${modeAndBroker(account)}?`,
    lines: [placeText(account, 'reduction'), `order ${orderid}, ${fillLine(order)}`, priceLine(order)],
    change: {
      name: `Cancel order ${orderid}`,
      check: `svc order status ${orderid}`,
      async send(sender) {
        await sender.call('cancelorder', { strategy: STRATEGY, orderid }, sendOptions(account, key))
        return 'done.'
      },
    },
  }
}

/** Asks for the cancellation of every order that waits now. */
export async function cancelAllReview(
  client: SvcClient,
  account: Account,
  key: string,
): Promise<ChangeQuestion | Refusal> {
  const waiting = await waitingOrders(client)
  if (waiting.length === 0) return { refusal: 'no order waits.' }
  const value = waiting.reduce(
    (sum, row) => sum + valueAt({ ...row, quantity: row.pending_quantity }, row.price || row.trigger_price),
    0,
  )
  return {
    title: `Cancel every waiting order, ${countText(waiting.length, 'order')}, ${modeAndBroker(account)}?`,
    lines: [
      placeText(account, 'reduction'),
      `value ${rupeePrice(value)}`,
      ...waiting.map((order) => `${order.orderid} ${orderText(order)} ${priceLine(order)}`),
    ],
    ...(account.analyze_mode ? {} : { word: 'cancel' }),
    recheck: () => requireNoOthers(client, waiting),
    change: {
      name: 'Cancel all',
      check: 'svc order list',
      async send(sender) {
        const answer = await sender.call('cancelallorder', { strategy: STRATEGY }, sendOptions(account, key))
        const [first, ...others] = answer.failed_cancellations
        const done = `${countText(answer.canceled_orders.length, 'order')} cancelled`
        if (first === undefined) return `${done}.`
        return badResult(`${done}, ${1 + others.length} NOT cancelled: ${first.orderid}: ${first.message}`)
      },
    },
  }
}

async function waitingOrders(client: SvcClient): Promise<readonly OrderRecord[]> {
  const orders = orderRecords(await client.call('orderbook', {}))
  return orders.filter(({ order_status: status }) => WAITING.has(status))
}

/** @throws Error if an order waits that the question did not show, or that had another quantity there. Filled orders do not count */
async function requireNoOthers(client: SvcClient, shown: readonly OrderRecord[]): Promise<void> {
  for (const now of await waitingOrders(client)) {
    const was = shown.find(({ orderid }) => orderid === now.orderid)
    const text = `order ${now.orderid} (${orderText(now)})`
    if (was === undefined) throw new Error(`${text} waits now, too. Ask again.`)
    if (now.quantity !== was.quantity) throw new Error(`${text} was for ${was.quantity}. Ask again.`)
  }
}

/** @throws Error if an order is not as a question showed it: what was decided about it does not hold any more */
async function requireAsShown(client: SvcClient, shown: OrderRecord): Promise<void> {
  const now = await orderNow(client, shown.orderid)
  if (now === undefined) throw new Error(`order ${shown.orderid} is not in the order book any more.`)
  const reason = whyNotOpen(now) ?? whyNotAsShown(now, shown)
  if (reason !== undefined) throw new Error(reason)
}

/** Returns why an order is not as a question showed it: its terms, its status, or what is left to fill. */
export function whyNotAsShown(now: OrderRecord, shown: OrderRecord): string | undefined {
  const changed = whyChanged(now, shown)
  if (changed !== undefined) return changed
  if (now.order_status === shown.order_status && now.pending_quantity === shown.pending_quantity)
    return undefined
  const [is, was] = [now, shown].map((one) => `${one.order_status} with ${one.pending_quantity} to fill`)
  return `order ${now.orderid} is ${is} now, and was ${was}.`
}

/** Returns why the terms of an order are not those that somebody has seen; undefined if they are. */
function whyChanged(now: OrderRecord, seen: OrderRecord): string | undefined {
  const isSame =
    now.quantity === seen.quantity &&
    now.pricetype === seen.pricetype &&
    isSameMoney(now.price, seen.price) &&
    isSameMoney(now.trigger_price, seen.trigger_price)
  if (isSame) return undefined
  const [is, was] = [now, seen].map((order) => `${order.quantity} ${termsText(order)}`)
  return `order ${now.orderid} is ${is} now, and was ${was}.`
}

async function orderNow(client: SvcClient, orderid: string): Promise<OrderRecord | undefined> {
  const answer = await client.call('orderbook', {})
  const row = answer.data.orders.find((one) => one.orderid === orderid)
  return row && orderRecord(row, answer.mode ?? 'live')
}
