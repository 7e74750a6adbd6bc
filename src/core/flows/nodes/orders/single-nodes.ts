import type { Body } from '../../ports.js'
import { defineNode, type NodeRun } from '../definition.js'
import { number, optional, text } from '../output.js'
import { positive, readPrices, requiredText, tradeFields, unitsOf } from './fields.js'
import { readInstructions } from './instructions.js'
import { IN_PIECES, ORDER_REF, PARTS, sendOrder } from './results.js'

const ORDER_OUTPUT = {
  status: text('`success` or `error`.'),
  orderid: optional(
    text('Id of the order. Absent if the order waits for approval (`mode` is then `semi_auto`).'),
  ),
  pending_order_id: optional(number('Id in the approval queue, in semi-auto mode.')),
  ...ORDER_REF,
}

/** Returns an order in one symbol with the field names of the order endpoints. @throws NodeError */
function tradeOf(
  run: NodeRun,
): { symbol: string; exchange: string; action: string; quantity: number } & Body {
  const exchange = run.text('exchange')
  return {
    strategy: run.strategy(),
    symbol: requiredText(run, 'symbol'),
    exchange,
    action: run.text('action'),
    quantity: unitsOf(run.number('quantity'), exchange),
    product: run.text('product'),
    ...readPrices(run),
    ...readInstructions(run),
  }
}

type Trade = ReturnType<typeof tradeOf>

const announced = (verb: string, { symbol, action, quantity }: Trade): string =>
  `${verb}: ${symbol} ${action} qty=${quantity}`

const placeOrder = defineNode({
  type: 'placeOrder',
  family: 'order',
  effect: 'order',
  summary: 'Places one order.',
  fields: tradeFields,
  output: ORDER_OUTPUT,
  storesOutput: true,
  run: (run) => {
    const order = tradeOf(run)
    positive(order.quantity, 'quantity')
    return sendOrder(run, announced('Placing order', order), 'placeorder', order)
  },
})

const smartOrder = defineNode({
  type: 'smartOrder',
  family: 'order',
  effect: 'order',
  summary: 'Trades the difference between the current position and the wanted one.',
  fields: {
    ...tradeFields,
    action: {
      ...tradeFields.action,
      description:
        'Side of the order that `quantity` describes. The side of any other order follows from the positions.',
    },
    quantity: {
      ...tradeFields.quantity,
      description:
        'Leave it out. It is traded only when the position and `positionSize` are both 0, so that a repeated exit would ' +
        'open the reverse position.',
      default: 0,
      required: false,
    },
    positionSize: {
      kind: 'number',
      description: 'Wanted net quantity; negative is short, 0 is flat.',
      default: 0,
      guarded: true,
    },
  },
  output: {
    ...ORDER_OUTPUT,
    message: optional(text('Set instead of an id if the position is already as wanted.')),
    ...IN_PIECES,
  },
  storesOutput: true,
  run: (run) => {
    const order = tradeOf(run)
    const position_size = unitsOf(run.number('positionSize'), order.exchange)
    const announcement = announced('Placing smart order', order)
    return sendOrder(run, announcement, 'placesmartorder', { ...order, position_size })
  },
})

const splitOrder = defineNode({
  type: 'splitOrder',
  family: 'order',
  effect: 'order',
  summary: 'Splits a quantity into several orders, at most 100, and places them one after the other.',
  fields: {
    ...tradeFields,
    splitSize: {
      kind: 'integer',
      description: 'Largest quantity per order.',
      default: 10,
      min: 1,
      required: true,
      guarded: true,
    },
  },
  output: {
    status: text('`error` if all orders failed.'),
    split_size: number('Largest quantity per order.'),
    total_quantity: number('The requested quantity.'),
    ...PARTS,
    ...ORDER_REF,
  },
  storesOutput: true,
  run: (run) => {
    const order = tradeOf(run)
    positive(order.quantity, 'quantity')
    const splitsize = positive(run.integer('splitSize'), 'splitSize')
    return sendOrder(run, announced('Placing split order', order), 'splitorder', { ...order, splitsize })
  },
})

export const SINGLE_ORDER_NODES = [placeOrder, smartOrder, splitOrder]
