import { EXCHANGES } from '../../instruments/schema.js'
import { ACTIONS, impliedType, PRICE_TYPES, PRODUCTS } from '../../orders/schema.js'
import { isObject } from '../../validation/index.js'
import { hasReference } from '../graph/graph.js'
import { jsonIn } from '../language/json.js'
import { parseNumber } from '../language/numbers.js'
import type { Body, ReadCall } from '../ports.js'
import { defineNode, type NodeDefinition, NodeError, type NodeRun } from './definition.js'
import type { Fields } from './field.js'
import { SYMBOL } from './form.js'
import { itemsIn } from './items.js'
import { mirrored } from './mirrored.js'
import { writtenType } from './orders/fields.js'
import { list, number, numbers, type Outputs, object, optionals, text, texts } from './output.js'
import { exchangeField, productField, rowsOf, symbolField } from './shared.js'

/** Nodes that read orders, positions and funds of the account, live or simulated. */

const account = { family: 'data', effect: 'account', storesOutput: true } as const

/** Most positions in one margin request. */
const MAX_LEGS = 50

const AS_RETURNED = 'The same members, as the endpoint returns them.'

const ORDER = {
  ...texts('orderid', 'symbol', 'exchange', 'action', 'pricetype', 'product', 'order_status', 'timestamp'),
  ...numbers('quantity', 'price', 'trigger_price', 'average_price', 'filled_quantity', 'pending_quantity'),
  ...texts('rejection_reason'),
  ...optionals(texts('strategy')),
}

/** The members that only the journal has of a live order. */
const JOURNALLED = texts('strategy', 'order_ref', 'state')

const ORDERS = {
  orders: list(object(ORDER), 'One entry per order.'),
  statistics: object(
    {
      ...numbers('total_buy_orders', 'total_sell_orders', 'total_completed_orders'),
      ...numbers('total_open_orders', 'total_rejected_orders'),
      ...optionals(numbers('total_trigger_pending_orders', 'total_cancelled_orders')),
    },
    'Numbers of orders.',
  ),
} as const

const HOLDINGS = {
  holdings: list(
    object({
      ...texts('symbol', 'exchange', 'product'),
      ...numbers('quantity', 'pnl', 'pnlpercent'),
      ...optionals(numbers('average_price', 'ltp')),
    }),
    'One entry per share.',
  ),
  statistics: object(
    numbers('totalholdingvalue', 'totalinvvalue', 'totalprofitandloss', 'totalpnlpercentage'),
    'Values of all shares together.',
  ),
} as const

const FUNDS = {
  availablecash: number('Cash available for new orders.'),
  utiliseddebits: number('Margin in use.'),
  collateral: number('Collateral.'),
  m2mrealized: number('Realised profit.'),
  m2munrealized: number('Unrealised profit.'),
  ...optionals({
    ...numbers('total_realized_pnl', 'today_realized_pnl', 'grossexposure', 'totalpnl', 'reset_count'),
    ...texts('last_reset'),
  }),
} as const

const MARGIN = {
  total_margin_required: number('Margin of all positions together.'),
  span_margin: number('SPAN margin.'),
  exposure_margin: number('Exposure margin.'),
} as const

const getOrderStatus = defineNode({
  ...account,
  type: 'getOrderStatus',
  summary: 'Reads the status of an order.',
  fields: {
    orderId: { kind: 'text', required: true, description: 'Order id, from the result of the order node.' },
  },
  output: {
    order_status: text('open, trigger pending, complete, rejected or cancelled.'),
    orderid: text('Order id.'),
    symbol: text('Symbol.'),
    exchange: text('Exchange.'),
    action: text('BUY or SELL.'),
    quantity: number('Quantity.'),
    price: number('Limit price.'),
    trigger_price: number('Trigger price.'),
    pricetype: text('Price type.'),
    product: text('Product.'),
    average_price: number('Average price of its fills.'),
    timestamp: text('Time of the order.'),
    ...numbers('filled_quantity', 'pending_quantity'),
    ...texts('rejection_reason'),
    ...optionals(JOURNALLED),
    data: object({ ...ORDER, ...optionals(JOURNALLED) }, 'The order as the endpoint returns it.'),
  },
  run: async (run) =>
    mirrored(
      await run.read('orderstatus', { strategy: run.strategy(), orderid: run.text('orderId').trim() }),
    ),
})

