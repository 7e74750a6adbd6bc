import { type OrderRecord, orderRecords } from '../../client/answers/records.js'
import type { SvcClient } from '../../client/index.js'
import { contradiction, priceTypeNamed } from '../../core/orders/terms/price-type.js'
import type { CloseLine, Line, ModifyLine, OrderLine } from '../../views/grammar/line.js'
import { isOrderLine, parseOrderLine } from '../../views/grammar/parse.js'
import { deskText, orderFacts, previewOf } from '../../views/grammar/preview.js'
import { closeMeant, orderMeant } from '../../views/grammar/resolve.js'
import { type Account, readAccount } from '../live/account.js'
import { cancelAllReview, cancelReview, modifyReview } from '../orders/change-reviews.js'
import { changedValues } from '../orders/form/draft.js'
import { placeReview } from '../orders/place-review.js'
import { closeAllReview, closeReview } from '../positions/close-reviews.js'
import { openPositions } from '../positions/position-now.js'
import { STRATEGY } from '../question/review.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import { parsedLine } from './words.js'

/**
 * Returns the order line in a text: the text itself, or what follows `do`, the command that takes the same lines. Undefined
 * without one, and for a `do` with options, which the command reads.
 */
export function orderLineIn(text: string): string | undefined {
  if (isOrderLine(text)) return text
  const { words, isOpen } = parsedLine(text)
  const [first, ...rest] = words[0] === 'svc' ? words.slice(1) : words
  if (first !== 'do' || isOpen || rest.some((word) => word.startsWith('-'))) return undefined
  const line = rest.join(' ')
  return isOrderLine(line) ? line : undefined
}

/** Returns the review of a line: the one that the order form and the keys of the screens lead to. It sends nothing. */
export async function lineReview(
  client: SvcClient,
  account: Account,
  text: string,
  key: string,
): Promise<ChangeQuestion | Refusal> {
  const line = parseOrderLine(text)
  return 'refusal' in line ? line : reviewOf(client, account, line, key)
}

function reviewOf(client: SvcClient, account: Account, line: Line, key: string) {
  switch (line.act) {
    case 'order':
      return orderReview(client, account, line, key)
    case 'close':
      return positionReview(client, account, line, key)
    case 'modify':
      return termsReview(client, account, line, key)
    case 'cancel':
      return cancelReview(client, account, { orderid: line.id }, key)
    case 'close-all':
      return closeAllReview(client, account, key)
    case 'cancel-all':
      return cancelAllReview(client, account, key)
  }
}

async function orderReview(client: SvcClient, account: Account, line: OrderLine, key: string) {
  const meant = await orderMeant(line, client)
  if ('refusal' in meant) return meant
  return placeReview(client, account, { ...meant.order, strategy: STRATEGY }, key)
}

async function positionReview(client: SvcClient, account: Account, line: CloseLine, key: string) {
  const meant = await closeMeant(line, await openPositions(client), client)
  if ('refusal' in meant) return meant
  const { exchange, product, symbol } = meant
  if (product === undefined) return { refusal: `there is no open position in ${exchange}:${symbol}.` }
  return closeReview(client, account, { exchange, product, symbol }, key)
}

async function termsReview(client: SvcClient, account: Account, line: ModifyLine, key: string) {
  const orders = orderRecords(await client.call('orderbook', {}))
  const order = orders.find(({ orderid }) => orderid === line.id)
  if (order === undefined) return { refusal: `order ${line.id} is not in the order book.` }
  const refusal = whyNotPriced(order, line)
  if (refusal !== undefined) return { refusal }
  const values = {
    ...changedValues(order),
    ...(line.price !== undefined && { price: String(line.price) }),
    ...(line.trigger !== undefined && { trigger_price: String(line.trigger) }),
  }
  return modifyReview(client, account, order, { values, key })
}

/** Returns why an order cannot have the prices of a line: its type has none of this kind. */
function whyNotPriced({ pricetype }: OrderRecord, { price, trigger }: ModifyLine): string | undefined {
  const type = priceTypeNamed(pricetype)
  const names = { type: "the order's type", price: 'price', trigger: 'sl' }
  return type && contradiction(type, { price, trigger }, names)?.message
}

/** Returns what a line would do, one fact for each line of the screen. It reads, and sends nothing. */
export async function linePreview(client: SvcClient, line: Line): Promise<readonly string[]> {
  if (line.act === 'order') {
    const meant = await orderMeant(line, client)
    if ('refusal' in meant) return [meant.refusal]
    const preview = await previewOf(meant, client)
    return [deskText(preview.desk), ...orderFacts(meant, preview)]
  }
  // A review reads what it is about, and its change needs a key only when it is sent.
  const review = await reviewOf(client, await readAccount(client), line, '')
  return 'refusal' in review ? [review.refusal] : [review.title, ...review.lines]
}
