import { ACTIONS, PRODUCTS } from '../../cli/commands/order/request.js'
import { countText } from '../../cli/output/text/count.js'
import type { SvcClient } from '../../client/index.js'
import { type PositionRecord, positionRecords } from '../../client/records.js'
import { type Account, modeName } from '../live/account.js'
import { typedSymbol } from '../orders/form/instrument.js'
import { outcomeOf } from '../orders/place-review.js'
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
  const action = quantity > 0 ? SELL : BUY
  // The smart order itself reads the position again, so nothing is sold twice.
  const order = { action, quantity: 0, position_size: 0, pricetype: 'MARKET' as const }
  return {
    title: `Close with ${closingText(position)} at the market in ${modeName(account)} mode at ${account.broker}?`,
    lines: [
      placeText(account),
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
        const body = { ...typed, product, strategy: STRATEGY, ...order }
        return outcomeOf(await sender.call('placesmartorder', body, { idempotencyKey: key }))
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
    lines: [placeText(account), `value ${rupees(value)}`, ...open.map(closingText)],
    word: CLOSE_WORD,
    change: {
      name: 'Close all',
      check: 'svc position list',
      async send(sender) {
        const answer = await sender.call('closeposition', { strategy: STRATEGY }, { idempotencyKey: key })
        const failed = answer.failed_closures ?? 0
        return failed === 0
          ? answer.message
          : `${answer.message} ${failed} NOT closed. Look: svc position list`
      },
    },
  }
}

async function openPositions(client: SvcClient): Promise<readonly PositionRecord[]> {
  return positionRecords(await client.call('positionbook', {})).filter(({ quantity }) => quantity !== 0)
}
