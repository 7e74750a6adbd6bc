import { exactQuantity } from '../../money/index.js'
import { accountAt, isIn, onTheWay } from '../account/positions.js'
import { publishPlaced } from '../publish.js'
import { markedWith } from '../result.js'
import { type Action, sideOf } from '../schema.js'
import { requireNoDoubt } from './in-doubt.js'
import { type MultiOrderKind, type PlanTools, type Run, slotOf } from './kind.js'
import { oneByOne, ordersOf } from './plan.js'
import { orderOf, type SmartOrderPayload, smartOrderPayload } from './schema.js'

const MATCHED = 'Positions Already Matched. No Action needed.'
const NO_POSITION = 'No OpenPosition Found. Not placing Exit order.'

/** The order that changes one net position into another, or the message why no order is needed. */
type SmartDecision = { action: Action; quantity: number } | { message: string }

/**
 * The decision table of smart orders. The request's own side and size count only when both the position and
 * the target are zero: it is a new trade then.
 */
export function decide(
  current: number,
  wanted: number,
  asked: { action: Action; quantity: number },
): SmartDecision {
  // A target calculated in floats may differ from the position only by their noise.
  const target = exactQuantity(wanted)
  if (current === target) {
    if (asked.quantity === 0) return { message: NO_POSITION }
    return current === 0 ? { action: asked.action, quantity: asked.quantity } : { message: MATCHED }
  }
  const quantity = exactQuantity(Math.abs(target - current))
  return { action: target > current ? 'BUY' : 'SELL', quantity }
}

/** `placesmartorder`: trades the difference between the current position and the requested one. */
export const SMART_ORDER: MultiOrderKind<SmartOrderPayload> = {
  operation: 'placesmartorder',
  payload: smartOrderPayload,
  slots: async (payload) => [slotOf(payload)],
  async plan(payload, run, tools) {
    const { strategy, position_size: target, ...line } = payload
    const asked = { action: sideOf(line.action), quantity: line.quantity }
    const decision = decide(await currentPosition(payload, run, tools), target, asked)
    if ('message' in decision) {
      return { result: markedWith(run.mode, { outcome: 'no_action', message: decision.message }) }
    }
    const head = run.mode === 'analyze' ? { mode: run.mode } : {}
    const order = orderOf({ ...line, ...decision }, strategy)
    return {
      plan: { shape: 'single', head, legs: [{ shown: {}, orders: [{ shown: {}, order }] }] },
      pacing: oneByOne(1, 0),
      gated: true,
      resumable: false,
    }
  },
  publish(_payload, { outcome, plan }, ports) {
    for (const { order } of ordersOf(plan)) publishPlaced(ports, outcome, order)
  },
}

/**
 * Returns the signed net position that orders at the market will lead to, once they are filled. Without them, two signals
 * in a row would both see the position before the first signal, and trade twice.
 * @throws ServiceError `unavailable` while an order of the position is in doubt
 */
async function currentPosition(ref: SmartOrderPayload, run: Run, tools: PlanTools): Promise<number> {
  const { symbol, exchange, product } = ref
  if (run.mode === 'analyze') {
    return tools.sandbox.expectedPosition(run.userId, { symbol, exchange, product })
  }
  requireNoDoubt(await tools.inDoubt((order) => isIn(order, ref)))
  const { orders, positions } = await accountAt(tools.broker.client(), (row) => isIn(row, ref))
  const held = positions.filter((row) => isIn(row, ref)).reduce((sum, row) => sum + row.quantity, 0)
  return exactQuantity(held + onTheWay(orders, ref))
}
