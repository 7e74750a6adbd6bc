import { z } from 'zod'
import type { BrokerGtt, BrokerOrder } from '../../../brokers/broker.js'
import { isSameMoney } from '../../../money/index.js'
import { queuedGttPayload, toGttRequest } from '../../gtt/schema.js'
import { hasPrice, mayShowAs, PRICE_TYPES } from '../../schema.js'
import type { JournalRow } from '../journal.js'

/** When a broker may have taken an order in doubt. Epoch milliseconds. */
export interface SendWindow {
  from: number
  to: number
}

type Terms = Pick<JournalRow, 'symbol' | 'exchange' | 'action' | 'quantity' | 'product' | 'request'>

/** How far the clocks of the broker and of this machine may differ, before the sending and after the last moment of it. */
const BEFORE_MS = 2_000
const AFTER_MS = 5_000
/** The longest that an order is on its way: the answer of every broker is given up earlier. */
const LONGEST_SEND_MS = 60_000

/**
 * Returns when a broker may have taken an order: from two seconds before it was sent until five seconds after its answer was
 * given up. A crash is noticed only at the next start, so the answer counts as given up after a minute.
 */
export function windowOf(sentAt: number, givenUpAt: number): SendWindow {
  return { from: sentAt - BEFORE_MS, to: Math.min(givenUpAt, sentAt + LONGEST_SEND_MS) + AFTER_MS }
}

const orderTerms = z.object({
  pricetype: z.enum(PRICE_TYPES),
  price: z.number().default(0),
  trigger_price: z.number().default(0),
})

/** Returns whether an order of the broker has the content of a journal row. */
export function isSameOrder(row: Terms, order: BrokerOrder): boolean {
  const terms = orderTerms.safeParse(JSON.parse(row.request)).data
  if (!terms) return false
  const { price, pricetype, trigger_price: trigger } = terms
  return (
    order.symbol === row.symbol &&
    order.exchange === row.exchange &&
    order.action === row.action &&
    order.product === row.product &&
    order.quantity === Number(row.quantity) &&
    mayShowAs(pricetype, order.priceType) &&
    (!hasPrice(pricetype, 'price') || isSameMoney(order.price, price)) &&
    (!hasPrice(pricetype, 'trigger') || isSameMoney(order.triggerPrice, trigger))
  )
}

/** Returns whether an order of the broker may be the one that a GTT of the journal has sent. */
export function mayBeSentBy(row: Terms, order: BrokerOrder): boolean {
  const payload = queuedGttPayload.safeParse(JSON.parse(row.request)).data
  if (!payload) return false
  const { action, exchange, legs, priceType, product, quantity, symbol } = toGttRequest(payload)
  return (
    order.symbol === symbol &&
    order.exchange === exchange &&
    order.action === action &&
    order.product === product &&
    order.quantity === quantity &&
    (priceType === 'MARKET' || legs.some(({ price }) => isSameMoney(price, order.price)))
  )
}

/** Returns whether a GTT of the broker has the content of a journal row. */
export function isSameGtt(row: Terms, gtt: BrokerGtt): boolean {
  const payload = queuedGttPayload.safeParse(JSON.parse(row.request)).data
  if (!payload) return false
  const request = toGttRequest(payload)
  const requestedLegs = request.legs.toSorted((a, b) => a.triggerPrice - b.triggerPrice)
  const listed = gtt.legs
    .map((leg, place) => ({ ...leg, triggerPrice: gtt.triggerPrices[place] }))
    .toSorted((a, b) => (a.triggerPrice ?? 0) - (b.triggerPrice ?? 0))
  return (
    gtt.symbol === request.symbol &&
    gtt.exchange === request.exchange &&
    gtt.type === (request.type === 'OCO' ? 'two-leg' : 'single') &&
    listed.length === requestedLegs.length &&
    listed.every((leg, place) => {
      const asked = requestedLegs[place]
      return (
        asked !== undefined &&
        leg.triggerPrice !== undefined &&
        leg.action === request.action &&
        leg.quantity === request.quantity &&
        leg.product === request.product &&
        isSameMoney(leg.triggerPrice, asked.triggerPrice) &&
        (request.priceType === 'MARKET' || isSameMoney(leg.price, asked.price))
      )
    })
  )
}
