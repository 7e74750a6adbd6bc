import { type PositionRecord, valueAt } from '../../client/answers/records.js'
import type { AnswerOf, SvcClient } from '../../client/index.js'
import { PRODUCTS } from '../../core/orders/vocabulary.js'
import { hasLots } from '../../views/orders/lot.js'
import { rupeePrice } from '../../views/table/cells.js'
import { type Account, modeAndBroker } from '../live/account.js'
import { type TypedSymbol, typedSymbol } from '../orders/form/instrument.js'
import { outcomeOf } from '../orders/place-review.js'
import { placeText, STRATEGY, sendOptions } from '../question/review.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import { orderWord } from '../question/weight.js'
import { stayLines } from './exits/waiting-exits.js'
import { closingSide, type PositionKey, positionNow, requireUnmoved } from './position-now.js'

/** A size that a key gives a position: half of it, or the same on the other side. */
export type SizeVerb = 'halve' | 'reverse'

type Preview = Extract<AnswerOf<'placesmartorder'>, { dry_run: true }>

/**
 * Asks for the order that halves or reverses a position. The daemon is given the size to reach and trades the difference,
 * orders on their way included; a position that moved since the question is asked about again.
 */
export async function sizeReview(
  client: SvcClient,
  account: Account,
  { asked, key, verb }: { asked: PositionKey; key: string; verb: SizeVerb },
): Promise<ChangeQuestion | Refusal> {
  const position = await positionNow(client, asked)
  if ('refusal' in position) return position
  const typed = typedSymbol(`${asked.exchange}:${asked.symbol}`)
  const product = PRODUCTS.find((one) => one === asked.product)
  if (typed === undefined || product === undefined) {
    return { refusal: `a position in ${asked.product} can only be closed.` }
  }
  // The other side would be sold out of the shares of earlier days.
  if (verb === 'reverse' && product === 'CNC') {
    return { refusal: 'delivery (CNC) has no short side: it cannot be reversed. Key c closes it.' }
  }
  const target = verb === 'reverse' ? -position.quantity : await halfOf(client, position, typed)
  if (target === undefined) {
    return { refusal: `${position.quantity} cannot be halved: it is the smallest quantity. Key c closes it.` }
  }
  const action = closingSide(position)
  const line = { ...typed, action, product, quantity: 0, pricetype: 'MARKET' as const, strategy: STRATEGY }
  const body = { ...line, position_size: target }
  const preview = await client.call('placesmartorder', body, { dryRun: true })
  if (!('dry_run' in preview)) return { refusal: 'no order is needed: orders on their way lead there.' }
  const value = valueTogether(preview, position)
  return {
    title: `${titleOf(verb, preview)} ${modeAndBroker(account)}?`,
    lines: [
      placeText(account),
      `position ${position.quantity}, then ${target}`,
      `last price ${rupeePrice(position.ltp)}, estimated value ${rupeePrice(value)}`,
      `margin ${preview.margin_required === null ? 'not known' : rupeePrice(preview.margin_required)}`,
      ...(await stayLines(client, [position])),
      ...checkLines(preview),
    ],
    ...(verb === 'reverse' && orderWord(account, value)),
    async recheck() {
      await requireUnmoved(client, position)
      // Orders on their way count, too: only the daemon knows what it would send now.
      const now = await client.call('placesmartorder', body, { dryRun: true })
      if (ordersIn(now) !== ordersIn(preview)) throw new Error('other orders would be sent now. Ask again.')
    },
    change: {
      name: `${verb === 'halve' ? 'Halve' : 'Reverse'} ${asked.exchange}:${asked.symbol}`,
      check: 'svc position list',
      send: async (sender) =>
        outcomeOf(await sender.call('placesmartorder', body, sendOptions(account, key))),
    },
  }
}

/** Returns what would be sent, so that it can be compared. */
const ordersIn = (answer: AnswerOf<'placesmartorder'>): string =>
  'dry_run' in answer
    ? answer.orders.map(({ action, quantity }) => `${action} ${quantity}`).join()
    : 'no order'

/** Returns the size after half of a position is closed, in whole lots; undefined if no part of it can be closed. */
async function halfOf(
  client: SvcClient,
  { quantity }: PositionRecord,
  typed: TypedSymbol,
): Promise<number | undefined> {
  const { lotsize } = (await client.call('symbol', typed)).data
  const unit = hasLots({ ...typed, lotsize }) ? lotsize : 1
  const units = Math.trunc(Math.abs(quantity) / unit / 2)
  return units === 0 ? undefined : quantity - Math.sign(quantity) * units * unit
}

/** Names the orders that would be sent: their side and how much they trade together. */
function titleOf(verb: SizeVerb, { orders: [first, ...others] }: Preview): string {
  const quantity = [first, ...others].reduce((sum, order) => sum + (order?.quantity ?? 0), 0)
  const order = `${first?.action ?? ''} ${quantity} ${first?.exchange}:${first?.symbol} ${first?.product}`
  const parts = others.length === 0 ? '' : ` in ${1 + others.length} orders`
  return `${verb === 'halve' ? 'Halve' : 'Reverse'} with ${order} at the market${parts}`
}

function valueTogether({ orders }: Preview, position: PositionRecord): number {
  return orders.reduce(
    (sum, { quantity = 0, value }) => sum + (value ?? valueAt({ ...position, quantity }, position.ltp)),
    0,
  )
}

function checkLines({ orders }: Preview): readonly string[] {
  const refused = orders.filter(({ ok }) => !ok)
  if (refused.length === 0) return ['risk checks: all passed']
  return refused.map(
    ({ message, rule }) => `REFUSED by ${rule ?? 'a check'}: ${message ?? 'no reason given'}`,
  )
}
