import { ACTIONS, PRICE_TYPES } from '../../orders/schema.js'
import { hasReference } from '../graph/graph.js'
import { isObject } from '../language/interpolation.js'
import { jsonIn } from '../language/json.js'
import { parseNumber } from '../language/numbers.js'
import type { Body, ReadCall } from '../ports.js'
import { defineNode, type NodeDefinition, NodeError, type NodeRun } from './definition.js'
import { mirrored } from './mirrored.js'
import { exchangeField, productField, rowsOf, symbolField } from './shared.js'

/** Nodes that read orders, positions and funds of the account, live or simulated. */

const account = { family: 'data', effect: 'account', storesOutput: true } as const

/** Most positions in one margin request. */
const MAX_LEGS = 50

const getOrderStatus = defineNode({
  ...account,
  type: 'getOrderStatus',
  summary: 'Reads the status of an order.',
  fields: {
    orderId: { kind: 'text', required: true, description: 'Order id, from the result of the order node.' },
  },
  output: {
    order_status: 'open, trigger pending, complete, rejected or cancelled.',
    orderid: 'Order id.',
    symbol: 'Symbol.',
    exchange: 'Exchange.',
    action: 'BUY or SELL.',
    quantity: 'Quantity.',
    price: 'Limit price.',
    trigger_price: 'Trigger price.',
    pricetype: 'Price type.',
    product: 'Product.',
    average_price: 'Average price of its fills.',
    timestamp: 'Time of the order.',
    data: 'The order as the endpoint returns it.',
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
    quantity: 'Net quantity, negative when short; 0 without a position.',
    avgprice: 'Average price; 0 without a position.',
    pnl: 'Profit or loss; 0 without a position.',
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
    strategy: 'The tag.',
    realized: 'Realised profit of all days.',
    today_realized: 'Realised profit of this session.',
    unrealized: 'Unrealised profit of open positions, at the last prices.',
    total: 'realized plus unrealized.',
    today_total: 'today_realized plus unrealized.',
    open_quantity: 'Open units, long and short added.',
    unpriced_legs: 'Number of open positions without a price. unrealized does not include them.',
    legs: 'One entry per contract, open ones first: symbol, exchange, product, quantity, average_price, ltp, realized, today_realized, unrealized.',
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
  output: Readonly<Record<string, string>>
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
      orders: 'One entry per order: orderid, symbol, exchange, action, quantity, price, order_status, …',
      statistics: 'total_buy_orders, total_sell_orders and so on.',
      data: 'The same members, as the endpoint returns them.',
    },
  },
  {
    type: 'tradeBook',
    call: 'tradebook',
    summary: 'Reads the trades of the session.',
    output: {
      data: 'One entry per trade: orderid, symbol, exchange, action, quantity, average_price, trade_value, …',
    },
  },
  {
    type: 'positionBook',
    call: 'positionbook',
    summary: 'Reads the positions.',
    output: { data: 'One entry per position: symbol, exchange, product, quantity, average_price, ltp, pnl.' },
  },
  {
    type: 'holdings',
    call: 'holdings',
    summary: 'Reads the holdings (delivered shares).',
    output: {
      holdings: 'One entry per share: symbol, exchange, quantity, product, pnl, pnlpercent.',
      statistics: 'totalholdingvalue, totalinvvalue, totalprofitandloss, totalpnlpercentage.',
      data: 'The same members, as the endpoint returns them.',
    },
  },
  {
    type: 'funds',
    call: 'funds',
    summary: 'Reads the funds of the account.',
    output: {
      availablecash: 'Cash available for new orders.',
      marginused: 'Margin in use.',
      utiliseddebits: 'Margin in use.',
      collateral: 'Collateral.',
      m2mrealized: 'Realised profit.',
      m2munrealized: 'Unrealised profit.',
      data: 'The same members, as the endpoint returns them.',
    },
    more: ({ utiliseddebits }) => ({ marginused: utiliseddebits }),
  },
]

const MARGIN_FIELDS = {
  positionsJson: {
    kind: 'json',
    aliases: ['positions'],
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
    default: 'MARKET',
    choices: PRICE_TYPES,
    aliases: ['pricetype'],
    description: 'Price type.',
  },
  price: { kind: 'number', default: 0, description: 'Limit price.' },
  triggerPrice: { kind: 'number', default: 0, description: 'Trigger price.' },
} as const

type MarginRun = NodeRun<Extract<keyof typeof MARGIN_FIELDS, string>>

const margin = defineNode({
  ...account,
  type: 'margin',
  summary: 'Computes the margin that positions need.',
  fields: MARGIN_FIELDS,
  output: {
    total_margin_required: 'Margin of all positions together.',
    span_margin: 'SPAN margin.',
    exposure_margin: 'Exposure margin.',
    data: 'The same members, as the endpoint returns them.',
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
    pricetype: run.text('priceType'),
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
