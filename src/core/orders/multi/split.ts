import { partCount, partsOf } from '../../money/index.js'
import { baseOf, countsOf } from '../publish/publish.js'
import { markedWith, refusal } from '../result.js'
import { sideOf } from '../schema.js'
import type { MultiOrderKind } from './kind.js'
import { atOnce, oneByOne, type PlannedOrder } from './plans/plan.js'
import { type OrderLine, orderOf, type SplitOrderPayload, splitOrderPayload } from './schema.js'

/** The maximum number of orders of one split. */
export const MAX_PARTS = 100
export const TOO_MANY_PARTS = `Total number of orders would exceed maximum limit of ${MAX_PARTS}`

/** Returns the orders of a split: full-size orders first, the remainder last. */
export function ordersOfParts(
  line: OrderLine,
  size: number,
  strategy: string,
  underlyingLtp: number | null = null,
): PlannedOrder[] {
  return partsOf(line.quantity, size).map((quantity, index) => ({
    shown: { order_num: index + 1, quantity },
    order: orderOf(partOf(line, quantity), strategy, underlyingLtp),
  }))
}

/** The exchange refuses an order that discloses more than it has. */
function partOf(line: OrderLine, quantity: number): OrderLine {
  return { ...line, quantity, disclosed_quantity: Math.min(line.disclosed_quantity, quantity) }
}

/**
 * `splitorder`: one quantity in several orders, one after the other. A part that fails does not stop the
 * rest.
 */
export const SPLIT_ORDER: MultiOrderKind<SplitOrderPayload, 'splitorder'> = {
  operation: 'splitorder',
  payload: splitOrderPayload,
  async plan({ splitsize, strategy, ...line }, { mode }, { splitPauseMs }) {
    if (partCount(line.quantity, splitsize) > MAX_PARTS) {
      return { result: markedWith(mode, refusal('refused', TOO_MANY_PARTS)) }
    }
    const parts = ordersOfParts(line, splitsize, strategy)
    const head = { total_quantity: line.quantity, split_size: splitsize }
    return {
      plan: {
        shape: 'list',
        head: mode === 'analyze' ? { ...head, mode } : head,
        legs: parts.map((part) => ({ shown: {}, orders: [part] })),
      },
      // The sandbox has no limit of orders a second.
      pacing: mode === 'analyze' ? atOnce([...parts.keys()]) : oneByOne(parts.length, splitPauseMs),
      gated: true,
      resumable: true,
    }
  },
  publish(payload, { outcome }, ports) {
    const { strategy, symbol, exchange, action, pricetype, product, quantity, splitsize } = payload
    const { result } = outcome
    ports.publish({
      topic: 'split.completed',
      result,
      facts: {
        ...baseOf(outcome),
        strategy,
        symbol,
        exchange,
        action: sideOf(action),
        pricetype,
        product,
        total_quantity: quantity,
        split_size: splitsize,
        ...countsOf(result),
      },
    })
  },
}