const openPosition = defineNode({
  ...account,
  type: 'openPosition',
  summary: 'Reads the open position of a symbol.',
  fields: { symbol: symbolField, exchange: exchangeField, product: productField },
  output: {
    ...texts('symbol', 'exchange', 'product'),
    quantity: number('Net quantity, negative when short; 0 without a position.'),
    avgprice: number('Average price; 0 without a position.'),
    pnl: number('Profit or loss; 0 without a position.'),
  },
  run: async (run) => {
    const symbol = run.text('symbol').trim().toUpperCase()
    const [exchange, product] = [run.text('exchange'), run.text('product')]
    if (symbol === '' || hasReference(symbol))
      throw new NodeError(`symbol did not resolve: '${run.text('symbol')}'`)
    const book = await run.read('positionbook', {})
    if (book.status === 'error') return book
    // Only a complete position list without the symbol proves that there is no position.
    if (!Array.isArray(book.data)) throw new NodeError('the broker returned no positions')
    const row = rowsOf(book.data).find(
      (one) => one.symbol === symbol && one.exchange === exchange && one.product === product,
    )
    const quantity = row ? parseNumber(row.quantity) : 0
    if (quantity === undefined) throw new NodeError(`the position in ${symbol} cannot be read`)
    return {
      status: 'success',
      symbol,
      exchange,
      product,
      quantity,
      avgprice: parseNumber(row?.average_price) ?? 0,
      pnl: parseNumber(row?.pnl) ?? 0,
    }
  },
})

const strategyPnl = defineNode({
  ...account,
  type: 'strategyPnl',
  summary: 'Computes the profit of the orders with a strategy tag.',
  fields: {
    strategy: {
      kind: 'text',
      default: '',
      description: 'Tag of the orders. Default: the name of the workflow.',
    },
  },
  output: {
    strategy: text('The tag.'),
    realized: number('Realised profit of all days.'),
    today_realized: number('Realised profit of this session.'),
    unrealized: number('Unrealised profit of open positions, at the last prices.'),
    total: number('realized plus unrealized.'),
    today_total: number('today_realized plus unrealized.'),
    open_quantity: number('Open units, long and short added.'),
    working_orders: number(
      'Orders that may still trade: in the approval queue, on their way, in doubt, open, and GTTs.',
    ),
    unpriced_legs: number('Number of open positions without a price. unrealized does not include them.'),
    legs: list(
      object({
        ...texts('symbol', 'exchange', 'product'),
        ...numbers('quantity', 'average_price', 'ltp', 'realized', 'today_realized', 'unrealized'),
      }),
      'One entry per contract, open ones first.',
    ),
  },
  run: async (run) => {
    const strategy = run.text('strategy').trim() || run.workflowName
    const result = await run.read('strategypnl', { strategy })
    const unpriced = parseNumber(result.unpriced_legs) ?? 0
    if (unpriced > 0) {
      run.log(`${unpriced} open leg(s) of '${strategy}' have no price and are left out of unrealized`, 'warn')
    }
    return result
  },
})

interface BookSpec {
  type: string
  call: ReadCall
  summary: string
  output: Outputs
  /** Adds members that workflows expect beside those of the endpoint. */
  more?: (data: Body) => Body
}

/**
 * Returns a node that reads one account view. It has no fields. The result is the body of the endpoint with
 * the members of its `data` beside it.
 */
function bookNode({ type, call, summary, output, more }: BookSpec): NodeDefinition {
  return defineNode({
    ...account,
    type,
    summary,
    fields: {},
    output,
    run: async (run) => mirrored(await run.read(call, {}), more),
  })
}

const BOOKS: readonly BookSpec[] = [
  {
    type: 'orderBook',
    call: 'orderbook',
    summary: 'Reads the orders of the session.',
    output: {
      orders: ORDERS.orders,
      statistics: ORDERS.statistics,
      data: object(ORDERS, AS_RETURNED),
    },
  },
  {
    type: 'tradeBook',
    call: 'tradebook',
    summary: 'Reads the trades of the session.',
    output: {
      data: list(
        object({
          ...texts('orderid', 'symbol', 'exchange', 'action', 'product', 'timestamp'),
          ...numbers('quantity', 'average_price', 'trade_value'),
          ...optionals({ ...texts('tradeid', 'strategy'), ...numbers('price') }),
        }),
        'One entry per trade.',
      ),
    },
  },
  {
    type: 'positionBook',
    call: 'positionbook',
    summary: 'Reads the positions.',
    output: {
      data: list(
        object({
          ...texts('symbol', 'exchange', 'product'),
          ...numbers('quantity', 'average_price', 'ltp', 'pnl'),
          ...optionals(
            numbers('pnlpercent', 'unrealized_pnl', 'today_realized_pnl', 'total_pnl_today', 'lot_size'),
          ),
        }),
        'One entry per position.',
      ),
      ...optionals(
        numbers('total_pnl', 'total_unrealized_pnl', 'total_today_realized_pnl', 'total_pnl_today'),
      ),
    },
  },
  {
    type: 'holdings',
    call: 'holdings',
    summary: 'Reads the holdings (delivered shares).',
    output: {
      holdings: HOLDINGS.holdings,
      statistics: HOLDINGS.statistics,
      data: object(HOLDINGS, AS_RETURNED),
    },
  },
  {
    type: 'funds',
    call: 'funds',
    summary: 'Reads the funds of the account.',
    output: {
      marginused: number('Margin in use.'),
      ...FUNDS,
      data: object(FUNDS, AS_RETURNED),
    },
    more: ({ utiliseddebits }) => ({ marginused: utiliseddebits }),
  },
]

