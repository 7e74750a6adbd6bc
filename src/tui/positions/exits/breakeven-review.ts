import type { OrderRecord, PositionRecord } from '../../../client/answers/records.js'
import type { SvcClient } from '../../../client/index.js'
import { ceilTo, floorTo, fromMoney, toMoney } from '../../../core/money/index.js'
import { PRODUCTS } from '../../../core/orders/vocabulary.js'
import { rupeePrice } from '../../../views/table/cells.js'
import type { Account } from '../../live/account.js'
import { modifyReview, whyNotAsShown } from '../../orders/change-reviews.js'
import { movedValues } from '../../orders/form/draft.js'
import { typedSymbol } from '../../orders/form/instrument.js'
import { placeReview } from '../../orders/place-review.js'
import { STRATEGY } from '../../question/review.js'
import type { ChangeQuestion, Refusal } from '../../question/use-question.js'
import { closingSide, type PositionKey, positionNow, requireUnmoved } from '../position-now.js'
import { waitingExits } from './waiting-exits.js'

/**
 * Asks for a stop of a position at its average price: its waiting stop is moved there, or a new one (SL-M) is placed. A stop is
 * never moved to where it would lose more, and none is placed beside anything else that waits to close the position.
 */
export async function breakevenReview(
  client: SvcClient,
  account: Account,
  { asked, key }: { asked: PositionKey; key: string },
): Promise<ChangeQuestion | Refusal> {
  const position = await positionNow(client, asked)
  if ('refusal' in position) return position
  const typed = typedSymbol(`${asked.exchange}:${asked.symbol}`)
  const product = PRODUCTS.find((one) => one === asked.product)
  if (typed === undefined || product === undefined) {
    return { refusal: `a position in ${asked.product} can only be closed.` }
  }
  const { tick_size } = (await client.call('symbol', typed)).data
  const trigger = breakevenOf(position, tick_size)
  const early = whyTooEarly(position, trigger)
  if (early !== undefined) return { refusal: early }
  const exits = await waitingExits(client, position)
  const [first, ...others] = exits
  const stop = others.length === 0 ? first?.order : undefined
  if (first !== undefined && !stop?.pricetype.startsWith('SL')) {
    const [list, wait] = [exits.map(({ text }) => text).join('; '), others.length === 0 ? 'waits' : 'wait']
    return { refusal: `${list} ${wait} to close it: beside a stop, both could fill. Cancel first.` }
  }
  const recheck = () => requireAsAsked(client, { position, stop, trigger })
  if (stop !== undefined) {
    const review = await movedReview(client, account, { position, stop, trigger, key })
    return 'refusal' in review ? review : { ...review, recheck }
  }
  if (account.order_mode === 'semi_auto') {
    return {
      refusal:
        'a new stop would wait for approval, and protect nothing until then. Key 2, then n, asks for one.',
    }
  }
  const body = {
    ...typed,
    ...{ action: closingSide(position), product, strategy: STRATEGY },
    ...{ quantity: Math.abs(position.quantity), pricetype: 'SL-M' as const, trigger_price: trigger },
  }
  const review = await placeReview(client, account, body, key)
  return 'refusal' in review ? review : { ...review, recheck }
}

/** What the question was about. */
interface Asked {
  position: PositionRecord
  /** The stop that would be moved; undefined if a new one would be placed. */
  stop: OrderRecord | undefined
  trigger: number
}

/** @throws Error if the position, its price or its stop is not what the question was about any more */
async function requireAsAsked(client: SvcClient, { position, stop, trigger }: Asked): Promise<void> {
  const now = await requireUnmoved(client, position)
  const early = whyTooEarly(now, trigger)
  if (early !== undefined) throw new Error(early)
  const [first, ...others] = await waitingExits(client, position)
  if (others.length > 0 || first?.id !== stop?.orderid) {
    throw new Error('other orders wait to close the position now.')
  }
  // Another program that trails the stop would be pulled back.
  const changed = stop && first?.order && whyNotAsShown(first.order, stop)
  if (changed !== undefined) throw new Error(changed)
}

/** Returns the average price on the tick at which a stop loses nothing, before costs. */
export function breakevenOf(
  { average_price, quantity }: Pick<PositionRecord, 'average_price' | 'quantity'>,
  tick: number,
): number {
  const [average, step] = [toMoney(average_price), toMoney(tick)]
  if (step <= 0n) return average_price
  return fromMoney(quantity > 0 ? ceilTo(average, step) : floorTo(average, step))
}

/** Returns why a stop at a price would fill at once; undefined if it would not. */
function whyTooEarly({ ltp, quantity }: PositionRecord, trigger: number): string | undefined {
  if (!(ltp > 0)) return 'the last price is not known.'
  if (quantity > 0 ? ltp > trigger : ltp < trigger) return undefined
  return `the last price ${rupeePrice(ltp)} has not passed ${rupeePrice(trigger)}: a stop there would fill at once.`
}

interface Moved extends Asked {
  stop: OrderRecord
  key: string
}

async function movedReview(
  client: SvcClient,
  account: Account,
  { key, position, stop, trigger }: Moved,
): Promise<ChangeQuestion | Refusal> {
  const isThere = position.quantity > 0 ? stop.trigger_price >= trigger : stop.trigger_price <= trigger
  if (isThere) {
    return { refusal: `its stop ${stop.orderid} is at ${rupeePrice(stop.trigger_price)} already.` }
  }
  const held = Math.abs(position.quantity)
  if (stop.pending_quantity !== held) {
    return {
      refusal: `its stop ${stop.orderid} is for ${stop.pending_quantity}, and the position is ${held}. Key 2 shows it; m changes it.`,
    }
  }
  return modifyReview(client, account, stop, { values: movedValues(stop, trigger), key })
}
