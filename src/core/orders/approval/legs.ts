import type { LegTerms } from '../../approvals/schema.js'
import { orderBehind } from '../gtt/schema.js'
import type { BatchPlan } from '../multi/plans/plan.js'
import { type GttRequest, instructionsIn, instructionText, type OrderPayload, sideOf } from '../schema.js'

/** One order that an approval sends, or a part of its request for which nothing is sent. */
export interface ApprovalLeg {
  /** The order that the checks and the value are about; absent where nothing is sent. */
  order?: OrderPayload
  /** What it asks of the broker, and why nothing is sent for it. */
  shown: LegTerms & { problem?: string }
}

/** Returns the leg of a single order. */
export function legOf(order: OrderPayload): ApprovalLeg {
  const { action, exchange, price, pricetype, product, quantity, symbol, trigger_price: triggerPrice } = order
  const side = sideOf(action)
  const asked = instructionsIn(order)
  const terms = { symbol, exchange, action: side, quantity, pricetype, product, price, triggerPrice }
  return { order, shown: { ...terms, ...(asked && { instructions: instructionText(asked) }) } }
}

/** Returns a leg for each order of a plan, and for each of its parts without one. */
export function legsOfPlan({ legs }: BatchPlan): readonly ApprovalLeg[] {
  return legs.flatMap(({ name, orders, problem, shown }) =>
    problem === undefined ? orders.map(({ order }) => legOf(order)) : [unfit({ name, ...shown }, problem)],
  )
}

/** Returns the order behind each trigger, valued at its own price. */
export function legsOfGtt(gtt: GttRequest): readonly ApprovalLeg[] {
  return gtt.legs.map((leg) => {
    const { action, exchange, price, product, quantity, strategy, symbol } = orderBehind({
      ...gtt,
      legs: [leg],
    })
    const line = { strategy, symbol, exchange, action, quantity, product }
    const order = {
      ...line,
      price,
      pricetype: 'LIMIT' as const,
      trigger_price: 0,
      disclosed_quantity: 0,
    }
    const { strategy: _, ...shown } = line
    return {
      order: { ...order, underlying_ltp: null },
      shown: { ...shown, pricetype: gtt.priceType, price: leg.price, triggerPrice: leg.triggerPrice },
    }
  })
}

/** Returns a leg without an order, with what the request says of it. */
function unfit(shown: Readonly<Record<string, unknown>>, problem: string): ApprovalLeg {
  const text = (name: string) => (shown[name] === undefined ? '' : String(shown[name]))
  return {
    shown: {
      symbol: text('symbol') || text('name'),
      exchange: text('exchange'),
      action: text('action'),
      quantity: 0,
      pricetype: '',
      product: text('product'),
      price: 0,
      triggerPrice: 0,
      problem,
    },
  }
}
