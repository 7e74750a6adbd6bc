import { operationTools } from './build.js'
import { DEFAULT_STRATEGY } from './orders.js'
import type { Tool } from './tool.js'

const account = operationTools({ scope: 'read:account', toolset: 'account' })
const message = operationTools({ scope: 'read:account', toolset: 'utility', changes: true })

const FIXED = { strategy: DEFAULT_STRATEGY }
const PRICE_TYPE = { price_type: 'pricetype' }

export const ACCOUNT_TOOLS: readonly Tool[] = [
  account('get_open_position', 'POST /api/v1/openposition', {
    title: 'Get the quantity of a position',
    fixed: FIXED,
  }),
  account('get_order_status', 'POST /api/v1/orderstatus', {
    title: 'Get an order',
    more: 'Use it with order_ref to find out what became of an order whose outcome is unknown.',
    names: { order_id: 'orderid' },
    fixed: FIXED,
  }),
  account('get_order_book', 'POST /api/v1/orderbook', { title: 'List the orders of today' }),
  account('get_trade_book', 'POST /api/v1/tradebook', { title: 'List the trades of today' }),
  account('get_position_book', 'POST /api/v1/positionbook', { title: 'List the positions' }),
  account('get_holdings', 'POST /api/v1/holdings', { title: 'List the holdings' }),
  account('get_funds', 'POST /api/v1/funds', { title: 'Get the funds' }),
  account('calculate_margin', 'POST /api/v1/margin', {
    title: 'Compute the margin of orders',
    names: PRICE_TYPE,
  }),
  account('analyzer_status', 'POST /api/v1/analyzer', { title: 'Get the mode' }),
  message('send_telegram_alert', 'POST /api/v1/telegram/notify', {
    title: 'Send a message by Telegram',
    more: 'The message leaves the service. Send nothing that its receiver should not know.',
    defaults: { priority: 5 },
    without: ['wait_for_delivery'],
    hints: { outside: true },
  }),
]