const POSITION_FIELDS: Fields = {
  symbol: { kind: 'text', form: SYMBOL, description: 'Symbol.' },
  exchange: { kind: 'text', choices: EXCHANGES, description: 'Exchange.' },
  action: { kind: 'text', choices: ACTIONS, description: 'Side.' },
  quantity: { kind: 'number', description: 'Quantity in units.' },
  product: { kind: 'text', choices: PRODUCTS, description: 'Product.' },
  pricetype: { kind: 'text', choices: PRICE_TYPES, description: 'Price type.' },
  price: { kind: 'number', min: 0, description: 'Limit price.' },
  trigger_price: { kind: 'number', min: 0, description: 'Trigger price.' },
}

const MARGIN_FIELDS = {
  positionsJson: {
    kind: 'json',
    aliases: ['positions'],
    items: { fields: POSITION_FIELDS, of: itemsIn },
    description:
      'Up to 50 positions: symbol, exchange, action, quantity, product, pricetype, price, trigger_price. If absent, the other fields describe one position.',
  },
  symbol: { ...symbolField, required: false },
  exchange: { ...exchangeField, required: false },
  action: { kind: 'text', default: 'BUY', choices: ACTIONS, description: 'Side.' },
  quantity: { kind: 'number', default: 1, description: 'Quantity in units.' },
  product: productField,
  priceType: {
    kind: 'text',
    choices: PRICE_TYPES,
    aliases: ['pricetype'],
    description: 'Price type. Without it, the prices decide, as for an order.',
  },
  price: { kind: 'number', default: 0, min: 0, description: 'Limit price.' },
  triggerPrice: { kind: 'number', default: 0, min: 0, description: 'Trigger price.' },
} as const

type MarginRun = NodeRun<Extract<keyof typeof MARGIN_FIELDS, string>>

const margin = defineNode({
  ...account,
  type: 'margin',
  summary: 'Computes the margin that positions need.',
  fields: MARGIN_FIELDS,
  output: {
    ...MARGIN,
    data: object(MARGIN, AS_RETURNED),
  },
  run: async (run) => {
    const positions = run.blank('positionsJson')
      ? [singlePosition(run)]
      : basketOf(run.value('positionsJson'))
    return mirrored(await run.read('margin', { positions }))
  },
})

function singlePosition(run: MarginRun): Body {
  const symbol = run.text('symbol').trim()
  if (symbol === '') throw new NodeError('Margin node has no positions and no symbol to price.')
  return {
    symbol,
    exchange: run.text('exchange'),
    action: run.text('action'),
    quantity: run.number('quantity'),
    product: run.text('product'),
    pricetype: writtenType(run) ?? impliedType({ price: run.raw('price'), trigger: run.raw('triggerPrice') }),
    price: run.number('price'),
    trigger_price: run.number('triggerPrice'),
  }
}

/** Returns the positions from a JSON text, a list or one object. */
function basketOf(given: unknown): Body[] {
  const parsed = typeof given === 'string' ? parsedBasket(given) : given
  const items: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (!items.every(isObject)) {
    throw new NodeError('Margin positions must be an array of objects')
  }
  if (items.length === 0) throw new NodeError('Margin positions are an empty basket')
  if (items.length > MAX_LEGS) {
    throw new NodeError(`Margin takes at most ${MAX_LEGS} positions, got ${items.length}`)
  }
  return items
}

function parsedBasket(text: string): unknown {
  if (text.trim() === '') throw new NodeError('Margin positions are empty after interpolation')
  const basket = jsonIn(text)
  if (basket === undefined) throw new NodeError(`Margin positions are not valid JSON: ${text.slice(0, 200)}`)
  return basket
}

export const ACCOUNT_NODES: readonly NodeDefinition[] = [
  getOrderStatus,
  openPosition,
  strategyPnl,
  ...BOOKS.map(bookNode),
  margin,
]
