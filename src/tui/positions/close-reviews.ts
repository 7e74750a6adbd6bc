import { ACTIONS, PRODUCTS } from '../../cli/commands/order/request.js'
import { countText } from '../../cli/output/text/count.js'
import type { AnswerOf, SvcClient } from '../../client/index.js'
import { closablePositions, type PositionRecord, positionRecords } from '../../client/records.js'
import { type Account, modeName } from '../live/account.js'
import { typedSymbol } from '../orders/form/instrument.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import { placeText, rupees, STRATEGY, wordOf } from '../review/review.js'

/** The word that closes every position. */
export const CLOSE_WORD = 'close'

const [BUY, SELL] = ACTIONS

/** Returns the side and the quantity of the order that closes a position. */
function closingText({ quantity, exchange, symbol, product }: PositionRecord): string {
  return `${quantity > 0 ? SELL : BUY} ${Math.abs(quantity)} ${exchange}:${symbol} ${product}`
}

/** Asks for the order that closes a position, as it is now. */
export async function closeReview(
  client: SvcClient,
  account: Account,
  wanted: PositionRecord,
  key: string,
): Promise<ChangeQuestion | Refusal> {
  const position = (await openPositions(client)).find(
    ({ symbol, exchange, product }) =>
      symbol === wanted.symbol && exchange === wanted.exchange && product === wanted.product,
  )
  const typed = typedSymbol(`${wanted.exchange}:${wanted.symbol}`)
  const product = PRODUCTS.find((one) => one === wanted.product)
  if (position === undefined || typed === undefined || product === undefined) {
    return { refusal: `there is no open position in ${wanted.exchange}:${wanted.symbol} ${wanted.product}.` }
  }
  const { quantity, ltp, pnl } = position
  return {
    title: `Close with ${closingText(position)} at the market in ${modeName(account)} mode at ${account.broker}?`,
    lines: [
      placeText(account, 'reduction'),
      `position ${quantity}, P&L ${rupees(pnl)}`,
      `last price ${rupees(ltp)}, estimated value ${rupees(Math.abs(quantity) * ltp)}`,
    ],
    ...wordOf(account),
    change: {
      name: `Close ${wanted.exchange}:${wanted.symbol}`,
      check: account.analyze_mode
        ? 'svc order list'
        : `svc order journal --symbol ${wanted.exchange}:${wanted.symbol}`,
      async send(sender) {
        // The daemon reads the position again, so it never sells more than is held.
        const body = { ...typed, product, strategy: STRATEGY }
        const answer = await sender.call('closeposition', body, { idempotencyKey: key })
        const orders = (answer.results ?? []).flatMap(({ orderid }) =>
          orderid === undefined ? [] : String(orderid),
        )
        if ((answer.failed_closures ?? 0) > 0 || orders.length === 0) return closedText(answer)
        return `${answer.mode === 'analyze' ? 'simulated' : 'LIVE'} order ${orders.join(', ')} is placed.`
      },
    },
  }
}

/** Asks for the orders that close every position, as they are now. */
export async function closeAllReview(
  client: SvcClient,
  account: Account,
  key: string,
): Promise<ChangeQuestion | Refusal> {
  const open = await openPositions(client)
  if (open.length === 0) return { refusal: 'no position is open.' }
  const value = open.reduce((sum, { quantity, ltp }) => sum + Math.abs(quantity) * ltp, 0)
  return {
    title: `Close every position, ${countText(open.length, 'position')}, at the market in ${modeName(account)} mode at ${account.broker}?`,
    lines: [placeText(account, 'reduction'), `value ${rupees(value)}`, ...open.map(closingText)],
    word: CLOSE_WORD,
    change: {
      name: 'Close all',
      check: 'svc position list',
      async send(sender) {
        return closedText(await sender.call('closeposition', { strategy: STRATEGY }, { idempotencyKey: key }))
      },
    },
  }
}

function closedText({
  failed_closures: failed = 0,
  message,
  results = [],
}: AnswerOf<'closeposition'>): string {
  if (failed === 0) return message
  const reason = results.find(({ status }) => status === 'error')?.message
  const because = typeof reason === 'string' ? `: ${reason}` : ''
  return `${message}. ${failed} NOT closed${because}. Look: svc position list`
}

async function openPositions(client: SvcClient): Promise<readonly PositionRecord[]> {
  return closablePositions(positionRecords(await client.call('positionbook', {})))
}
