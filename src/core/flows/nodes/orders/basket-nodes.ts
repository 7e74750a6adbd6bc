import { defineNode, NodeError } from '../definition.js'
import { text } from '../output.js'
import { basketOrders, LINE_FIELDS, writtenOrders } from './basket-orders.js'
import { priceTypeField, productField, writtenType } from './fields.js'
import { LINES, ORDER_REF, sendOrder } from './results.js'

const basketOrder = defineNode({
  type: 'basketOrder',
  family: 'order',
  effect: 'order',
  summary: 'Places several orders, buys before sells. If one order is invalid, none is sent.',
  fields: {
    orders: {
      kind: 'json',
      description:
        'One `SYMBOL,EXCHANGE,ACTION,QTY` per line, or a list of objects with `symbol`, `exchange`, `action`, ' +
        '`quantity`, `pricetype`, `product`, `price`, `trigger_price`.',
      items: { fields: LINE_FIELDS, of: writtenOrders },
      required: true,
      guarded: true,
    },
    priceType: {
      ...priceTypeField,
      description:
        'Price type of orders without their own. A price is only possible in the list. If neither has a price type, the ' +
        'prices of an order decide.',
    },
    product: { ...productField, description: 'Product of orders without their own.' },
    basketName: {
      kind: 'text',
      description: 'Strategy tag of the orders.',
      default: 'flow_basket',
    },
  },
  output: {
    status: text('`error` if all orders failed.'),
    ...LINES,
    ...ORDER_REF,
  },
  storesOutput: true,
  run: (run) => {
    const strategy = run.text('basketName')
    const orders = basketOrders(run, { pricetype: writtenType(run), product: run.text('product') })
    if (orders.length === 0) throw new NodeError('No valid orders to place')
    const announcement = `Placing basket order '${strategy}' with ${orders.length} orders`
    return sendOrder(run, announcement, 'basketorder', { strategy, orders })
  },
})

export const BASKET_ORDER_NODES = [basketOrder]
