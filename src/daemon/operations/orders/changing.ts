import {
  cancelOrderPayload,
  closePositionsPayload,
  modifyOrderPayload,
  wholeAccountPayload,
} from '../../../core/orders/index.js'
import { keyedChange } from '../running.js'
import * as answers from './answers.js'
import {
  AFTER_ANSWER,
  CHANGE_REFUSALS,
  HEADERS,
  LIMIT,
  NOT_WAITING,
  PRICE_TYPE,
  STRATEGY,
  TOOL,
  TOOL_DEFAULTS,
} from './common.js'
import { ordering } from './ordering.js'

const order = keyedChange('Orders', 'order')

/** Requests that change, cancel or close what is there. The ids in their examples stand for ids that the service returned earlier. */
export const CHANGING_OPERATIONS = {
  'POST /api/v1/modifyorder': order('Changes an open order; replaces every field.', {
    headers: HEADERS,
    body: modifyOrderPayload,
    example: { ...STRATEGY, orderid: '26112045901458', ...LIMIT, trigger_price: 0, disclosed_quantity: 0 },
    answer: answers.changedOrder,
    errors: CHANGE_REFUSALS,
    audit: AFTER_ANSWER,
    tool: {
      ...TOOL,
      name: 'modify_order',
      title: 'Change an open order',
      more: `Give all fields, as get_order_status returns them, with the new values. ${NOT_WAITING}`,
      names: { ...PRICE_TYPE, order_id: 'orderid' },
      defaults: { price_type: 'LIMIT', trigger_price: 0, disclosed_quantity: 0, ...TOOL_DEFAULTS },
      hints: { destructive: true, idempotent: true },
    },
    run: ordering('modifyorder'),
  }),
  'POST /api/v1/cancelorder': order('Cancels an open order.', {
    headers: HEADERS,
    body: cancelOrderPayload,
    example: { ...STRATEGY, orderid: '26112045901458' },
    answer: answers.changedOrder,
    errors: CHANGE_REFUSALS,
    audit: AFTER_ANSWER,
    tool: {
      ...TOOL,
      name: 'cancel_order',
      title: 'Cancel an order',
      more: 'A position loses the protection of a stop order that is cancelled.',
      names: { order_id: 'orderid' },
      defaults: TOOL_DEFAULTS,
      hints: { destructive: true, idempotent: true },
    },
    run: ordering('cancelorder'),
  }),
  'POST /api/v1/cancelallorder': order('Cancels every open order.', {
    limit: 'api',
    headers: HEADERS,
    body: wholeAccountPayload,
    example: STRATEGY,
    answer: answers.cancelledAll,
    errors: CHANGE_REFUSALS,
    audit: AFTER_ANSWER,
    tool: {
      ...TOOL,
      name: 'cancel_all_orders',
      title: 'Cancel all open orders',
      more: 'Stop orders that protect positions are cancelled, too.',
      defaults: TOOL_DEFAULTS,
      hints: { destructive: true, idempotent: true },
    },
    run: ordering('cancelallorder'),
  }),
  'POST /api/v1/closeposition': order(
    'Closes every position at the market. A success means that an order is placed for all of each of them.',
    {
      limit: 'api',
      headers: HEADERS,
      body: closePositionsPayload,
      example: STRATEGY,
      answer: answers.closedAll,
      errors: CHANGE_REFUSALS,
      audit: AFTER_ANSWER,
      tool: {
        ...TOOL,
        name: 'close_all_positions',
        title: 'Close all positions at the market',
        more: NOT_WAITING,
        defaults: TOOL_DEFAULTS,
        without: ['symbol', 'exchange', 'product'],
        hints: { destructive: true },
      },
      run: ordering('closeposition'),
    },
  ),
}
