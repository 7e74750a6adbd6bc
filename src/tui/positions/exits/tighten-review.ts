import type { OrderRecord, PositionRecord } from '../../../client/answers/records.js'
import type { SvcClient } from '../../../client/index.js'
import { rupeePrice } from '../../../views/table/cells.js'
import type { Account } from '../../live/account.js'
import { modifyReview } from '../../orders/change-reviews.js'
import { movedValues } from '../../orders/form/draft.js'
import { typedSymbol } from '../../orders/form/instrument.js'
import type { ChangeQuestion, Refusal } from '../../question/use-question.js'
import { type PositionKey, positionNow, requireUnmoved } from '../position-now.js'
import { gttStopOf, movedGttReview } from './gtt-stop.js'
import { exitPrice, type TypedDistance } from './typed-exit.js'
import { type Gtt, type WaitingExit, waitingExits } from './waiting-exits.js'

interface AskedMove {
  asked: PositionKey
  key: string
  /** How far behind the last price. */
  distance: TypedDistance | undefined
}

/**
 * Asks for one move of the stop of a position to a distance behind the last price: of its stop order, or of the stop of its GTT.
 * The stop does not follow the price afterwards. It is never moved to where it would lose more.
 */
export async function tightenReview(
  client: SvcClient,
  account: Account,
  { asked, key, distance }: AskedMove,
): Promise<ChangeQuestion | Refusal> {
  const position = await positionNow(client, asked)
  if ('refusal' in position) return position
  const trigger = await triggerOf(client, position, distance)
  if (typeof trigger !== 'number') return trigger
  const exits = await waitingExits(client, position)
  const stops = exits.flatMap((exit) => stopOf(exit, position) ?? [])
  const [stop, ...others] = stops
  if (stop === undefined) return { refusal: NO_STOP }
  if (others.length > 0) {
    return {
      refusal: `${stops.map(({ text }) => text).join('; ')} wait: which one is not clear. Key 2 changes each.`,
    }
  }
  const held = whyKept(stop, position, trigger)
  if (held !== undefined) return { refusal: held }
  const review = await movedReview(client, account, { stop, trigger, key, position })
  if ('refusal' in review) return review
  const rest = exits.filter(({ id }) => id !== stop.id).map(({ text }) => `stays: ${text}`)
  return {
    ...review,
    lines: [...review.lines, factLine(position, stop, trigger), ...rest, ONCE],
    async recheck() {
      const now = await requireUnmoved(client, position)
      const early = whyTooEarly(now, trigger)
      if (early !== undefined) throw new Error(early)
      await review.recheck?.()
    },
  }
}

const NO_STOP = 'no stop waits for this position. Key b places one at the average price, B one with a target.'
const ONCE = 'the stop moves once, now: it does not follow the price'

/** A stop that waits for a position: an order, or a leg of a GTT. */
interface Stop extends Pick<WaitingExit, 'id' | 'text'> {
  at: { order: OrderRecord } | { gtt: Gtt; leg: number }
  trigger: number
  quantity: number
}

/** Returns the stop in something that waits; undefined for a target, for a stop that has triggered, and in doubt. */
function stopOf({ gtt, id, order, text }: WaitingExit, position: PositionRecord): Stop | undefined {
  if (gtt !== undefined) {
    const found = gttStopOf(gtt, position)
    return found && { id, text, ...found, at: { gtt, leg: found.leg } }
  }
  if (order?.order_status !== 'trigger pending' || !order.pricetype.startsWith('SL')) return undefined
  return { id, text, at: { order }, trigger: order.trigger_price, quantity: order.pending_quantity }
}

async function triggerOf(
  client: SvcClient,
  position: PositionRecord,
  distance: TypedDistance | undefined,
): Promise<number | Refusal> {
  const { exchange, ltp, quantity, symbol } = position
  const typed = typedSymbol(`${exchange}:${symbol}`)
  if (typed === undefined || distance === undefined) return { refusal: 'the distance is not good.' }
  if (!(ltp > 0)) return { refusal: 'the last price is not known.' }
  const { tick_size: tick } = (await client.call('symbol', typed)).data
  const price = exitPrice(distance, { base: ltp, side: quantity > 0 ? 'below' : 'above', tick })
  return typeof price === 'number' ? price : { refusal: price.problem }
}

/** Returns why a stop stays where it is; undefined if it may be moved. */
function whyKept(
  { id, quantity, trigger: before }: Stop,
  position: PositionRecord,
  trigger: number,
): string | undefined {
  const held = Math.abs(position.quantity)
  if (quantity !== held) {
    return `its stop ${id} is for ${quantity}, and the position is ${held}. Key 2 shows it.`
  }
  const isNearer = position.quantity > 0 ? trigger > before : trigger < before
  if (isNearer) return undefined
  return `its stop ${id} is at ${rupeePrice(before)}, and ${rupeePrice(trigger)} is no nearer: a stop is never moved away.`
}

/** Returns why a stop at a price would fill at once; undefined if it would not. */
function whyTooEarly({ ltp, quantity }: PositionRecord, trigger: number): string | undefined {
  if (ltp > 0 && (quantity > 0 ? ltp > trigger : ltp < trigger)) return undefined
  return `the last price is ${rupeePrice(ltp)} now: a stop at ${rupeePrice(trigger)} would fill at once.`
}

interface Move {
  stop: Stop
  trigger: number
  key: string
  position: PositionRecord
}

function movedReview(client: SvcClient, account: Account, { key, position, stop, trigger }: Move) {
  if ('gtt' in stop.at) return movedGttReview(client, account, { ...stop.at, key, position, trigger })
  const { order } = stop.at
  return modifyReview(client, account, order, { values: movedValues(order, trigger), key })
}

function factLine({ ltp }: PositionRecord, { trigger: before }: Stop, trigger: number): string {
  const behind = rupeePrice(Math.abs(ltp - trigger))
  return `last price ${rupeePrice(ltp)}: the stop goes from ${rupeePrice(before)} to ${rupeePrice(trigger)}, ${behind} behind it`
}
