import { OPERATIONS } from '../../operations/index.js'
import { named } from '../../operations/named.js'
import { TOOL_STRATEGY, type ToolFacts } from '../../operations/tool-facts.js'
import type { KnownOperationName } from '../../operations/types.js'
import { operationTool } from './build.js'
import type { Tool } from './tool.js'

const order = (
  name: string,
  operation: KnownOperationName,
  facts: Omit<ToolFacts, 'name' | 'scope' | 'toolset'>,
): Tool =>
  operationTool(named(operation, OPERATIONS[operation]), {
    ...facts,
    name,
    scope: 'write:orders',
    toolset: 'orders',
  })

const STRATEGY = { strategy: TOOL_STRATEGY }
const SINGLE = { exchange: 'NSE', product: 'MIS', ...STRATEGY }
const PRICE_TYPE = { price_type: 'pricetype' }
const SPLIT = { ...PRICE_TYPE, split_size: 'splitsize' }
const CHECKS =
  'The order passes the risk gate, the kill switch and the approval queue like any other; an answer with pending_order_id means that a person decides.'
const NOT_WAITING = 'Refused in Live mode while the orders of assistants wait for approval (queue_writes).'

export const ORDER_TOOLS: readonly Tool[] = [
  order('place_order', 'POST /api/v1/placeorder', {
    title: 'Place an order',
    more: CHECKS,
    names: PRICE_TYPE,
    defaults: SINGLE,
    without: ['underlying_ltp'],
  }),
  order('place_smart_order', 'POST /api/v1/placesmartorder', {
    title: 'Bring a position to a size',
    more: `Leave quantity out: it is traded only when the position and position_size are both 0, so a repeated exit would open the reverse position. ${CHECKS}`,
    names: PRICE_TYPE,
    defaults: { ...SINGLE, quantity: 0 },
    hints: { destructive: true },
  }),
  order('place_basket_order', 'POST /api/v1/basketorder', {
    title: 'Place several orders',
    more: CHECKS,
    names: PRICE_TYPE,
    defaults: STRATEGY,
  }),
  order('place_split_order', 'POST /api/v1/splitorder', {
    title: 'Place a large order in parts',
    more: CHECKS,
    names: SPLIT,
    defaults: SINGLE,
  }),
  order('place_options_order', 'POST /api/v1/optionsorder', {
    title: 'Place an option order by its distance from the money',
    more: `Without expiry_date the underlying must be a future, whose name has one. ${CHECKS}`,
    names: SPLIT,
    defaults: STRATEGY,
  }),
  order('place_options_multi_order', 'POST /api/v1/optionsmultiorder', {
    title: 'Place the legs of an option strategy',
    more: CHECKS,
    names: SPLIT,
    defaults: STRATEGY,
  }),
  order('modify_order', 'POST /api/v1/modifyorder', {
    title: 'Change an open order',
    more: `Give all fields, as get_order_status returns them, with the new values. ${NOT_WAITING}`,
    names: { ...PRICE_TYPE, order_id: 'orderid' },
    defaults: { price_type: 'LIMIT', trigger_price: 0, disclosed_quantity: 0, ...STRATEGY },
    hints: { destructive: true, idempotent: true },
  }),
  order('cancel_order', 'POST /api/v1/cancelorder', {
    title: 'Cancel an order',
    more: 'A position loses the protection of a stop order that is cancelled.',
    names: { order_id: 'orderid' },
    defaults: STRATEGY,
    hints: { destructive: true, idempotent: true },
  }),
  order('cancel_all_orders', 'POST /api/v1/cancelallorder', {
    title: 'Cancel all open orders',
    more: 'Stop orders that protect positions are cancelled, too.',
    defaults: STRATEGY,
    hints: { destructive: true, idempotent: true },
  }),
  order('close_all_positions', 'POST /api/v1/closeposition', {
    title: 'Close all positions at the market',
    more: NOT_WAITING,
    defaults: STRATEGY,
    without: ['symbol', 'exchange', 'product'],
    hints: { destructive: true },
  }),
]

const telegram = OPERATIONS['POST /api/v1/telegram/notify']
const version = OPERATIONS['GET /version']
/** The tools of operations that do not name them themselves yet. */
export const OTHER_TOOLS: readonly Tool[] = [
  operationTool(named('POST /api/v1/telegram/notify', telegram), {
    name: 'send_telegram_alert',
    scope: 'read:account',
    toolset: 'utility',
    title: 'Send a message by Telegram',
    more: 'The message leaves the service. Send nothing that its receiver should not know.',
    defaults: { priority: 5 },
    without: ['wait_for_delivery'],
    hints: { outside: true },
  }),
  operationTool(named('GET /version', version), {
    name: 'get_svc_version',
    scope: 'read:market',
    toolset: 'utility',
    title: 'Get the version of the service',
  }),
]
