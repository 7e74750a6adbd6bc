import { type PositionRecord, valueAt } from '../../../client/answers/records.js'
import type { Body, SvcClient } from '../../../client/index.js'
import { fromMoney, toMoney } from '../../../core/money/index.js'
import { ACTIONS, GTT_PRICE_TYPES, GTT_PRODUCTS } from '../../../core/orders/vocabulary.js'
import { orderText } from '../../../views/orders/order.js'
import { rupeePrice } from '../../../views/table/cells.js'
import { type Account, modeAndBroker } from '../../live/account.js'
import { typedSymbol } from '../../orders/form/instrument.js'
import { placeText, STRATEGY, sendOptions } from '../../question/review.js'
import type { ChangeQuestion, Refusal } from '../../question/use-question.js'
import { orderWord } from '../../question/weight.js'
import { type Gtt, gttsNow } from './waiting-exits.js'

/** The leg of a GTT that is the stop of a position. */
interface GttStop {
  /** Its place in the row. */
  leg: number
  trigger: number
  quantity: number
}

/** Returns the stop in a GTT that closes a position; undefined for one that has only a target. */
export function gttStopOf(
  { legs, trigger_prices: triggers, trigger_type }: Gtt,
  { ltp, quantity }: Pick<PositionRecord, 'ltp' | 'quantity'>,
): GttStop | undefined {
  const behind = quantity > 0 ? Math.min(...triggers) : Math.max(...triggers)
  const isStop = trigger_type === 'two-leg' || (quantity > 0 ? behind < ltp : behind > ltp)
  const leg = triggers.indexOf(behind)
  const found = legs[leg]
  return isStop && found ? { leg, trigger: behind, quantity: found.quantity } : undefined
}

interface Move {
  gtt: Gtt
  /** The place of its stop. */
  leg: number
  trigger: number
  position: PositionRecord
  key: string
}

/** Asks for the move of the stop of a GTT to another trigger. Its other leg stays, and a limit keeps its distance to the trigger. */
export async function movedGttReview(
  client: SvcClient,
  account: Account,
  { key, position, ...move }: Move,
): Promise<ChangeQuestion | Refusal> {
  const { gtt, trigger } = move
  const body = bodyOf(gtt, movedLegs(move))
  if (body === undefined) {
    return { refusal: `GTT ${gtt.trigger_id} is of a kind of its own. svc order gtt modify changes it.` }
  }
  const value = valueAt(position, trigger)
  return {
    title: `Modify GTT ${gtt.trigger_id}, ${orderText(body)} ${modeAndBroker(account)}?`,
    lines: [
      placeText(account, 'change'),
      `now: ${triggersText(gtt.trigger_prices)}, ${body.pricetype}, ${body.product}`,
      `then: ${triggersText(movedLegs(move).map((one) => one.trigger))}`,
      `estimated value ${rupeePrice(value)}`,
    ],
    ...orderWord(account, value),
    recheck: () => requireAsShown(client, gtt),
    change: {
      name: `Modify GTT ${gtt.trigger_id}`,
      check: 'svc order gtt list',
      async send(sender) {
        await sender.call('modifygttorder', body, sendOptions(account, key))
        return 'done.'
      },
    },
  }
}

interface Leg {
  trigger: number
  /** The limit price; 0 for an order at the market. */
  limit: number
}

/** Returns the legs of a GTT as they would be. */
function movedLegs({ gtt, leg: moved, trigger }: Pick<Move, 'gtt' | 'leg' | 'trigger'>): readonly Leg[] {
  return gtt.legs.map(({ price, pricetype }, place) => {
    const before = gtt.trigger_prices[place] ?? 0
    const now = { trigger: before, limit: pricetype === 'MARKET' ? 0 : price }
    if (place !== moved) return now
    const limit = fromMoney(toMoney(now.limit) + toMoney(trigger) - toMoney(before))
    return { trigger, limit: now.limit === 0 ? 0 : limit }
  })
}

/** Returns the request of a change, which replaces every field; undefined for a GTT that it cannot describe. */
function bodyOf(gtt: Gtt, moved: readonly Leg[]): Body<'modifygttorder'> | undefined {
  const [first, ...others] = gtt.legs
  const typed = typedSymbol(`${gtt.exchange}:${gtt.symbol}`)
  const action = ACTIONS.find((one) => one === first?.action)
  const product = GTT_PRODUCTS.find((one) => one === first?.product)
  const pricetype = GTT_PRICE_TYPES.find((one) => one === first?.pricetype)
  const isAlike = others.every(
    (leg) =>
      leg.action === action &&
      leg.product === product &&
      leg.pricetype === pricetype &&
      leg.quantity === first?.quantity,
  )
  if (first === undefined || typed === undefined || !action || !product || !pricetype || !isAlike)
    return undefined
  return {
    ...typed,
    ...{ action, product, pricetype, quantity: first.quantity },
    ...{ strategy: gtt.strategy || STRATEGY, trigger_id: gtt.trigger_id },
    ...(gtt.trigger_type === 'two-leg' ? twoLegs(moved) : oneLeg(moved, gtt)),
  }
}

/** An OCO names a limit of each leg; at the market it is not used. */
function twoLegs(legs: readonly Leg[]) {
  const [low, high] = legs.toSorted((one, other) => one.trigger - other.trigger)
  return {
    trigger_type: 'OCO',
    price: 0,
    triggerprice_sl: low?.trigger ?? 0,
    stoploss: low?.limit || low?.trigger || 0,
    triggerprice_tg: high?.trigger ?? 0,
    target: high?.limit || high?.trigger || 0,
  }
}

/** A single GTT to sell is below the price, and one to buy above it: it is a stop. */
function oneLeg([leg]: readonly Leg[], { legs: [first] }: Gtt) {
  const { limit = 0, trigger = 0 } = leg ?? {}
  const fires = first?.action === 'SELL' ? { triggerprice_sl: trigger } : { triggerprice_tg: trigger }
  return { trigger_type: 'SINGLE', price: limit, ...fires }
}

const triggersText = (triggers: readonly number[]) =>
  `trigger ${triggers.map((price) => rupeePrice(price)).join(' or ')}`

/** @throws Error if a GTT is not as the question showed it: what was decided about it does not hold any more */
async function requireAsShown(client: SvcClient, shown: Gtt): Promise<void> {
  const now = (await gttsNow(client)).find(({ trigger_id }) => trigger_id === shown.trigger_id)
  if (now === undefined) throw new Error(`GTT ${shown.trigger_id} does not wait any more.`)
  const termsOf = ({ legs, status, trigger_prices }: Gtt) => JSON.stringify([status, trigger_prices, legs])
  if (termsOf(now) === termsOf(shown)) return
  throw new Error(`GTT ${shown.trigger_id} has changed: ${triggersText(now.trigger_prices)} now. Ask again.`)
}
