import { randomUUID } from 'node:crypto'
import { isObject } from '../../client/answers/json.js'
import { closingOrders, type PositionRecord, valueAt } from '../../client/answers/records.js'
import { type AnswerOf, type SvcClient, SvcError } from '../../client/index.js'
import { ORDER_PRODUCTS } from '../../core/orders/vocabulary.js'
import { rupeePrice } from '../../views/table/cells.js'
import { countText } from '../../views/text/count.js'
import { type Account, modeAndBroker } from '../live/account.js'
import { badResult, type ChangeResult } from '../live/changes/changes.js'
import { typedSymbol } from '../orders/form/instrument.js'
import { placeText, STRATEGY, sendOptions } from '../question/review.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import type { Shown } from '../screen/record.js'
import { stayLines } from './exits/waiting-exits.js'
import {
  closingSide,
  openPositions,
  type PositionKey,
  positionNow,
  requireNoOthers,
  requireUnmoved,
} from './position-now.js'

/** Asks for the orders that close every position: the review first, then one request. */
export async function askToCloseAll({ dialogs }: Pick<Shown, 'dialogs'>): Promise<void> {
  const key = randomUUID()
  await dialogs.askForOrders((client, account) => closeAllReview(client, account, key))
}

/** The word that closes every position. */
export const CLOSE_WORD = 'close'

/** Returns the side and the quantity of the order that closes a position. */
function closingText(position: PositionRecord): string {
  const { exchange, product, quantity, symbol } = position
  return `${closingSide(position)} ${Math.abs(quantity)} ${exchange}:${symbol} ${product}`
}

/** Asks for the order that closes a position, as it is now. */
export async function closeReview(
  client: SvcClient,
  account: Account,
  asked: PositionKey,
  key: string,
): Promise<ChangeQuestion | Refusal> {
  const position = await positionNow(client, asked)
  if ('refusal' in position) return position
  const typed = typedSymbol(`${asked.exchange}:${asked.symbol}`)
  const product = ORDER_PRODUCTS.find((one) => one === asked.product)
  if (typed === undefined || product === undefined) {
    return { refusal: `${asked.product} of ${asked.exchange} is no product that svc closes.` }
  }
  const { quantity, ltp, pnl } = position
  return {
    title: `Close with ${closingText(position)} at the market ${modeAndBroker(account)}?`,
    lines: [
      placeText(account, 'reduction'),
      `position ${quantity}, P&L ${rupeePrice(pnl)}`,
      `last price ${rupeePrice(ltp)}, estimated value ${rupeePrice(valueAt(position, ltp))}`,
      ...(await stayLines(client, [position])),
    ],
    async recheck() {
      await requireUnmoved(client, position)
    },
    change: {
      name: `Close ${asked.exchange}:${asked.symbol}`,
      check: account.analyze_mode
        ? 'svc order list'
        : `svc order journal --symbol ${asked.exchange}:${asked.symbol}`,
      async send(sender) {
        // The daemon reads the position again, so it never sells more than is held.
        const body = { ...typed, product, strategy: STRATEGY }
        return closeResult(sender.call('closeposition', body, sendOptions(account, key)))
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
  const value = open.reduce((sum, row) => sum + valueAt(row, row.ltp), 0)
  const stays = await stayLines(client, open)
  return {
    title: `Close every position, ${countText(open.length, 'position')}, at the market ${modeAndBroker(account)}?`,
    lines: [
      placeText(account, 'reduction'),
      `value ${rupeePrice(value)}`,
      ...open.map(closingText),
      ...stays,
    ],
    word: CLOSE_WORD,
    recheck: () => requireNoOthers(client, open),
    change: {
      name: 'Close all',
      check: 'svc position list',
      async send(sender) {
        return closeResult(sender.call('closeposition', { strategy: STRATEGY }, sendOptions(account, key)))
      },
    },
  }
}

/** Returns the outcome of a close, also when a position stays open. @throws any other failure */
async function closeResult(asked: Promise<AnswerOf<'closeposition'>>): Promise<ChangeResult> {
  try {
    const { message, mode, results } = await asked
    const orders = closingOrders(results)
    if (orders.length === 0) return badResult(message)
    const kind = mode === 'analyze' ? 'simulated' : 'LIVE'
    return `${kind} ${orders.length === 1 ? 'order' : 'orders'} ${orders.join(', ')} ${orders.length === 1 ? 'is' : 'are'} placed.`
  } catch (thrown) {
    if (!(thrown instanceof SvcError) || thrown.code === 'outcome_unknown') throw thrown
    const { failed_closures: failed, results } = thrown.body
    if (typeof failed !== 'number' || !Array.isArray(results)) throw thrown
    const reason = results.find((row) => isObject(row) && row.status === 'error')?.message
    const because = typeof reason === 'string' ? `: ${reason}` : ''
    return badResult(`${thrown.message}. ${failed} NOT closed${because}. Look: svc position list`)
  }
}
