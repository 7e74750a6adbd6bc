import {
  basketOrderPayload,
  clientOrderIdField,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  placeOrderPayload,
  smartOrderPayload,
  splitOrderPayload,
} from '../../../core/orders/index.js'
import { keyedChange } from '../running.js'
import * as answers from './answers.js'
import {
  CHECKS,
  FROM_JOURNAL,
  HEADERS,
  LINE,
  PRICE_TYPE,
  REFUSALS,
  SINGLE,
  SPLIT,
  STRATEGY,
  TOOL,
  TOOL_DEFAULTS,
  UNDERLYING,
} from './common.js'
import { ordering } from './ordering.js'

const order = keyedChange('Orders', 'order')

/** The caller's own id of a request. A tool has the argument `idempotency_key` instead. */
const CLIENT_ID = { client_order_id: clientOrderIdField().optional() }
const NO_CLIENT_ID = ['client_order_id'] as const

/** Requests that place orders. The ids in their examples stand for ids that the service returned earlier. */
export const PLACING_OPERATIONS = {
  'POST /api/v1/placeorder': order('Places one order.', {
    headers: [...HEADERS, 'X-Dry-Run'],
    body: placeOrderPayload.safeExtend(CLIENT_ID),
    example: { ...STRATEGY, ...LINE },
    answer: answers.placeOrder,
    errors: REFUSALS,
    audit: FROM_JOURNAL,
    tool: {
      ...TOOL,
      name: 'place_order',
      title: 'Place an order',
      more: CHECKS,
      names: PRICE_TYPE,
      defaults: SINGLE,
      without: ['underlying_ltp', ...NO_CLIENT_ID],
    },
    run: ordering('placeorder'),
  }),
  'POST /api/v1/placesmartorder': order('Brings a position to a target size.', {
    limit: 'smart',
    headers: [...HEADERS, 'X-Dry-Run'],
    body: smartOrderPayload.safeExtend(CLIENT_ID),
    example: { ...STRATEGY, ...LINE, quantity: 0, position_size: 10 },
    answer: answers.smartOrder,
    errors: REFUSALS,
    audit: FROM_JOURNAL,
    tool: {
      ...TOOL,
      name: 'place_smart_order',
      title: 'Bring a position to a size',
      more: `Leave quantity out: it is traded only when the position and position_size are both 0, so a repeated exit would open the reverse position. ${CHECKS}`,
      names: PRICE_TYPE,
      defaults: { ...SINGLE, quantity: 0 },
      hints: { destructive: true },
      without: NO_CLIENT_ID,
    },
    run: ordering('placesmartorder'),
  }),
  'POST /api/v1/basketorder': order('Places several orders: buy orders first, then sell orders.', {
    limit: 'api',
    headers: [...HEADERS, 'X-Dry-Run'],
    body: basketOrderPayload.safeExtend(CLIENT_ID),
    example: { ...STRATEGY, orders: [LINE, { ...LINE, symbol: 'INFY', quantity: 5 }] },
    answer: answers.basketOrder,
    errors: REFUSALS,
    audit: FROM_JOURNAL,
    tool: {
      ...TOOL,
      name: 'place_basket_order',
      title: 'Place several orders',
      more: CHECKS,
      names: PRICE_TYPE,
      defaults: TOOL_DEFAULTS,
      without: NO_CLIENT_ID,
    },
    run: ordering('basketorder'),
  }),
  'POST /api/v1/splitorder': order('Places a large order in parts.', {
    limit: 'api',
    headers: [...HEADERS, 'X-Dry-Run'],
    body: splitOrderPayload.safeExtend(CLIENT_ID),
    example: { ...STRATEGY, ...LINE, quantity: 25, splitsize: 10 },
    answer: answers.splitOrder,
    errors: REFUSALS,
    audit: FROM_JOURNAL,
    tool: {
      ...TOOL,
      name: 'place_split_order',
      title: 'Place a large order in parts',
      more: CHECKS,
      names: SPLIT,
      defaults: SINGLE,
      without: NO_CLIENT_ID,
    },
    run: ordering('splitorder'),
  }),
  'POST /api/v1/optionsorder': order('Places an order for the option at an offset from the money.', {
    headers: HEADERS,
    body: optionsOrderPayload.safeExtend(CLIENT_ID),
    example: {
      ...UNDERLYING,
      offset: 'ATM',
      option_type: 'CE',
      action: 'BUY',
      quantity: 65,
      product: 'NRML',
    },
    answer: answers.optionsOrder,
    errors: REFUSALS,
    audit: FROM_JOURNAL,
    tool: {
      ...TOOL,
      name: 'place_options_order',
      title: 'Place an option order by its distance from the money',
      more: `Without expiry_date the underlying must be a future, whose name has one. ${CHECKS}`,
      names: SPLIT,
      defaults: TOOL_DEFAULTS,
      without: NO_CLIENT_ID,
    },
    run: ordering('optionsorder'),
  }),
  'POST /api/v1/optionsmultiorder': order('Places the legs of an option strategy: buy legs first.', {
    headers: HEADERS,
    body: optionsMultiOrderPayload.safeExtend(CLIENT_ID),
    example: {
      ...UNDERLYING,
      legs: [
        { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65 },
        { offset: 'OTM1', option_type: 'CE', action: 'SELL', quantity: 65 },
      ],
    },
    answer: answers.optionsMultiOrder,
    errors: REFUSALS,
    audit: FROM_JOURNAL,
    tool: {
      ...TOOL,
      name: 'place_options_multi_order',
      title: 'Place the legs of an option strategy',
      more: CHECKS,
      names: SPLIT,
      defaults: TOOL_DEFAULTS,
      without: NO_CLIENT_ID,
    },
    run: ordering('optionsmultiorder'),
  }),
}
