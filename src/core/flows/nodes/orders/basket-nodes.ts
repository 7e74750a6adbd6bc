import { defineNode, NodeError } from '../definition.js'
import { basketOrders } from './basket-orders.js'
import { priceTypeField, productField } from './fields.js'
import { sendOrder } from './send-order.js'

const basketOrder = defineNode({
  type: 'basketOrder',
  family: 'order',
  effect: 'order',
  summary:
    'Places several orders, those that buy before those that sell; one that cannot be read stops them all.',
  fields: {
    orders: {
      kind: 'json',
      description:
        'One `SYMBOL,EXCHANGE,ACTION,QTY` a line, or a list of objects with `symbol`, `exchange`, `action`, ' +
        '`quantity`, `pricetype`, `product`, `price`, `trigger_price`.',
      required: true,
      guarded: true,
    },
    priceType: {
      ...priceTypeField,
      description: 'Price type of orders that name none; a price can only stand in the list.',
    },
    product: { ...productField, description: 'Product of orders that name none.' },
    basketName: {
      kind: 'text',
      description: 'Strategy the orders are booked under.',
      default: 'flow_basket',
    },
  },
  output: {
    status: '`error` when every order failed.',
    results: 'One entry an order, buys first: `symbol`, `status`, `orderid` or `message`.',
    failed: 'How many orders failed.',
  },
  storesOutput: true,
  run: (run) => {
    const strategy = run.text('basketName')
    const orders = basketOrders(run, { pricetype: run.text('priceType'), product: run.text('product') })
    if (orders.length === 0) throw new NodeError('No valid orders to place')
    const announcement = `Placing basket order '${strategy}' with ${orders.length} orders`
    return sendOrder(run, announcement, 'basketorder', { strategy, orders })
  },
})

export const BASKET_ORDER_NODES = [basketOrder]
