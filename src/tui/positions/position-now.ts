import { closablePositions, type PositionRecord, positionRecords } from '../../client/answers/records.js'
import type { SvcClient } from '../../client/index.js'
import { ACTIONS, type Action } from '../../core/orders/vocabulary.js'
import type { Refusal } from '../question/use-question.js'

/** What names a position. */
export type PositionKey = Pick<PositionRecord, 'symbol' | 'exchange' | 'product'>

const [BUY, SELL] = ACTIONS

/** Returns the side of the order that closes a position. */
export const closingSide = ({ quantity }: Pick<PositionRecord, 'quantity'>): Action =>
  quantity > 0 ? SELL : BUY

/** Returns the positions that can be closed, as they are now. */
export async function openPositions(client: SvcClient): Promise<readonly PositionRecord[]> {
  return closablePositions(positionRecords(await client.call('positionbook', {})))
}

/** Returns an open position as it is now. */
export async function positionNow(client: SvcClient, asked: PositionKey): Promise<PositionRecord | Refusal> {
  const found = (await openPositions(client)).find((row) => isSame(row, asked))
  if (found === undefined) return { refusal: `there is no open position in ${nameOf(asked)}.` }
  return found.warning === undefined ? found : { refusal: `${found.warning}.` }
}

/** Returns a position as it is now. @throws Error if its quantity is not that of the question any more */
export async function requireUnmoved(client: SvcClient, asked: PositionRecord): Promise<PositionRecord> {
  const now = (await openPositions(client)).find((row) => isSame(row, asked))
  if (now?.quantity === asked.quantity) return now
  throw new Error(movedText(asked, now?.quantity ?? 0, asked.quantity))
}

/** @throws Error if a position is open that the question did not show, or not in this quantity. One that is closed now is none to close */
export async function requireNoOthers(client: SvcClient, shown: readonly PositionRecord[]): Promise<void> {
  for (const now of await openPositions(client)) {
    const was = shown.find((row) => isSame(row, now))?.quantity ?? 0
    if (now.quantity !== was) throw new Error(movedText(now, now.quantity, was))
  }
}

const movedText = (moved: PositionKey, now: number, was: number): string =>
  `the position in ${nameOf(moved)} is ${now} now, and was ${was}.`

/** Returns whether two rows are about the same position. */
export const isSame = (one: PositionKey, other: PositionKey) =>
  one.symbol === other.symbol && one.exchange === other.exchange && one.product === other.product

const nameOf = ({ exchange, product, symbol }: PositionKey) => `${exchange}:${symbol} ${product}`
